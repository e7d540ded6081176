// Lines in the error log of the application: a text, and fields with values.
#pragma once

#include <tern/http/log_options.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>

namespace tern {

// A name and a value: {"id", 7}, {"title", title}, {"sold", true}. For the call that takes it: texts are views.
class LogField {
public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>
  LogField(std::string_view name, const T& value) noexcept : name_(name) {
    if constexpr (std::same_as<T, bool>) {
      text_ = value ? "true" : "false";
    } else if constexpr (std::floating_point<T>) {
      kind_ = Kind::Real;
      real_ = static_cast<double>(value);
    } else if constexpr (std::signed_integral<T>) {
      kind_ = Kind::Signed;
      signed_ = value;
    } else if constexpr (std::unsigned_integral<T>) {
      kind_ = Kind::Unsigned;
      unsigned_ = value;
    } else {
      kind_ = Kind::Text;
      text_ = value;
    }
  }

  // Appends " name=value"; text in quotes unless it is one word.
  void append_to(std::string& line) const;

private:
  enum class Kind : std::uint8_t { Word, Text, Signed, Unsigned, Real };
  std::string_view name_;
  std::string_view text_ = {};
  union {
    std::int64_t signed_ = 0;
    std::uint64_t unsigned_;
    double real_;
  };
  Kind kind_ = Kind::Word;
};

using LogFields = std::initializer_list<LogField>;

// Writes a line to the error log: log(LogLevel::Info, "sold", {{"id", 7}, {"title", title}}) appends
// `sold id=7 title="The Arctic Tern"`. Control characters are escaped, so that one call is one line. Text of clients
// belongs into fields, where it cannot be taken for another field. Lines below LogOptions::level, and those of level
// Off, are dropped.
//
// From any thread, at any time; does not wait for the disk. While no app runs, the line goes to standard error at once.
// While several run in one process, it goes to the log of the one that started last; Request::log() knows its own.
void log(LogLevel level, std::string_view text, LogFields fields = {});

namespace http {

std::string log_line(std::string_view text, LogFields fields);

}  // namespace http
}  // namespace tern
