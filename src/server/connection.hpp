// The joint: a socket meets the HTTP/1.1 core, or another protocol, and a Service.
//
// Life of a connection. The worker opens it with an accepted socket. on_bytes() gives the core what arrived and takes
// its events: each Request becomes an exchange that the service serves; an answer that is ready at once is written into
// the worker's output and the next request of the pipeline is looked at, and at the end of the call everything written
// leaves in one send. An answer that is not ready makes the connection wait: the socket is not read meanwhile, unless
// the handler asks for content. When the answer comes, it is sent and the kept bytes are presented again. The
// connection ends by shutting its side down and, where the peer may still be sending, reading on for a moment, so that
// the last answer is not lost to a reset (RFC 9112, section 9.6). on_closed() deletes it.
//
// A connection that has become() another protocol hands it everything; the socket, the way it ends, and the least rate
// of the peer's reading stay here.
#pragma once

#include "http1/connection.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "server/exchange_host.hpp"
#include "server/memory_budget.hpp"
#include "server/protocol.hpp"
#include "server/transport.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>

namespace tern::server {

class HttpExchange;
class Worker;

// Gives an exchange back to its worker.
struct ReleaseExchange {
  Worker* worker;
  void operator()(HttpExchange* exchange) const noexcept;
};
using HeldExchange = std::unique_ptr<HttpExchange, ReleaseExchange>;

class Connection final : private TransportHandler, private Timer, private ExchangeHost {
public:
  explicit Connection(Worker& worker);
  ~Connection();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  void open(net::Descriptor socket, const net::Address& remote, const Manner& manner);
  // The server stops: answers the requests that have arrived, the last of them with `Connection: close`. A connection
  // that is idle stays open for Settings::drain_idle, for a request that is on its way.
  void drain();
  // Ends it at once.
  void abort() { stream_.abort(); }
  // Makes a call that does not come from the stream (a timer, the end of a handler, a drain). Where it finds no memory
  // (std::bad_alloc), this connection ends, and nothing else. (Calls from the stream end with it in net::Stream.)
  void out_of_memory() noexcept override;
  template <class F>
  void attempt(F&& call) noexcept {
    try {
      call();
    } catch (const std::bad_alloc&) {
      out_of_memory();
    }
  }
  // Sends what this connection has written into the worker's output; for the worker, when another wants to write.
  void send(net::Output& output) { stream_.send(output); }

  const net::Address& remote() const noexcept override { return stream_.remote(); }
  std::string_view scheme() const noexcept override { return stream_.is_secure() ? "https" : "http"; }
  const tls::Session* session() const noexcept override { return stream_.session(); }

  // Hands the connection over to `protocol`, between two exchanges. The bytes behind what HTTP/1.1 has consumed are its
  // first.
  void become(std::unique_ptr<Protocol> protocol);

  // For the protocol that has taken over.
  Worker& worker() noexcept { return worker_; }
  Transport& stream() noexcept { return stream_; }
  net::Output& output();
  // Sends what is in output(), and watches that the peer reads it.
  void flush();
  // The last has been written: sends it, ends our side, and closes when the peer has ended its own, or soon after. The
  // protocol is given nothing any more but on_closed().
  void finish();

private:
  friend class Worker;

  // What the deadline is about.
  enum class Watch : std::uint8_t { None, Idle, Head, Body, Handler, Answer, Drain, Linger };

  std::size_t on_bytes(std::span<const char> bytes) override;
  bool on_direct_receive() override;
  void on_end() override;
  void on_hang_up() override;
  void on_sent() override;
  void on_closed(std::error_code why) override;
  void on_secured() override;
  void on_refused() override;
  void on_timer() noexcept override;

  void process();
  void begin(HeldExchange held);
  void refuse(HeldExchange exchange);
  bool speaks_http2() const;
  void answer_problem(HeldExchange held, const Problem& problem);
  void continue_exchange();
  bool receives_directly() const noexcept;
  void take_content(std::string& whole);
  void resume_reading();
  bool begin_stream(Response& response);
  // A 101: answers the handshake, and has what the response brings take over. In websocket_upgrade.cpp.
  void switch_protocol(Response& response);

  bool pull(HttpExchange& exchange) override;
  void content_is_wanted(HttpExchange& exchange) override;
  void wait_for_content() override;
  void inform(Status status, const Fields& fields) override;
  void complete(Response response) override;
  void frame(net::Output& buffer, std::string_view bytes) override { protocol_.write(buffer.text(), bytes); }
  void frame_end(net::Output& buffer, const Fields& trailers) override { protocol_.finish(buffer.text(), &trailers); }
  void send_framed(net::Output& buffer) override;
  std::size_t unsent() const noexcept override { return stream_.unsent(); }
  bool is_open() const noexcept override { return stream_.is_open(); }
  void end_stream() override;
  void end_exchange(Status status, std::size_t bytes);
  http1::ResponseHead head_of(const Response& response);
  bool is_last_of_drain();
  bool has_more_requests() const;
  void respond(Response& response);
  void replace(Response& response);
  bool lacks_room(const Response& response) const;
  void update_held();
  void write_response(Response& response);
  void after_answer();
  void linger();
  std::size_t swallow(std::size_t bytes);

  void watch(Watch what, Milliseconds timeout);
  void watch_answer();
  void watch_protocol();
  bool ends_with_client() const noexcept;
  void client_gone();
  void expired();
  void drain_expired();
  void head_expired();
  void handler_expired();
  void wait_for_handler();
  void check_content_rate();
  void check_answer_rate();
  bool hogs_memory(std::uint64_t read) const;
  Milliseconds rate_period() const;
  std::optional<Milliseconds> patience() const;

  Worker& worker_;
  Transport stream_;
  http1::Connection protocol_;
  HeldBytes held_;                    // by what the peer has not read
  HttpExchange* exchange_ = nullptr;  // in progress
  std::unique_ptr<Protocol> other_;   // what has taken over from protocol_
  Connection* next_ = nullptr;        // in the worker's list
  Connection** previous_ = nullptr;
  std::uint64_t deadline_ = 0;
  std::uint64_t armed_for_ = 0;   // when the timer will go off
  std::uint64_t seen_ = 0;        // by the last check of a rate
  std::uint64_t progressed_ = 0;  // when the peer was last seen to take something
  std::uint32_t swallowed_ = 0;   // bytes while lingering
  std::uint16_t drained_ = 0;     // answers since the drain began
  Watch watch_ = Watch::None;
  bool in_window_ : 1 = false;  // inside on_bytes(): the core's view of the bytes is valid
  bool blocked_ : 1 = false;    // waits for the peer to read what is queued
  bool closing_ : 1 = false;    // the last answer is written
  bool served_ : 1 = false;     // has been answered once
  bool peer_ended_ : 1 = false;
};

static_assert(sizeof(Connection) <= 384);

}  // namespace tern::server
