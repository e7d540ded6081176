#include "net/output.hpp"

namespace tern::net {
namespace {

constexpr std::size_t kept_text = 256 * 1024;

}  // namespace

void Output::append(std::string&& bytes) {
  if (bytes.size() <= large) {
    text_.append(bytes);
    return;
  }
  append_body({.own = std::move(bytes)});
}

void Output::lend(std::string_view bytes) {
  if (bytes.size() <= large) {
    text_.append(bytes);
    return;
  }
  append_body({.lent = bytes});
}

void Output::pass(std::string_view bytes) {
  if (bytes.size() <= large) {
    text_.append(bytes);
    return;
  }
  append_body({.lent = bytes}, true);
}

void Output::append_body(Piece piece, bool passing) {
  const std::size_t size = piece.bytes().size();
  bodies_.push_back({.at = text_.size(), .piece = std::move(piece), .passing = passing});
  body_bytes_ += size;
}

void Output::clear() noexcept {
  if (text_.capacity() > kept_text) {
    std::string().swap(text_);  // (an assignment would keep the memory)
  } else {
    text_.clear();
  }
  bodies_.clear();
  body_bytes_ = 0;
}

}  // namespace tern::net
