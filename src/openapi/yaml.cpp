// A document as YAML 1.2 and with indentation. The input is JSON that was written here: it is well-formed.
#include "openapi/document.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>

namespace tern::openapi {
namespace {

// Reads JSON token by token.
class Tokens {
public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  char peek() {
    skip();
    return rest_.empty() ? '\0' : rest_.front();
  }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  // A string with its quotes, a number, true, false or null.
  std::string_view scalar() {
    skip();
    std::size_t end = 0;
    if (rest_.front() == '"') {
      for (end = 1; rest_[end] != '"'; ++end) {
        if (rest_[end] == '\\') ++end;
      }
      ++end;
    } else {
      end = std::min(rest_.find_first_of(",]} \n"), rest_.size());
    }
    const std::string_view token = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return token;
  }

private:
  void skip() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\r\t"), rest_.size())); }
  std::string_view rest_;
};

// A key that no YAML parser takes for another type. In double quotes, JSON strings are YAML as they are.
std::string_view yaml_key(std::string_view quoted) {
  const std::string_view name = quoted.substr(1, quoted.size() - 2);
  const auto is_plain = [](char c) { return base::is_alpha(c) || base::is_digit(c) || c == '_' || c == '-'; };
  constexpr std::string_view reserved[] = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"};
  const bool plain =
      !name.empty() && base::is_alpha(name.front()) && std::ranges::all_of(name, is_plain) &&
      std::ranges::none_of(reserved, [name](std::string_view word) { return base::equals_ignoring_case(name, word); });
  return plain ? name : quoted;
}

// The code of "\uXXXX" at `at` in the text; 0 if there is none.
unsigned escaped_unit(std::string_view text, std::size_t at) {
  if (text.size() < at + 6 || text.substr(at, 2) != "\\u") return 0;
  unsigned unit = 0;
  for (const char c : text.substr(at + 2, 4)) unit = unit * 16 + static_cast<unsigned>(base::hex_value(c));
  return unit;
}

void append_hex(std::string& out, unsigned value, int width) {
  for (int digit = width - 1; digit >= 0; --digit) out += "0123456789ABCDEF"[value >> (digit * 4) & 15];
}

// In double quotes, JSON strings are YAML, but for surrogates, which YAML does not pair, and for characters that must
// not stand there as they are (YAML 1.2, section 5.1).
void append_text(std::string& out, std::string_view quoted) {
  for (std::size_t i = 0; i < quoted.size(); ++i) {
    const std::string_view rest = quoted.substr(i);
    const unsigned high = escaped_unit(quoted, i);
    const unsigned low = high >= 0xD800 && high < 0xDC00 ? escaped_unit(quoted, i + 6) : 0;
    if (low >= 0xDC00 && low < 0xE000) {
      out += "\\U";
      append_hex(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00), 8);
      i += 11;
    } else if (rest.front() == '\\') {
      out.append(rest.substr(0, 2));
      ++i;
    } else if (rest.front() == '\x7F') {
      out += "\\x7F";
    } else if (rest.starts_with('\xC2') && static_cast<unsigned char>(rest[1]) < 0xA0) {
      out += "\\x";
      append_hex(out, static_cast<unsigned char>(rest[1]), 2);
      ++i;
    } else if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      out += rest[2] == '\xBE' ? "\\uFFFE" : "\\uFFFF";
      i += 2;
    } else {
      out += rest.front();
    }
  }
}

class Yaml {
public:
  explicit Yaml(std::string_view json) : tokens_(json) {}
  std::string convert() {
    value(0, false);
    return std::move(out_);
  }

private:
  void indent(std::size_t depth) { out_.append(depth * 2, ' '); }

  // `after_key`: behind "key:"; otherwise behind "- ", or at the begin.
  void value(std::size_t depth, bool after_key) {
    if (tokens_.take('{')) return object(depth, after_key);
    if (tokens_.take('[')) return array(depth, after_key);
    if (after_key) out_ += ' ';
    append_text(out_, tokens_.scalar());
    out_ += '\n';
  }

  void object(std::size_t depth, bool after_key) {
    if (tokens_.take('}')) {
      out_ += after_key ? " {}\n" : "{}\n";
      return;
    }
    if (after_key) out_ += '\n';
    bool first = !after_key;
    do {
      if (!std::exchange(first, false)) indent(depth);
      append_text(out_, yaml_key(tokens_.scalar()));
      out_ += ':';
      tokens_.take(':');
      value(depth + 1, true);
    } while (tokens_.take(','));
    tokens_.take('}');
  }

  void array(std::size_t depth, bool after_key) {
    if (tokens_.take(']')) {
      out_ += after_key ? " []\n" : "[]\n";
      return;
    }
    if (after_key) out_ += '\n';
    bool first = !after_key;
    do {
      if (!std::exchange(first, false)) indent(depth);
      out_ += "- ";
      value(depth + 1, false);
    } while (tokens_.take(','));
    tokens_.take(']');
  }

  Tokens tokens_;
  std::string out_;
};

class Indented {
public:
  explicit Indented(std::string_view json) : tokens_(json) {}
  std::string convert() {
    value(0);
    return std::move(out_) + "\n";
  }

private:
  void line(std::size_t depth) { out_.append("\n").append(depth * 2, ' '); }

  void value(std::size_t depth) {
    if (tokens_.take('{')) return list(depth, '{', '}', true);
    if (tokens_.take('[')) return list(depth, '[', ']', false);
    out_ += tokens_.scalar();
  }

  void list(std::size_t depth, char open, char close, bool has_keys) {
    out_ += open;
    if (tokens_.take(close)) {
      out_ += close;
      return;
    }
    do {
      if (out_.back() != open) out_ += ',';
      line(depth + 1);
      if (has_keys) {
        out_.append(tokens_.scalar()) += ": ";
        tokens_.take(':');
      }
      value(depth + 1);
    } while (tokens_.take(','));
    tokens_.take(close);
    line(depth);
    out_ += close;
  }

  Tokens tokens_;
  std::string out_;
};

}  // namespace

std::string to_yaml(std::string_view json) {
  return Yaml(json).convert();
}

std::string indented(std::string_view json) {
  return Indented(json).convert();
}

}  // namespace tern::openapi
