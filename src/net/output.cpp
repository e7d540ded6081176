#include "net/output.hpp"

#include "base/is_within.hpp"

#include <algorithm>

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

void Output::append_static(std::string_view bytes) {
  if (bytes.size() <= large) {
    text_.append(bytes);
    return;
  }
  append_body({.view = bytes});
}

void Output::append_borrowed(std::string_view bytes) {
  if (bytes.size() <= large) {
    text_.append(bytes);
    return;
  }
  append_body({.view = bytes}, true);
}

void Output::append(Output& other) {
  bodies_.reserve(bodies_.size() + other.bodies_.size());
  const std::size_t size = text_.size();
  text_.append(other.text_);
  for (Body& body : other.bodies_) {
    body.at += size;
    bodies_.push_back(std::move(body));
  }
  body_bytes_ += other.body_bytes_;
  has_files_ = has_files_ || other.has_files_;
  other.clear();
}

void Output::append_file(FilePart part) {
  if (part.size == 0) return;
  append_body({.part = std::move(part)});
  has_files_ = true;
}

void Output::expect_body() {
  if (bodies_.size() == bodies_.capacity()) bodies_.reserve(std::max<std::size_t>(4, 2 * bodies_.size()));
}

std::string Output::take_ownership(std::string bytes) noexcept {
  // In the last of them: earlier bytes of this output are sent before it.
  const auto last = std::ranges::find_if(bodies_.rbegin(), bodies_.rend(), [&](const Body& body) {
    return body.borrowed && base::is_within(body.piece.view, bytes);
  });
  if (last == bodies_.rend()) return bytes;
  last->piece.own = std::move(bytes);  // `view` stays what is sent of it: large, so that moving left it where it was
  last->borrowed = false;
  return {};
}

void Output::append_body(Piece piece, bool borrowed) {
  const std::size_t size = piece.size();
  bodies_.push_back({.at = text_.size(), .piece = std::move(piece), .borrowed = borrowed});
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
  has_files_ = false;
}

}  // namespace tern::net
