#include "http/multipart_head.hpp"

#include "http/multipart_fault.hpp"
#include "http/parameters.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/utf8.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace tern::multipart {
namespace {

using Verdict = std::expected<void, MultipartReject>;
using base::equals_ignoring_case;

bool begins_with(std::string_view text, std::string_view prefix) {
  return equals_ignoring_case(text.substr(0, prefix.size()), prefix);
}

// Decodes an escape of the HTML standard at the begin of `text`; NUL if there is none.
char html_escape(std::string_view text) {
  if (text.starts_with("%22")) return '"';
  if (text.starts_with("%0D")) return '\r';
  if (text.starts_with("%0A")) return '\n';
  return '\0';
}

// Decodes a name.
std::string unescape(const Parameter& parameter) {
  if (!parameter.quoted) return std::string(parameter.value);
  std::string out;
  out.reserve(parameter.value.size());
  std::string_view rest = parameter.value;
  while (!rest.empty()) {
    if (const char c = html_escape(rest); c != '\0') {
      out += c;
      rest.remove_prefix(3);
      continue;
    }
    if (rest.starts_with("\\\"") || rest.starts_with("\\\\")) rest.remove_prefix(1);
    out += rest.front();
    rest.remove_prefix(1);
  }
  return out;
}

// ext-value   = "UTF-8" "'" [ language ] "'" *( pct-encoded / attr-char )     (RFC 5987, section 3.2.1)
// attr-char   = token characters but "*", "'" and "%"
std::optional<std::string> decode_extended(const Parameter& parameter) {
  const std::size_t first = parameter.value.find('\'');
  const std::size_t second = first == std::string_view::npos ? first : parameter.value.find('\'', first + 1);
  if (parameter.quoted || second == std::string_view::npos) return std::nullopt;
  if (!equals_ignoring_case(parameter.value.substr(0, first), "UTF-8")) return std::nullopt;
  std::string out;
  std::string_view rest = parameter.value.substr(second + 1);
  while (!rest.empty()) {
    char c = rest.front();
    if (c == '*' || c == '\'') return std::nullopt;
    if (c == '%') {
      const int high = rest.size() > 2 ? base::hex_value(rest[1]) : -1;
      const int low = rest.size() > 2 ? base::hex_value(rest[2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      rest.remove_prefix(2);
    }
    out += c;
    rest.remove_prefix(1);
  }
  return out;
}

bool is_name(std::string_view text) {
  return base::is_utf8(text) && std::ranges::none_of(text, is_control);
}

// The safe part of a file name: no path, and no directory's name.
std::optional<std::string> last_component(std::string name) {
  const std::size_t end = name.find_last_of("/\\");
  if (end != std::string::npos) name.erase(0, end + 1);
  if (name.empty() || name == "." || name == "..") return std::nullopt;
  return name;
}

class Disposition {
public:
  explicit Disposition(const MultipartLimits& limits) : limits_(limits) {}

  Verdict read(std::string_view value) {
    if (!equals_ignoring_case(take_token(value), "form-data")) return std::unexpected(fault::disposition_type);
    ParameterReader parameters(value);
    for (Parameter parameter; parameters.next(parameter);) {
      if (Verdict verdict = take(parameter); !verdict) return verdict;
    }
    if (parameters.malformed()) return std::unexpected(fault::disposition);
    if (!name_) return std::unexpected(fault::no_name);
    return {};
  }

  void move_to(MultipartPart& part) {
    part.name = *std::move(name_);
    part.is_file = file_name_ || extended_file_name_;
    if (part.is_file)
      part.file_name = last_component(*std::move(extended_file_name_ ? extended_file_name_ : file_name_));
  }

private:
  Verdict take(const Parameter& parameter) {
    if (equals_ignoring_case(parameter.name, "name")) {
      if (name_) return std::unexpected(fault::two_names);
      name_ = unescape(parameter);
      if (name_->size() > limits_.name) return std::unexpected(fault::name_too_long);
      if (!is_name(*name_)) return std::unexpected(fault::name_bytes);
    } else if (equals_ignoring_case(parameter.name, "filename")) {
      return take_file_name(unescape(parameter), file_name_);
    } else if (equals_ignoring_case(parameter.name, "filename*")) {
      return take_file_name(decode_extended(parameter), extended_file_name_);
    } else if (begins_with(parameter.name, "name*") || begins_with(parameter.name, "filename*")) {
      return std::unexpected(fault::extended);  // name*, and the continuations of RFC 2231: name*0, filename*1*
    }
    return {};
  }

  Verdict take_file_name(std::optional<std::string> sent, std::optional<std::string>& to) const {
    if (to) return std::unexpected(fault::two_file_names);
    if (!sent) return std::unexpected(fault::extended_file_name);
    if (sent->size() > limits_.file_name) return std::unexpected(fault::file_name_too_long);
    if (!is_name(*sent)) return std::unexpected(fault::file_name_bytes);
    to = std::move(sent);
    return {};
  }

  const MultipartLimits& limits_;
  std::optional<std::string> name_;
  std::optional<std::string> file_name_;
  std::optional<std::string> extended_file_name_;
};

Verdict read_type(std::string_view value, MultipartPart& part) {
  const std::string_view type = take_media_type(value);
  if (type.empty()) return std::unexpected(fault::part_type);
  ParameterReader parameters(value);
  for (Parameter parameter; parameters.next(parameter);) {
    if (!equals_ignoring_case(parameter.name, "charset")) continue;
    if (!part.charset.empty() || !base::is_token(parameter.value)) return std::unexpected(fault::part_type);
    part.charset = parameter.value;
  }
  if (parameters.malformed()) return std::unexpected(fault::part_type);
  if (begins_with(type, "multipart/")) return std::unexpected(fault::nested);
  part.content_type = type;
  return {};
}

bool is_identity(std::string_view encoding) {
  return equals_ignoring_case(encoding, "7bit") || equals_ignoring_case(encoding, "8bit") ||
         equals_ignoring_case(encoding, "binary");
}

}  // namespace

Verdict read_field(std::string_view line, const MultipartLimits& limits, SeenFields& seen, MultipartPart& part) {
  if (line.starts_with(' ') || line.starts_with('\t')) return std::unexpected(fault::folded);
  const std::string_view name = take_token(line);
  if (name.empty() || !line.starts_with(':')) return std::unexpected(fault::field_line);
  const std::string_view value = base::trim(line.substr(1));

  if (equals_ignoring_case(name, "Content-Disposition")) {
    if (std::exchange(seen.disposition, true)) return std::unexpected(fault::two_dispositions);
    Disposition disposition(limits);
    if (Verdict verdict = disposition.read(value); !verdict) return verdict;
    disposition.move_to(part);
  } else if (equals_ignoring_case(name, "Content-Type")) {
    if (std::exchange(seen.type, true)) return std::unexpected(fault::two_types);
    return read_type(value, part);
  } else if (equals_ignoring_case(name, "Content-Transfer-Encoding")) {
    if (std::exchange(seen.encoding, true)) return std::unexpected(fault::two_encodings);
    if (!is_identity(value)) return std::unexpected(fault::encoding);
  }
  return {};
}

}  // namespace tern::multipart
