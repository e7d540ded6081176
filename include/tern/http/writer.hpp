// Writer: the output of a streamed response.
#pragma once

#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/task.hpp>
#include <tern/coro/waiter.hpp>
#include <tern/http/fields.hpp>

#include <string_view>

namespace tern {

class Writer;

namespace http {
struct FileRange;
class StreamTopics;
class TopicSubscriptions;
Task<> write_file(Writer& writer, const FileRange& range);

// Codes the content of a streamed response (RFC 9110, section 8.4). The views are valid until the next call.
class ContentEncoder {
public:
  // What can be sent so far; the rest is kept until a later call.
  virtual std::string_view encode(std::string_view bytes) = 0;
  // What was kept: the client can decode everything up to here. Empty if nothing was encoded since the last call.
  virtual std::string_view flush() = 0;

protected:
  ~ContentEncoder() = default;
};
}  // namespace http

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
    const char* what() const noexcept override { return "client"; }
    bool ready() noexcept override { return writer_.gone() || writer_.writable(); }
    bool enter() noexcept override {
      writer_.waiting_.push(*this);
      writer_.on_wait();
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

  // Sends `bytes`: co_await writer.write(text). Copies them during the call; the await waits for room, which appears as
  // the client reads. Throws Cancelled from the await when the client has disconnected. Pieces of one iteration of the
  // loop are sent together.
  Written write(std::string_view bytes) {
    if (!gone() && !bytes.empty()) take(bytes);
    return {*this};
  }

  // Trailer fields, if the protocol supports them (chunked HTTP/1.1, HTTP/2); otherwise ignored. To be set before the
  // producer ends. See Fields::set for exceptions.
  Fields& trailers() noexcept { return trailers_; }

  // For producers that wrap another: from now on the content passes through `encoder`, fillers of keep_alive()
  // included, and is flushed at the end of each iteration. Null: no longer. It must outlive this writer, or be removed.
  void encode_with(http::ContentEncoder* encoder) noexcept { encoder_ = encoder; }

  // For streams that may be silent for long, such as events: writes `filler` (at most 64 bytes) whenever nothing was
  // written for `period`. A client that ends its sending side then counts as disconnected, also with
  // Limits::half_close.
  virtual void keep_alive(Milliseconds period, std::string_view filler) = 0;

  // For EventStream: subscriptions whose publications `topics` takes. Throws std::logic_error where there are no
  // topics.
  virtual base::Box<http::TopicSubscriptions> topic_subscriptions(http::StreamTopics& topics);

protected:
  Writer() = default;
  ~Writer() = default;

  virtual void take(std::string_view bytes) = 0;
  // Whether take_file() may be called: content is sent as it is in the file.
  virtual bool takes_files() const { return false; }
  // Sends a part of a file whose content the kernel has in memory.
  virtual void take_file(const http::FileRange&) {}
  // Whether there is room; false makes the producer wait.
  virtual bool writable() const = 0;
  virtual bool gone() const = 0;
  // A coroutine waits. The implementation calls wake_waiters() when there is room or the client has disconnected, but
  // not from within this call.
  virtual void on_wait() noexcept {}

  bool encodes() const noexcept { return encoder_ != nullptr; }
  // For take(): what is to be sent for `bytes`, and at the end of an iteration. May be empty.
  std::string_view encoded(std::string_view bytes) { return encoder_ == nullptr ? bytes : encoder_->encode(bytes); }
  std::string_view flushed() { return encoder_ == nullptr ? std::string_view() : encoder_->flush(); }

  // Resumes all waiting coroutines, at their turns.
  void wake_waiters() noexcept {
    while (WriteWait* waiting = waiting_.pop()) waiting->wake();
  }

  Fields trailers_;

private:
  friend Task<> http::write_file(Writer& writer, const http::FileRange& range);

  coro::List<WriteWait> waiting_;
  http::ContentEncoder* encoder_ = nullptr;
};

}  // namespace tern
