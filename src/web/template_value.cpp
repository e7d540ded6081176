#include <tern/web/template_value.hpp>

#include <tern/json/read.hpp>

#include <charconv>
#include <cmath>

namespace tern::web {
namespace {

char* print_text(char* to, std::string_view text) noexcept {
  return to + text.copy(to, text.size());
}

template <class T>
char* print_number(char* to, T value) noexcept {
  return std::to_chars(to, to + max_plain_text, value).ptr;
}

template <class T>
char* print_fraction(char* to, T value) noexcept {
  return std::isfinite(value) ? print_number(to, value) : print_text(to, "null");
}

}  // namespace

std::string_view plain_text(std::string& scratch) {
  if (!scratch.starts_with('"')) return scratch;
  if (scratch.contains('\\')) {
    if (auto text = json::read<std::string>(scratch)) scratch = std::move(*text);
    return scratch;
  }
  return std::string_view(scratch).substr(1, scratch.size() - 2);
}

namespace detail {

char* print_plain(char* to, bool value) noexcept {
  return print_text(to, value ? "true" : "false");
}
char* print_plain(char* to, long long value) noexcept {
  return print_number(to, value);
}
char* print_plain(char* to, unsigned long long value) noexcept {
  return print_number(to, value);
}
char* print_plain(char* to, double value) noexcept {
  return print_fraction(to, value);
}
char* print_plain(char* to, float value) noexcept {
  return print_fraction(to, value);
}

}  // namespace detail
}  // namespace tern::web
