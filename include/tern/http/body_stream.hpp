// BodyStream: the content of a request in pieces, as it arrives.
#pragma once

#include <tern/coro/cancelled.hpp>
#include <tern/http/exchange.hpp>

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

// The parameter of a coroutine handler that reads the content while it arrives:
//
//   while (auto chunk = co_await body.next()) total += chunk->size();
//
// The handler is called when the head is complete. The connection is read only while the handler waits for the next
// piece: a slow handler slows the client down, and at most one piece is buffered. Limits::max_body_bytes does not apply
// unless the route sets it. What a middleware has read already is one piece.
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

  // The next piece, valid until the next call; unset at the end of the content. Only one coroutine may wait at a time.
  // Throws HttpError if the content is too large (413), malformed (400; 431 for its trailers) or too slow (408), and
  // Cancelled when the client has disconnected.
  Next next() noexcept { return {*this}; }
  // The trailer fields, after next() has returned an unset value; see Request::trailers().
  const RequestFields& trailers() const noexcept { return exchange_->request().trailers(); }

private:
  std::optional<std::string_view> take();

  Exchange* exchange_;
  std::string piece_;
  bool started_ = false;
};

}  // namespace tern
