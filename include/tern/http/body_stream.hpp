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

  class NextWait final : public http::ContentWait {
  public:
    explicit NextWait(BodyStream& stream) noexcept : ContentWait(*stream.exchange_), stream_(stream) {}
    std::optional<std::string_view> await_resume() {
      ContentWait::await_resume();
      return stream_.take();
    }

  private:
    BodyStream& stream_;
  };
  struct [[nodiscard]] Next {
    NextWait operator co_await() const noexcept { return NextWait(stream); }
    BodyStream& stream;
  };

  // The next piece, valid until the next call; nothing at the end of the content. One waits at a time. Throws HttpError
  // when the content is too large (413), malformed (400; 431 for its trailers) or too slow (408), and Cancelled when
  // the client has gone.
  Next next() noexcept { return {*this}; }
  // The fields behind the content, once next() has given nothing; see Request::trailers().
  const RequestFields& trailers() const noexcept { return exchange_->request().trailers(); }

private:
  std::optional<std::string_view> take();

  Exchange* exchange_;
  std::string piece_;
};

}  // namespace tern
