// One request and its answer, independent of the protocol. Belongs to a loop, which reuses it; it outlives its
// connection if the handler does.
#pragma once

#include "exchange/exchange_host.hpp"
#include "exchange/loop_counters.hpp"
#include "exchange/response_stream.hpp"
#include "websockets/retained_request.hpp"

#include <tern/coro/wait_log.hpp>
#include <tern/coro/work.hpp>
#include <tern/http/exchange.hpp>

#include <coroutine>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>

namespace tern::exchange {

class LoopContext;

class HttpExchange final : public Exchange, public websockets::RetainedRequest {
public:
  HttpExchange(LoopContext& context, std::size_t loop_index);
  ~HttpExchange() = default;

  void limit(const Limits& limits) override { limits_ = limits; }
  const Limits& limits() const noexcept override { return limits_; }
  bool charge(std::size_t bytes) override;
  void inform(Status status, const Fields& fields) override;
  void log(const http::LogLine& line) override;
  void note_shed() noexcept override;
  std::string_view remote() override;
  std::uint16_t remote_port() override;
  std::string_view listener() override;
  std::string_view scheme() override;
  bool from_trusted_proxy() override { return peer_is_trusted_; }
  const TlsFacts* tls() override;

  // --- For its host, in this order ---

  // Begins an exchange, whose head has just been filled. The views in the head need only be valid until start().
  // Observers do not see an exchange that only answers for another.
  void begin(ExchangeHost& host, Spoken spoken, bool observed = true);
  // The head was read into the arena.
  void head_is_pinned() noexcept { pinned_ = true; }
  // The content is complete: `bytes`, valid as long as the head's views.
  void set_content(std::string_view bytes) noexcept;
  // More content may follow; `announced` bytes if the client said so, otherwise 0.
  void expect_content(std::uint64_t announced) noexcept;
  // Has the service handle it.
  Reply serve();
  // Starts the task of a reply that is not ready. Returns the response if it is ready at once, in `reply`; otherwise
  // null, and ExchangeHost::complete() follows.
  Response* start(Reply& reply);

  // A piece of content, valid until the handler suspends or keep_chunk() is called.
  void offer_content(std::string_view bytes) noexcept;
  // So many bytes were appended to the collected content.
  void add_collected(std::size_t count) noexcept;
  void end_content() noexcept { ended_ = true; }
  void fail(const StreamError& error) noexcept;
  // Whether the end of the content or an error has been reported.
  bool content_settled() const noexcept { return ended_ || error_.has_value(); }
  bool has_failed() const noexcept { return error_.has_value(); }
  // Whether the handler waits for content.
  bool awaits_content() const noexcept { return waiting_ != nullptr; }
  // Whether it waits for the complete content, to be collected in Request::collected_body().
  bool awaits_whole_content() const noexcept { return awaits_content() && collecting() && !has_failed(); }
  // Resumes the handler that waits for content.
  void wake();
  // Bytes of content so far.
  std::uint64_t received() const noexcept { return received_; }
  // Room for at least `size` bytes more of content to be collected, of which `waiting` have come and were not received:
  // all that is announced, in a string that was used before, once a sixteenth has come, or as make_room() does.
  void prepare(std::size_t size, std::size_t waiting);
  // Copies a trailer; without memory for it the content fails.
  void keep_trailer(const Field& trailer) noexcept;
  // The received bytes are about to be overwritten: copies the part that was not read.
  void keep_chunk();

  // The response to this request for an error of the server, in place of the service's.
  Response refuse_instead(const Problem& problem) noexcept;
  // Replaces a response whose status is not final.
  void ensure_final(Response& response);
  // Takes the work that runs after the response that is sent.
  void defer(Response& response) noexcept;
  // How many bytes of `response` are not counted yet as memory for contents. Zero for a small one.
  std::size_t uncounted_bytes(const Response& response) const noexcept;
  // Starts the producer of a response. True when it has ended at once; otherwise ExchangeHost::end_stream() follows.
  bool start_stream(Response& response);
  // Null while no producer runs.
  LoopContext& context() noexcept { return context_; }
  ResponseStream* stream() noexcept { return stream_.get(); }
  const ResponseStream* stream() const noexcept { return stream_.get(); }
  void end_stream() noexcept { stream_.reset(); }
  Status streamed_status() const noexcept { return status_; }
  bool is_event_stream() const noexcept { return stream_ && stream_->ends_with_peer(); }
  // Stops the handler, or the producer.
  void stop_handler() noexcept { stop_.stop(); }
  // Keeps the memory of a response for the next.
  using Exchange::give_scratch;
  // The request has its response: observers learn it, and the access log does if `logged`.
  void complete(Status status, std::size_t bytes, bool logged = true);
  // The same, and returns the exchange to its loop.
  void finish(Status status, std::size_t bytes);

  // The client has disconnected: the stop token fires, and a wait for content ends.
  void disconnect() noexcept override;
  // The same for an exchange that may not have begun: one without a running handler is released.
  void leave_host() noexcept;
  // Returns it to its loop.
  void release() noexcept override;

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

  // --- For its loop ---

  base::Box<coro::Work> take_after() noexcept { return std::move(after_); }
  // By LoopContext::nanoseconds(); 0 if nothing needs it.
  std::uint64_t started() const noexcept { return started_; }
  // What its handler or producer waits for; null: it does not wait, or that is not known.
  const char* awaited() const noexcept;
  const coro::WaitLog& waits() const noexcept { return wait_log_; }
  // Of all requests of its loop.
  std::uint64_t number() const noexcept { return number_; }
  // Between begin() and complete(), or its end.
  bool in_flight() const noexcept { return in_flight_; }
  void reset() noexcept;

private:
  bool has_received() override;
  void when_received(std::coroutine_handle<> waiting) override;
  std::expected<std::string_view, StreamError> take_received() override;
  // Applies the client address and scheme from trusted proxies.
  void look_behind_proxies();
  bool start(ResponseTask task);
  void abandon() noexcept;
  void begin_timing();
  void end_timing(Status status, std::size_t bytes, bool logged);
  void replace_status(Response& response);
  void log_slow(Status status, std::size_t bytes, std::uint64_t nanoseconds);
  static void on_done(void* exchange);
  static void on_streamed(void* exchange);

  LoopContext& context_;
  ExchangeHost* host_ = nullptr;            // null once the client is gone
  coro::WaitLog wait_log_;                  // outlives the next two
  ResponseTask task_;                       // while the handler runs
  std::unique_ptr<ResponseStream> stream_;  // while a producer runs
  Status status_ = Status::Ok;              // of a streamed response
  base::Box<coro::Work> after_;             // runs when this exchange is released
  bool in_progress_ = false;                // a coroutine produces the answer, or its content
  std::coroutine_handle<> waiting_;
  std::string_view chunk_;
  bool ended_ = false;  // the content is complete
  bool asked_ = false;  // the handler wants the content
  std::optional<StreamError> error_;
  Limits limits_;
  std::uint64_t received_ = 0;  // bytes of content
  std::size_t charged_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t answered_ = 0;  // when its response began; 0: not yet, or nothing needs it
  std::uint64_t queued_ = 0;    // nanoseconds of the iteration before its begin
  std::uint64_t number_ = 0;
  std::string remote_;
  std::string_view listener_;         // once the host is gone
  TlsFacts* tls_ = nullptr;           // in the arena, on first use
  std::string_view scheme_ = "http";  // a literal
  std::uint16_t port_ = 0;            // of the client, when `from_proxy_`
  Spoken spoken_ = Spoken::Http1;
  bool in_flight_ = false;
  bool observed_ = false;
  bool from_proxy_ = false;  // remote_, port_ and scheme_
  bool peer_is_trusted_ = false;
};

}  // namespace tern::exchange
