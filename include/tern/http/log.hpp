// Lines in the error log of the application: a text, and fields with values.
#pragma once

#include <tern/http/log_options.hpp>

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <source_location>
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

  std::string_view name() const noexcept { return name_; }
  // Appends " name=value"; text in quotes unless it is one word.
  void append_to(std::string& line) const;
  // Appends the value as JSON.
  void append_json_to(std::string& out) const;

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
void log(LogLevel level, std::string_view text, LogFields fields = {},
         const std::source_location& place = std::source_location::current());

class Request;

// Writes the lines of one part of a program, whose level can be set by its name (LogOptions::levels,
// App::set_log_level()), and that of a single statement by its place, such as "orders.cpp:42":
//
//   constexpr tern::Logger orders("orders");
//   orders.info("shipped", {{"id", 7}});
//   orders.warning(request, "sold out", {{"id", 7}});    // with method, route and ids of the request
//
// Otherwise as tern::log(), whose part is "app". The parts of the library are "server", "tls", "bus", "websocket",
// "observe" and "slow".
class Logger {
public:
  using Place = std::source_location;  // of the call: its line may have a level of its own

  // The name must outlive the logger.
  explicit constexpr Logger(std::string_view part) noexcept : part_(part) {}

  void debug(std::string_view text, LogFields fields = {}, const Place& place = Place::current()) const {
    log(LogLevel::Debug, text, fields, place);
  }
  void info(std::string_view text, LogFields fields = {}, const Place& place = Place::current()) const {
    log(LogLevel::Info, text, fields, place);
  }
  void warning(std::string_view text, LogFields fields = {}, const Place& place = Place::current()) const {
    log(LogLevel::Warning, text, fields, place);
  }
  void error(std::string_view text, LogFields fields = {}, const Place& place = Place::current()) const {
    log(LogLevel::Error, text, fields, place);
  }
  void debug(const Request& request, std::string_view text, LogFields fields = {},
             const Place& place = Place::current()) const {
    log(request, LogLevel::Debug, text, fields, place);
  }
  void info(const Request& request, std::string_view text, LogFields fields = {},
            const Place& place = Place::current()) const {
    log(request, LogLevel::Info, text, fields, place);
  }
  void warning(const Request& request, std::string_view text, LogFields fields = {},
               const Place& place = Place::current()) const {
    log(request, LogLevel::Warning, text, fields, place);
  }
  void error(const Request& request, std::string_view text, LogFields fields = {},
             const Place& place = Place::current()) const {
    log(request, LogLevel::Error, text, fields, place);
  }
  void log(LogLevel level, std::string_view text, LogFields fields = {}, const Place& place = Place::current()) const;
  void log(const Request& request, LogLevel level, std::string_view text, LogFields fields = {},
           const Place& place = Place::current()) const;

private:
  std::string_view part_;
};

namespace http {

// A line before it is rendered. Views, for the call.
struct LogLine {
  LogLevel level = LogLevel::Info;
  std::string_view part = {};
  std::string_view text = {};
  LogFields fields = {};
  const Request* request = nullptr;  // whose method, route and ids the line has; null: none
  std::source_location place = {};   // of the statement; line 0: unknown
};

inline constexpr std::string_view app_part = "app";

}  // namespace http
}  // namespace tern
