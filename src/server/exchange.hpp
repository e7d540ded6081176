// One request, and what is known of its answer, whatever protocol it came by. Belongs to a worker, which uses it again;
// it outlives its connection when the handler does.
#pragma once

#include "server/exchange_host.hpp"
#include "server/response_stream.hpp"

#include <tern/coro/work.hpp>
#include <tern/http/exchange.hpp>

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace tern::server {

class Connection;
class Worker;

class HttpExchange final : public Exchange {
public:
  HttpExchange(Worker& worker, std::size_t loop_index);
  ~HttpExchange() = default;

  void limit(const Limits& limits) override { limits_ = limits; }
  const Limits& limits() const noexcept override { return limits_; }
  bool readable() override;
  void when_readable(std::coroutine_handle<> waiting) override;
  std::expected<std::string_view, StreamError> read() override;
  bool charge(std::size_t bytes) override;
  void inform(Status status, const Fields& fields) override;
  void report(std::string_view message) override;
  std::string_view remote() override;
  std::uint16_t remote_port() override;
  std::string_view scheme() override;
  const TlsFacts* tls() override;

  // Null once the client is gone.
  ExchangeHost* host() const noexcept { return host_; }
  // Makes a call of the host. Where it finds no memory, the host ends.
  template <class F>
  void attempt(F&& call) noexcept {
    try {
      call();
    } catch (const std::bad_alloc&) {
      if (host_ != nullptr) host_->out_of_memory();
    }
  }

private:
  friend class Connection;
  friend class Http2Stream;
  friend class WebSocketSession;
  friend class Worker;

  // Begins an exchange, whose head has just been filled. Its views need only hold until start().
  void begin(ExchangeHost& host, const Limits& limits);
  // Takes what trusted proxies say about their client.
  void look_behind_proxies();
  // What the head consists of lives in the arena already.
  void head_is_pinned() noexcept { pinned_ = true; }
  // Starts the task of a reply that is not ready. True when it came to its end at once: the answer is its result;
  // otherwise ExchangeHost::complete() follows.
  bool start(ResponseTask task);
  static void on_done(void* exchange);
  // Starts making the content of a response. True when the end has come at once; otherwise ExchangeHost::end_stream()
  // follows.
  bool start_stream(Response& response);
  static void on_streamed(void* exchange);
  // The client is gone: the stop token fires, and whoever waits for content is told.
  void disconnect() noexcept;
  // The same for an exchange that may not have come that far: one whose answer nobody is making is given back.
  void leave_host() noexcept;
  // Content is there, or will never be: resumes the one who waits.
  void wake();
  void fail(const StreamError& error) noexcept { error_ = error; }
  // Room for at least `size` bytes more of content to be collected, of which `waiting` have come and were not received:
  // all that is announced, in a string that was used before, once a sixteenth has come, or as make_room() does.
  void prepare(std::size_t size, std::size_t waiting);
  // Copies a trailer; without memory for it the content fails.
  void keep_trailer(const Field& trailer) noexcept;
  // The bytes that were received are about to go: copies what of them nobody has read yet.
  void keep_chunk();
  void reset() noexcept;

  Worker& worker_;
  HttpExchange* next_ = nullptr;            // among the worker's free ones
  ExchangeHost* host_ = nullptr;            // null once the client is gone
  ResponseTask task_;                       // while the answer is being made
  std::unique_ptr<ResponseStream> stream_;  // while content is made
  Status status_ = Status::Ok;              // of a streamed response
  base::Box<coro::Work> after_;             // what runs when this exchange is given back
  bool in_progress_ = false;                // a coroutine makes the answer, or its content
  std::coroutine_handle<> waiting_;
  std::string_view chunk_;
  bool ended_ = false;  // the content is complete
  bool asked_ = false;  // somebody wants the content
  std::optional<StreamError> error_;
  Limits limits_;
  std::uint64_t received_ = 0;  // bytes of content
  std::size_t charged_ = 0;
  std::uint64_t started_ = 0;  // by the access log's clock, in microseconds
  std::string remote_;
  TlsFacts* tls_ = nullptr;           // in the arena, once asked for
  std::string_view scheme_ = "http";  // a literal
  std::uint16_t port_ = 0;            // of the client, when `told_`
  bool told_ = false;                 // by proxies: remote_, port_ and scheme_
};

}  // namespace tern::server
