#include "observe/otlp.hpp"

#include "observe/trace_context.hpp"

#include <tern/json/json.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace tern {
namespace observe {
namespace {

void write_value(json::Writer& writer, const SpanValue& value) {
  writer.begin_object();
  if (const auto* text = std::get_if<std::string>(&value)) {
    writer.key("stringValue");
    writer.text(*text);
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    writer.key("intValue");
    writer.text(std::to_string(*number));
  } else if (const auto* real = std::get_if<double>(&value)) {
    writer.key("doubleValue");
    writer.number(*real);
  } else {
    writer.key("boolValue");
    writer.boolean(std::get<bool>(value));
  }
  writer.end_object();
}

void write_attribute(json::Writer& writer, std::string_view key, const SpanValue& value) {
  writer.begin_object();
  writer.key("key");
  writer.text(key);
  writer.key("value");
  write_value(writer, value);
  writer.end_object();
}

void write_text(json::Writer& writer, std::string_view key, std::string_view text) {
  writer.key(key);
  writer.text(text);
}

void write_span(json::Writer& writer, const FinishedSpan& span) {
  constexpr int internal_kind = 1;
  constexpr int server_kind = 2;
  constexpr int error_code = 2;
  writer.begin_object();
  write_text(writer, "traceId", hex(span.trace));
  write_text(writer, "spanId", hex(span.id));
  const bool has_parent = std::ranges::any_of(span.parent, [](std::uint8_t byte) { return byte != 0; });
  if (has_parent) write_text(writer, "parentSpanId", hex(span.parent));
  if (!span.trace_state.empty()) write_text(writer, "traceState", span.trace_state);
  write_text(writer, "name", span.name);
  writer.key("kind");
  writer.integer(span.is_request ? server_kind : internal_kind);
  write_text(writer, "startTimeUnixNano", std::to_string(span.start));
  write_text(writer, "endTimeUnixNano", std::to_string(span.end));
  writer.key("attributes");
  writer.begin_array();
  for (const auto& [key, value] : span.attributes) write_attribute(writer, key, value);
  writer.end_array();
  if (span.failed) {
    writer.key("status");
    writer.begin_object();
    writer.key("code");
    writer.integer(error_code);
    if (!span.fault.empty()) write_text(writer, "message", span.fault);
    writer.end_object();
  }
  writer.end_object();
}

// Has whole lines only: what a full disk takes of one is removed again.
class OtlpFile final : public SpanExporter {
public:
  OtlpFile(const std::string& path, std::string service_name)
      : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)),
        service_name_(std::move(service_name)) {
    if (file_ < 0) throw std::runtime_error("traces cannot be written to " + path + ": " + std::strerror(errno));
  }
  ~OtlpFile() { ::close(file_); }
  OtlpFile(const OtlpFile&) = delete;
  OtlpFile& operator=(const OtlpFile&) = delete;

  void export_spans(std::span<const FinishedSpan> spans) override {
    const std::string line = otlp_json(spans, service_name_) + '\n';
    struct stat before{};
    const bool is_known = ::fstat(file_, &before) == 0;
    if (write(line)) return;
    const int error = errno;
    if (is_known && ::ftruncate(file_, before.st_size) != 0) {  // not a file
    }
    throw std::runtime_error(std::string("the file of traces cannot be written: ") + std::strerror(error));
  }

private:
  bool write(std::string_view rest) const noexcept {
    while (!rest.empty()) {
      const ssize_t written = ::write(file_, rest.data(), rest.size());
      if (written < 0 && errno != EINTR) return false;
      if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

  const int file_;
  const std::string service_name_;
};

}  // namespace

std::string otlp_json(std::span<const FinishedSpan> spans, std::string_view service_name) {
  std::string text;
  json::Writer writer(text);
  const auto begin_one = [&writer](std::string_view key) {
    writer.key(key);
    writer.begin_array();
    writer.begin_object();
  };
  writer.begin_object();
  begin_one("resourceSpans");
  writer.key("resource");
  writer.begin_object();
  writer.key("attributes");
  writer.begin_array();
  write_attribute(writer, "service.name", std::string(service_name));
  writer.end_array();
  writer.end_object();
  begin_one("scopeSpans");
  writer.key("scope");
  writer.begin_object();
  write_text(writer, "name", "tern");
  writer.end_object();
  writer.key("spans");
  writer.begin_array();
  for (const FinishedSpan& span : spans) write_span(writer, span);
  writer.end_array();
  for (int level = 0; level < 2; ++level) {
    writer.end_object();
    writer.end_array();
  }
  writer.end_object();
  return text;
}

}  // namespace observe

base::Box<SpanExporter> otlp_file(const std::string& path, const std::string& service_name) {
  return base::Box<SpanExporter>(new observe::OtlpFile(path, service_name));
}

}  // namespace tern
