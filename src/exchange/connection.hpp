// Connects a socket to the HTTP/1.1 core, or to another protocol, and to a Service.
//
// Lifecycle of a connection. The worker opens it with an accepted socket. on_bytes() passes received bytes to the core
// and handles its events: each Request becomes an exchange that the service serves. An answer that is ready at once is
// written into the worker's output, and the next request of the pipeline is parsed; at the end of the call all output
// leaves in one send. An answer that is not ready makes the connection wait: the socket is not read meanwhile, unless
// the handler requests content. When the answer is ready, it is sent and the kept bytes are presented again. The
// connection ends by shutting down its side; if the peer may still be sending, it is read for a moment, so that a reset
// does not discard the last answer (RFC 9112, section 9.6). on_closed() deletes it.
//
// A connection that has become() another protocol passes all events to it; the socket, its closing, and the minimum
// rate at which the peer reads stay here.
#pragma once

#include "base/intrusive_list.hpp"
#include "exchange/data_rate.hpp"
#include "exchange/deadline.hpp"
#include "exchange/exchange_host.hpp"
#include "exchange/loop_counters.hpp"
#include "exchange/memory_budget.hpp"
#include "exchange/protocol.hpp"
#include "http1/connection.hpp"
#include "net/loop.hpp"
#include "net/output.hpp"
#include "transport/transport.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/exchange.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <system_error>

namespace tern::exchange {

class HttpExchange;
class LoopContext;

// Returns an exchange to its loop.
struct ReleaseExchange {
  LoopContext* context;
  void operator()(HttpExchange* exchange) const noexcept;
};
using HeldExchange = std::unique_ptr<HttpExchange, ReleaseExchange>;

enum class ConnectionDeadline : std::uint8_t { None, Idle, Head, Body, Handler, Answer, Drain, Linger };

constexpr const char* name_of(ConnectionDeadline deadline) noexcept {
  switch (deadline) {
    case ConnectionDeadline::None: break;
    case ConnectionDeadline::Idle: return "keep-alive";
    case ConnectionDeadline::Head: return "head";
    case ConnectionDeadline::Body: return "body";
    case ConnectionDeadline::Handler: return "handler";
    case ConnectionDeadline::Answer: return "response";
    case ConnectionDeadline::Drain: return "drain";
    case ConnectionDeadline::Linger: return "linger";
  }
  return nullptr;
}

class Connection final : public base::IntrusiveList<Connection>::Links,
                         private transport::TransportHandler,
                         private Deadline<ConnectionDeadline>,
                         private ExchangeHost {
public:
  explicit Connection(LoopContext& context);
  ~Connection();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  void open(net::Descriptor socket, const net::Address& remote, const transport::ConnectionConfig& config);
  // The server stops: answers the received requests, the last of them with `Connection: close`. An idle connection
  // stays open for Settings::drain_idle, for a request in transit.
  void drain();
  // Closes at once.
  void abort() { stream_.abort(); }
  // Runs a call that does not come from the stream (a timer, the end of a handler, a drain). If an allocation fails
  // (std::bad_alloc), only this connection ends. (Calls from the stream do the same in net::Stream.)
  void out_of_memory() noexcept override;
  template <class F>
  void attempt(F&& call) noexcept {
    try {
      call();
    } catch (const std::bad_alloc&) {
      out_of_memory();
    }
  }
  // Sends the output of this connection; called by the worker when another connection wants to write.
  void send(net::Output& output) { stream_.send(output); }

  const net::Address& remote() const noexcept override { return stream_.remote(); }
  std::string_view listener() const noexcept override { return *listener_; }
  std::string_view scheme() const noexcept override { return stream_.is_secure() ? "https" : "http"; }
  const tls::Session* session() const noexcept override { return stream_.session(); }

  // Hands the connection over to `protocol`, between two exchanges. Its first bytes are those that HTTP/1.1 has not
  // consumed.
  void become(std::unique_ptr<Protocol> protocol, Spoken spoken);

  // For the protocol that has taken over.
  LoopContext& context() noexcept { return context_; }
  transport::Transport& stream() noexcept { return stream_; }
  net::Output& begin_writing();
  // Sends the contents of begin_writing(), and monitors that the peer reads them.
  void flush();
  // All output has been written: sends it, shuts down the server's side, and closes when the peer has ended its own, or
  // soon after. The only further call to the protocol is on_closed().
  void finish();

private:
  using Purpose = ConnectionDeadline;

  std::size_t on_bytes(std::span<const char> bytes) override;
  bool on_direct_receive() override;
  void on_end() override;
  void on_hang_up() override;
  void on_sent() override;
  void on_closed(std::error_code why) override;
  void on_secured() override;
  void on_refused() override;
  void on_deadline(Purpose purpose) noexcept override;

  void process();
  void begin(HeldExchange held);
  void refuse(HeldExchange exchange);
  bool speaks_http2() const;
  void answer_problem(HeldExchange held, const Problem& problem);
  void answer(HeldExchange held, Response response, bool observed);
  void speak(Spoken spoken) noexcept;
  void continue_exchange();
  bool receives_directly() const noexcept;
  void take_content(std::string& whole);
  void resume_reading();
  bool begin_stream(Response& response);
  // A 101: answers the handshake, and hands over to the protocol of the response. In websocket_upgrade.cpp.
  void switch_protocol(Response& response);

  bool pull(HttpExchange& exchange) override;
  void content_is_wanted(HttpExchange& exchange) override;
  void wait_for_content() override;
  void inform(Status status, const Fields& fields) override;
  void complete(Response response) override;
  void frame(net::Output& buffer, std::string_view bytes) override { protocol_.write(buffer.text(), bytes); }
  bool takes_files() const noexcept override { return protocol_.counts_content(); }
  void frame_file(net::Output& buffer, const http::FileRange& range) override;
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
  void update_held();
  void write_response(Response& response);
  void after_answer();
  void linger();
  std::size_t swallow(std::size_t bytes);

  void watch_answer();
  void watch_protocol();
  bool ends_with_client() const noexcept;
  void client_gone();
  void expire(Purpose purpose);
  void drain_expired();
  void head_expired();
  void handler_expired();
  void wait_for_handler();
  void check_content_rate();
  void check_answer_rate();
  bool hogs_memory(std::uint64_t read) const;
  std::optional<Milliseconds> patience() const;

  LoopContext& context_;
  transport::Transport stream_;
  http1::Connection protocol_;
  HeldBytes held_;                         // by output that the peer has not read
  HttpExchange* exchange_ = nullptr;       // in progress
  std::unique_ptr<Protocol> other_;        // the protocol that has replaced protocol_
  const std::string* listener_ = nullptr;  // its name, in the worker
  Progress progress_;                      // of the content, or of the answer
  std::uint32_t swallowed_ = 0;            // bytes while lingering
  std::uint16_t drained_ = 0;              // answers since the drain began
  Spoken spoken_ = Spoken::Http1;
  bool in_window_ : 1 = false;  // inside on_bytes(): the core's view of the bytes is valid
  bool blocked_ : 1 = false;    // waits for the peer to read what is queued
  bool closing_ : 1 = false;    // the last answer is written
  bool served_ : 1 = false;     // has been answered once
  bool peer_ended_ : 1 = false;
};

static_assert(sizeof(Connection) <= 384);

}  // namespace tern::exchange
