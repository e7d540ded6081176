// BodyStream: the content of a request, piece by piece, as it arrives.
#pragma once

#include <tern/coro/cancelled.hpp>
#include <tern/http/exchange.hpp>

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// What a coroutine handler takes that wants to see the content while it arrives:
//
//   while (auto chunk = co_await body.next()) total += chunk->size();
//
// The handler is called as soon as the head is in. While nobody asks for the next piece, the connection is not read, so
// that a slow handler slows the client down and no more than a piece is held. Limits::body does not apply unless the
// route sets it.
class BodyStream {
public:
  explicit BodyStream(Exchange& exchange) noexcept : exchange_(&exchange) {}

  class [[nodiscard]] Next {
  public:
    explicit Next(BodyStream& stream) noexcept : stream_(stream) {}
    Next(const Next&) = delete;
    Next& operator=(const Next&) = delete;
    ~Next() {
      if (waiting_) stream_.exchange_->when_readable(nullptr);
    }
    bool await_ready() const { return stream_.exchange_->readable(); }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = true;
      stream_.exchange_->when_readable(waiting);
    }
    std::optional<std::string_view> await_resume() {
      waiting_ = false;
      return stream_.take();
    }

  private:
    BodyStream& stream_;
    bool waiting_ = false;
  };

  // The next piece, valid until the next call; nothing at the end of the content. Throws HttpError when the content is
  // too large (413), malformed (400) or too slow (408), and Cancelled when the client has gone.
  Next next() { return Next(*this); }

private:
  std::optional<std::string_view> take();

  Exchange* exchange_;
  std::string piece_;
};

}  // namespace tern
