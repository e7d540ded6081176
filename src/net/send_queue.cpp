#include "net/send_queue.hpp"

#include "net/buffer_pool.hpp"
#include "net/send_file.hpp"

#include <algorithm>
#include <utility>

namespace tern::net {
namespace {

iovec piece(std::string_view bytes) noexcept {
  return {.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
}

}  // namespace

std::size_t SendQueue::gather(const Output& output, iovec (&pieces)[max_pieces]) noexcept {
  std::size_t count = 0;
  output.visit([&](std::string_view bytes) {
    if (count < max_pieces) pieces[count++] = piece(bytes);
  });
  return count;
}

std::size_t SendQueue::gather(iovec (&pieces)[max_pieces]) const noexcept {
  const std::size_t most = std::min(elements_.size(), max_pieces);
  std::size_t count = 0;
  for (; count < most && !elements_[count].is_file(); ++count) {
    pieces[count] = piece(elements_[count].bytes().substr(count == 0 ? sent_ : 0));
  }
  return count;
}

void SendQueue::append(std::string_view bytes) {
  if (bytes.empty()) return;
  // Small pieces share a string, so that a queue of many small answers does not become many small allocations.
  const bool shares =
      !elements_.empty() && !elements_.back().is_file() && elements_.back().size() + bytes.size() <= Output::large;
  if (shares) {
    elements_.back().own.append(bytes);  // views are large
  } else {
    elements_.push_back({.own = std::string(bytes)});
  }
  size_ += bytes.size();
  held_ += bytes.size();
}

void SendQueue::append_body(Piece&& piece, std::size_t skip) {
  // Only the first element can have been sent in part.
  if (elements_.empty()) sent_ = skip;
  size_ += piece.size() - skip;
  held_ += piece.own.size();
  files_ += piece.is_file() ? 1 : 0;
  elements_.push_back(std::move(piece));
}

std::optional<FilePart> SendQueue::front_file() const {
  if (elements_.empty() || !elements_.front().is_file()) return std::nullopt;
  FilePart rest = elements_.front().part;
  rest.offset += sent_;
  rest.size -= sent_;
  return rest;
}

std::size_t SendQueue::file_after(std::size_t count) const noexcept {
  return count < elements_.size() && elements_[count].is_file() ? elements_[count].size() : 0;
}

void SendQueue::take(Output& output, std::size_t skip) {
  std::size_t from = 0;
  const auto take_text = [&](std::size_t to) {
    const std::string_view text = std::string_view(output.text_).substr(from, to - from);
    const std::size_t skipped = std::min(skip, text.size());
    skip -= skipped;
    append(text.substr(skipped));
    from = to;
  };
  for (Output::Body& body : output.bodies_) {
    take_text(body.at);
    const std::size_t size = body.piece.size();
    const std::size_t skipped = std::min(skip, size);
    skip -= skipped;
    if (skipped == size) continue;
    if (body.borrowed) {
      append(body.piece.bytes().substr(skipped));
    } else {
      append_body(std::move(body.piece), skipped);
    }
  }
  take_text(output.text_.size());
  output.clear();
}

bool SendQueue::read(std::span<char> into) noexcept {
  while (!into.empty()) {
    const Piece& first = elements_.front();
    const std::size_t count = std::min(into.size(), first.size() - sent_);
    if (!first.is_file()) {
      first.bytes().copy(into.data(), count, sent_);
    } else if (read_file(first.part.file.descriptor(), first.part.offset + sent_, into.first(count)) != 0) {
      return false;
    }
    consume(count);
    into = into.subspan(count);
  }
  return true;
}

void SendQueue::consume(std::size_t count) noexcept {
  size_ -= count;
  while (count != 0) {
    const std::size_t left = elements_.front().size() - sent_;
    if (count < left) {
      sent_ += count;
      return;
    }
    count -= left;
    sent_ = 0;
    std::string& own = elements_.front().own;
    held_ -= own.size();
    files_ -= elements_.front().is_file() ? 1 : 0;
    if (buffer_pool_ != nullptr) buffer_pool_->give(std::move(own));
    elements_.pop_front();
  }
}

}  // namespace tern::net
