// The content of a request between its exchange, which receives it, and its reader: decoded piece by piece.
//
// A piece is decoded when the last one was read, so that little memory holds a content of any size. After
// `max_steps` pieces other work of the loop has its turn: content of a kilobyte may decode to a gigabyte.
#pragma once

#include <tern/base/box.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/content_decoder.hpp>
#include <tern/http/exchange.hpp>

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace tern::http {

class DecodedContent final : private Turn {
public:
  DecodedContent(Exchange& exchange, base::Box<ContentDecoder> decoder) noexcept
      : exchange_(exchange), decoder_(std::move(decoder)) {}
  ~DecodedContent() = default;

  // These are Exchange::readable() and the like.
  bool readable();
  void when_readable(std::coroutine_handle<> waiting);
  std::expected<std::string_view, StreamError> read();
  // There may be something to read for a coroutine that waits; otherwise it waits again.
  void resume(std::coroutine_handle<> waiting);

private:
  void on_turn() noexcept override;
  // False if there is nothing yet.
  bool take_input();
  void decode();
  void end_input();
  void fail(const StreamError& error) { error_ = error; }
  bool must_yield() const noexcept;
  bool count_memory();

  Exchange& exchange_;
  base::Box<ContentDecoder> decoder_;
  std::string kept_;        // the last received piece
  std::string_view input_;  // its part that was not decoded yet
  std::string room_;
  std::string_view output_;  // in room_, not read yet
  std::optional<StreamError> error_;
  std::coroutine_handle<> waiting_;  // for its turn
  std::uint64_t size_ = 0;           // of the decoded content
  std::size_t charged_ = 0;
  unsigned steps_ = 0;  // in this turn
  bool has_more_ = false;
  bool received_any_ = false;
  bool ended_ = false;
};

}  // namespace tern::http
