// Bytes on their way out, in order: small pieces are collected in one text, large bodies stay pieces of their own and
// leave by a gathered write, uncopied. Parts of files are sent by the kernel, or read when they are encrypted.
#pragma once

#include <tern/base/shared_file.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::net {

// A part of a file.
struct FilePart {
  base::SharedFile file = {};
  std::uint64_t offset = 0;
  std::size_t size = 0;
};

// Owns its bytes, refers to bytes that outlive it, or is a part of a file.
struct Piece {
  std::string own = {};
  std::string_view view = {};
  FilePart part = {};

  bool is_file() const noexcept { return static_cast<bool>(part.file); }
  std::string_view bytes() const noexcept { return view.empty() ? std::string_view(own) : view; }
  std::size_t size() const noexcept { return is_file() ? part.size : bytes().size(); }
};

class Output {
public:
  // A body of more than this many bytes is moved in; a smaller one is cheaper to copy.
  static constexpr std::size_t large = 16 * 1024;

  // Where small pieces go: append to its end, and leave alone what is there.
  std::string& text() noexcept { return text_; }

  void append(std::string_view bytes) { text_.append(bytes); }
  void append(const char* literal) { text_.append(literal); }
  void append(std::string&& bytes);
  // For static content: `bytes` stay valid until they have been sent. A large body is not copied.
  void append_static(std::string_view bytes);

  // `bytes` stay valid until this output is sent or cleared. A large body is copied only if it cannot be sent at once.
  void append_borrowed(std::string_view bytes);

  // A part of a regular file. It should be in the kernel's memory: otherwise the loop waits for the disk.
  void append_file(FilePart part);
  bool has_files() const noexcept { return has_files_; }

  // Takes all of `other`, which is empty afterwards.
  void append(Output& other);

  // Reserves an entry for the next large body, so that its append_borrowed() does not throw after its head was written.
  void expect_body();

  // Owns a string of which borrowed bytes are a part, until they are sent. Returns it when none of it is borrowed.
  std::string take_ownership(std::string bytes) noexcept;

  bool empty() const noexcept { return text_.empty() && bodies_.empty(); }
  std::size_t size() const noexcept { return text_.size() + body_bytes_; }

  // Forgets the bytes and keeps the memory of the text, unless an unusually large one has blown it up.
  void clear() noexcept;

  // Calls f(std::string_view) with each piece, in order. Not for output with files.
  template <class F>
  void visit(F&& f) const {
    std::size_t from = 0;
    for (const Body& body : bodies_) {
      if (body.at != from) f(std::string_view(text_).substr(from, body.at - from));
      f(body.piece.bytes());
      from = body.at;
    }
    if (from != text_.size()) f(std::string_view(text_).substr(from));
  }

private:
  friend class SendQueue;

  struct Body {
    std::size_t at;  // how many bytes of the text go before it
    Piece piece;
    bool borrowed;  // valid only until this output is sent or cleared
  };

  void append_body(Piece piece, bool borrowed = false);

  std::string text_;
  std::vector<Body> bodies_;
  std::size_t body_bytes_ = 0;
  bool has_files_ = false;
};

}  // namespace tern::net
