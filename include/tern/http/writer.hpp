// Writer: where a streamed response goes, piece by piece.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/http/fields.hpp>

#include <string_view>

namespace tern {

// Belongs to the exchange, on its loop; valid until the producer has ended.
class Writer {
public:
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  class WriteWait final : public coro::Waiter, public coro::Hook<WriteWait> {
  public:
    explicit WriteWait(Writer& writer) noexcept : writer_(writer) {}
    void await_resume() const {
      check();
      if (writer_.gone()) throw Cancelled();
    }

  private:
    friend class Writer;
    bool ready() noexcept override { return writer_.gone() || writer_.writable(); }
    bool enter() noexcept override {
      writer_.waiting_.push(*this);
      writer_.room_is_wanted();
      return true;
    }
    bool leave() noexcept override {
      Hook<WriteWait>::unlink();
      return true;
    }
    Writer& writer_;
  };
  struct [[nodiscard]] Written {
    WriteWait operator co_await() const noexcept { return WriteWait(writer); }
    Writer& writer;
  };

  // Sends `bytes`: co_await writer.write(text). They are taken during the call; what is awaited is room for more, which
  // comes when the client reads. Throws Cancelled from the await when the client has gone. Pieces of one round of the
  // loop leave together.
  Written write(std::string_view bytes) {
    if (!gone() && !bytes.empty()) take(bytes);
    return {*this};
  }

  // A field behind the content, where the protocol has them (chunked HTTP/1.1, HTTP/2); elsewhere it is dropped. Before
  // the producer ends. See Fields::set for what throws.
  Fields& trailers() noexcept { return trailers_; }

  // For streams that may be silent for long, such as events: whenever nothing was written for `period`, `filler` is (at
  // most 64 bytes are kept), and a client that ends its side counts as gone, also with Limits::half_close.
  virtual void keep_alive(Milliseconds period, std::string_view filler) = 0;

protected:
  Writer() = default;
  ~Writer() = default;

  virtual void take(std::string_view bytes) = 0;
  // Whether there is room; false makes the producer wait.
  virtual bool writable() const = 0;
  virtual bool gone() const = 0;
  // Somebody has begun to wait. Calls wake_waiting() when there is room or the client has gone, not from inside.
  virtual void room_is_wanted() noexcept {}

  // Those who wait go on, at their turn.
  void wake_waiting() noexcept {
    while (WriteWait* waiting = waiting_.pop()) waiting->wake();
  }

  Fields trailers_;

private:
  coro::List<WriteWait> waiting_;
};

}  // namespace tern
