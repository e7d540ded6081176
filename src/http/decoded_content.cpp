#include "http/decoded_content.hpp"

#include <tern/coro/context.hpp>

#include <algorithm>
#include <new>
#include <utility>

namespace tern {
namespace http {
namespace {

constexpr std::size_t max_piece = 32 * 1024;       // bytes that are decoded at a time
constexpr std::size_t max_step_input = 16 * 1024;  // bytes that are read for it
constexpr unsigned max_steps = 32;                 // 1 MiB, a few milliseconds

}  // namespace

bool DecodedContent::readable() {
  while (!error_ && !ended_ && output_.empty()) {
    if (must_yield()) return false;
    if (input_.empty() && !has_more_) {
      if (!take_input()) return false;
    } else {
      decode();
    }
  }
  return true;
}

bool DecodedContent::take_input() {
  if (!exchange_.has_received()) return false;
  const auto received = exchange_.take_received();
  if (!received) {
    fail(received.error());
  } else if (received->empty()) {
    end_input();
  } else {
    received_any_ = true;
    try {
      kept_.assign(*received);  // which is valid only until the reader suspends
      input_ = kept_;
    } catch (const std::bad_alloc&) {
      fail(StreamError::Overloaded);
    }
  }
  return true;
}

void DecodedContent::end_input() {
  if (received_any_ && !decoder_->complete()) return fail({Status::BadRequest, "the encoded content is truncated"});
  ended_ = true;
}

void DecodedContent::decode() {
  ++steps_;
  try {
    room_.resize(max_piece);
  } catch (const std::bad_alloc&) {
    return fail(StreamError::Overloaded);
  }
  std::string_view input = input_.substr(0, max_step_input);
  const std::size_t offered = input.size();
  const ContentDecoder::Decoded decoded = decoder_->decode(input, room_.data(), room_.size());
  input_.remove_prefix(offered - input.size());
  has_more_ = decoded.state == ContentDecoder::State::HasMore;
  output_ = std::string_view(room_).substr(0, decoded.size);
  size_ += decoded.size;
  switch (decoded.state) {
    case ContentDecoder::State::Malformed: return fail({Status::BadRequest, "the content is not encoded as it says"});
    case ContentDecoder::State::TooLarge: return fail(StreamError::TooLarge);
    case ContentDecoder::State::OutOfMemory: return fail(StreamError::Overloaded);
    case ContentDecoder::State::HasMore:
    case ContentDecoder::State::NeedsInput: break;
  }
  if (size_ > exchange_.limits().max_body_bytes) return fail(StreamError::TooLarge);
  if (!count_memory()) fail(StreamError::Overloaded);
}

bool DecodedContent::count_memory() {
  const std::size_t memory = decoder_->memory() + max_piece;
  if (memory <= charged_) return true;
  return exchange_.charge(memory - std::exchange(charged_, memory));
}

bool DecodedContent::must_yield() const noexcept {
  return steps_ >= max_steps && Executor::current() != nullptr;
}

std::expected<std::string_view, StreamError> DecodedContent::read() {
  if (!readable()) return std::unexpected(StreamError::Disconnected);
  if (error_) return std::unexpected(*error_);
  return std::exchange(output_, {});
}

void DecodedContent::when_readable(std::coroutine_handle<> waiting) {
  waiting_ = nullptr;
  if (!waiting) return exchange_.when_received(nullptr);
  if (!must_yield()) return exchange_.when_received(waiting);
  waiting_ = waiting;
  if (!scheduled()) Executor::current()->schedule(*this);
}

void DecodedContent::on_turn() noexcept {
  steps_ = 0;
  const coro::ContextScope scope(exchange_.work_context());
  if (waiting_) resume(std::exchange(waiting_, nullptr));
}

void DecodedContent::resume(std::coroutine_handle<> waiting) {
  if (readable()) {
    waiting.resume();
  } else {
    when_readable(waiting);
  }
}

}  // namespace http

void Exchange::decode_with(base::Box<http::ContentDecoder> decoder) {
  pin();
  decoded_ = &arena_.make<http::DecodedContent>(*this, std::move(decoder));
}

bool Exchange::decoded_readable() {
  return decoded_->readable();
}

std::expected<std::string_view, StreamError> Exchange::read_decoded() {
  return decoded_->read();
}

void Exchange::when_readable(std::coroutine_handle<> waiting) {
  if (decoded_ == nullptr) return when_received(waiting);
  decoded_->when_readable(waiting);
}

void Exchange::resume_reader(std::coroutine_handle<> waiting) {
  if (decoded_ == nullptr) return waiting.resume();
  decoded_->resume(waiting);
}

}  // namespace tern
