// Writer: where a streamed response goes, piece by piece.
#pragma once

#include <tern/base/duration.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/http/fields.hpp>

#include <coroutine>
#include <string_view>

namespace tern {

// Belongs to the exchange, on its loop; valid until the producer has ended.
class Writer {
public:
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  class [[nodiscard]] Writable {
  public:
    explicit Writable(Writer& writer) noexcept : writer_(writer) {}
    Writable(const Writable&) = delete;
    Writable& operator=(const Writable&) = delete;
    ~Writable() {
      if (waiting_) writer_.when_writable(nullptr);
    }
    bool await_ready() const { return writer_.gone() || writer_.writable(); }
    void await_suspend(std::coroutine_handle<> waiting) {
      waiting_ = true;
      writer_.when_writable(waiting);
    }
    void await_resume() {
      waiting_ = false;
      if (writer_.gone()) throw Cancelled();
    }

  private:
    Writer& writer_;
    bool waiting_ = false;
  };

  // Sends `bytes`: co_await writer.write(text). They are taken during the call; what is awaited is room for more, which
  // comes when the client reads. Throws Cancelled from the await when the client has gone. Pieces of one round of the
  // loop leave together.
  Writable write(std::string_view bytes) {
    if (!gone() && !bytes.empty()) take(bytes);
    return Writable(*this);
  }

  // A field behind the content, where the protocol has them (chunked HTTP/1.1, HTTP/2); elsewhere it is dropped. Before
  // the producer ends. See Fields::set for what throws.
  Fields& trailers() noexcept { return trailers_; }

  // For streams that may be silent for long, such as events: whenever nothing was written for `period`, `filler` is (at
  // most 64 bytes are kept), and a client that ends its side counts as gone, which otherwise only half-closes.
  virtual void keep_alive(Milliseconds period, std::string_view filler) = 0;

protected:
  Writer() = default;
  ~Writer() = default;

  virtual void take(std::string_view bytes) = 0;
  // Whether there is room; false makes the producer wait.
  virtual bool writable() const = 0;
  // Resumes `waiting` once, on the loop, when there is room or the client has gone; null: nobody waits any more.
  virtual void when_writable(std::coroutine_handle<> waiting) = 0;
  virtual bool gone() const = 0;

  Fields trailers_;
};

}  // namespace tern
