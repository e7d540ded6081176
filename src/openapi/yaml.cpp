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
    out_.append(tokens_.scalar()) += '\n';
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
      out_.append(yaml_key(tokens_.scalar())) += ':';
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
