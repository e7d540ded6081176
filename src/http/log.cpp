#include <tern/http/log.hpp>

#include "http/log_line.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/request.hpp>
#include <tern/json/writer.hpp>

#include <algorithm>
#include <array>

namespace tern {
namespace {

// What stands without quotes: visible ASCII but for quotes, '=' and '\'.
bool is_word(std::string_view text) noexcept {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7F' && c != '"' && c != '=' && c != '\\'; });
}

// Control characters are left to the log.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  out += '"';
}

}  // namespace

void LogField::append_to(std::string& line) const {
  line.append(" ").append(name_).append("=");
  switch (kind_) {
    case Kind::Word: line += text_; break;
    case Kind::Text: is_word(text_) ? void(line += text_) : append_quoted(line, text_); break;
    case Kind::Signed: base::append_integer(line, signed_); break;
    case Kind::Unsigned: base::append_integer(line, unsigned_); break;
    case Kind::Real: base::append_number(line, real_); break;
  }
}

void LogField::append_json_to(std::string& out) const {
  json::Writer writer(out);
  switch (kind_) {
    case Kind::Word: out += text_; break;
    case Kind::Text: writer.text(text_); break;
    case Kind::Signed: writer.integer(signed_); break;
    case Kind::Unsigned: writer.unsigned_integer(unsigned_); break;
    case Kind::Real: writer.number(real_); break;
  }
}

namespace http {
namespace {

constexpr std::string_view redacted = "[redacted]";

constexpr std::array<std::string_view, 14> secrets = {
    "authorization", "proxy-authorization", "cookie",        "set-cookie", "password",      "passwd",    "secret",
    "token",         "access_token",        "refresh_token", "id_token",   "client_secret", "x-api-key", "api_key"};

LogField shown(const LogField& field, std::span<const std::string> more) {
  return is_secret(field.name(), more) ? LogField(field.name(), redacted) : field;
}

std::string_view place_of(const Request& request) noexcept {
  return request.route().empty() ? request.path() : request.route();
}

// Calls `f` with the ids of the request that there are.
template <class F>
void for_each_id(const Request* request, F&& f) {
  if (request == nullptr) return;
  if (!request->id().empty()) f(LogField("request_id", request->id()));
  if (!request->trace_id().empty()) f(LogField("trace_id", request->trace_id()));
}

void render_text(RenderedLine& out, const LogLine& line, const LogStyle& style) {
  std::string& text = out.text;
  if (line.part != app_part && line.part != "server") text.append("[").append(line.part).append("] ");
  if (line.request != nullptr)
    text.append(line.request->method_name()).append(" ").append(place_of(*line.request)).append(": ");
  text.append(line.text);
  for (const LogField& field : line.fields) shown(field, style.secrets).append_to(text);
  out.ids = text.size();
  for_each_id(line.request, [&](const LogField& id) { id.append_to(text); });
}

// The fields of a line for machines; `text_name` is that of the text.
template <class Add>
void add_fields(RenderedLine& out, const LogLine& line, const LogStyle& style, const char* text_name, Add add) {
  add({"part", line.part});
  add({text_name, line.text});
  if (line.request != nullptr) {
    add({"method", line.request->method_name()});
    add({line.request->route().empty() ? "path" : "route", place_of(*line.request)});
  }
  for (const LogField& field : line.fields) add(shown(field, style.secrets));
  out.ids = out.text.size();
  for_each_id(line.request, add);
}

void render_logfmt(RenderedLine& out, const LogLine& line, const LogStyle& style) {
  add_fields(out, line, style, "msg", [&](const LogField& field) { field.append_to(out.text); });
  out.text.erase(0, 1);
  --out.ids;
}

// Members without the braces around them.
void render_json(RenderedLine& out, const LogLine& line, const LogStyle& style) {
  const auto add = [&](const LogField& field) {
    if (!out.text.empty()) out.text += ',';
    json::Writer(out.text).text(field.name());
    out.text += ':';
    field.append_json_to(out.text);
  };
  add_fields(out, line, style, "message", add);
}

}  // namespace

bool is_secret(std::string_view name, std::span<const std::string> more) noexcept {
  const auto same = [name](std::string_view secret) { return base::equals_ignoring_case(name, secret); };
  return std::ranges::any_of(secrets, same) || std::ranges::any_of(more, same);
}

RenderedLine render(const LogLine& line, const LogStyle& style) {
  RenderedLine out;
  switch (style.format) {
    case LogFormat::Text: render_text(out, line, style); break;
    case LogFormat::Json: render_json(out, line, style); break;
    case LogFormat::Logfmt: render_logfmt(out, line, style); break;
  }
  return out;
}

}  // namespace http

void Logger::log(const Request& request, LogLevel level, std::string_view text, LogFields fields,
                 const Place& place) const {
  if (level < LogLevel::Off) request.exchange().log({level, part_, text, fields, &request, place});
}

}  // namespace tern
