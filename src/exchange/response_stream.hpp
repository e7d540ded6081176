// A streamed response: the Writer of its producer. Exists while the producer runs.
#pragma once

#include "net/loop.hpp"
#include "net/output.hpp"

#include <tern/base/box.hpp>
#include <tern/coro/executor.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/response.hpp>
#include <tern/http/writer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::exchange {

class HttpExchange;

// Pieces are framed into a buffer as they are written, and sent at the end of the iteration, or earlier if there are
// many. The producer waits while more than `max_waiting` bytes wait for the client.
class ResponseStream final : public Writer, private net::IterationEnd, private Timer, private Turn {
public:
  ResponseStream(HttpExchange& exchange, net::Loop& loop, base::Box<http::Producer> producer);
  ~ResponseStream();

  // Starts the producer. True when it has ended already; otherwise `call(context)` follows.
  bool start(StopState& stop, void (*call)(void*), void* context);
  // After the end: whether the content is complete. An exception of the producer is reported; a stopped producer counts
  // as successful if `may_stop`.
  bool succeeded(bool may_stop) noexcept;
  // Frames and sends the end of the content.
  void finish();

  // Passes the buffered bytes to the host.
  void flush();
  // There may be room again, or the client has disconnected: resumes the producer.
  void wake();
  // Whether a client that has ended its side counts as disconnected.
  bool ends_with_peer() const noexcept { return keep_alive_.count() != 0; }
  std::uint64_t bytes() const noexcept { return bytes_; }

  void keep_alive(Milliseconds period, std::string_view filler) override;
  base::Box<http::TopicSubscriptions> topic_subscriptions(http::StreamTopics& topics) override;

private:
  void take(std::string_view bytes) override;
  bool takes_files() const override;
  void take_file(const http::FileRange& range) override;
  void frame(std::string_view bytes);
  bool writable() const override;
  void on_wait() noexcept override;
  bool gone() const override;
  void on_iteration_end() noexcept override;
  void on_timer() noexcept override;
  TimerPurpose purpose() const noexcept override { return {.what = "event stream keep-alive"}; }
  void on_turn() noexcept override;

  HttpExchange& exchange_;
  net::Loop& loop_;
  base::Box<http::Producer> producer_;
  Task<> task_;
  net::Output buffer_;
  std::uint64_t bytes_ = 0;     // of content
  std::size_t turn_bytes_ = 0;  // of content, since other connections had their turn
  Milliseconds keep_alive_{0};
  std::string filler_;
  bool quiet_ = true;  // nothing was written since the timer was armed
};

}  // namespace tern::exchange
