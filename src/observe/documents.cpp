#include "observe/documents.hpp"

#include "observe/trace_context.hpp"

#include <tern/http/problem.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace tern::observe {
namespace {

constexpr std::array<std::pair<LogLevel, std::string_view>, 5> levels = {{{LogLevel::Debug, "debug"},
                                                                          {LogLevel::Info, "info"},
                                                                          {LogLevel::Warning, "warning"},
                                                                          {LogLevel::Error, "error"},
                                                                          {LogLevel::Off, "off"}}};

// Whether it is no name of the public DNS.
bool is_own_host(std::string_view host) noexcept {
  if (host.starts_with('[')) return true;
  host = host.substr(0, host.find(':'));
  const bool is_address = host.find_first_not_of("0123456789.") == std::string_view::npos;
  return host.empty() || is_address || host == "localhost";
}

std::string name_of(LogLevel level) {
  return std::string(std::ranges::find(levels, level, &std::pair<LogLevel, std::string_view>::first)->second);
}

}  // namespace

bool is_loopback(std::string_view host) noexcept {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

bool is_local(const Request& request) {
  return is_loopback(request.remote()) || request.remote().starts_with("unix:");
}

void require_own_host(const Request& request) {
  if (is_own_host(request.host())) return;
  throw HttpError(Status::MisdirectedRequest, "this address is served by its number, or as localhost");
}

std::vector<std::vector<SpanDocument>> traces_of(const Observatory& observatory) {
  std::vector<std::vector<SpanDocument>> result;
  if (observatory.tracer() == nullptr) return result;
  for (const auto& spans : observatory.tracer()->recent()) {
    auto& request = result.emplace_back();
    for (const FinishedSpan& span : spans) {
      const double start = static_cast<double>(span.start) * 1e-9;
      request.push_back({hex(span.trace), hex(span.id), hex(span.parent), span.name, start,
                         static_cast<double>(span.end - span.start) * 1e-6, span.failed,
                         span.failed ? span.fault : std::string()});
    }
  }
  return result;
}

http::ServerView& running(const Observatory& observatory) {
  if (observatory.server() == nullptr) throw HttpError(Status::ServiceUnavailable, "no server runs");
  return *observatory.server();
}

LevelsDocument levels_of(const Observatory& observatory) {
  const http::ServerView& server = running(observatory);
  LevelsDocument document{name_of(server.log_level()), {}};
  for (const PartLevel& part : server.part_levels()) document.parts.push_back({name_of(part.level), part.part});
  return document;
}

LevelsDocument set_level(const Observatory& observatory, const LevelDocument& wanted) {
  const auto level = std::ranges::find(levels, wanted.level, &std::pair<LogLevel, std::string_view>::second);
  const std::string part = wanted.part.value_or(std::string());
  const bool unsets = wanted.level == "default" && !part.empty();
  if (level == levels.end() && !unsets) {
    throw HttpError(Status::UnprocessableContent,
                    "level is one of debug, info, warning, error and off, or default for a part");
  }
  if (!running(observatory).set_log_level(unsets ? std::nullopt : std::optional(level->first), part)) {
    throw HttpError(Status::Conflict, "too many parts have a level of their own");
  }
  return levels_of(observatory);
}

}  // namespace tern::observe
