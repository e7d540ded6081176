// One HTTP/2 request and its answer: what an exchange meets in place of an HTTP/1.1 connection.
#pragma once

#include "http2/stream.hpp"
#include "server/exchange_host.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern::server {

class Http2Connection;
class Http2WebSocket;

// Belongs to its Http2Connection. Its exchange is given back when the answer has left, so that what belongs behind the
// answer comes behind it; one that the client does not wait for any more goes its own way.
class Http2Stream final : public http2::Stream, public ExchangeHost, private Timer {
public:
  Http2Stream(Http2Connection& connection, HttpExchange& exchange);
  ~Http2Stream();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // What the session tells.
  void on(http2::Happened happened);
  // The session knows the stream no more, or is no more.
  void lost();
  // The server stops: a stream of events ends.
  void drain();
  // The client has ended its side of the connection: what waits is stopped, and what is answered is still sent.
  void client_gone();
  // How long the client may take nothing, zero being for ever; nothing where the least rate holds.
  std::optional<Milliseconds> patience() const;

  Http2Stream* next = nullptr;  // in the connection's list
  Http2Stream** previous = nullptr;

private:
  friend class Http2WebSocket;

  // What is done about the request.
  enum class State : std::uint8_t { Reading, Serving, Streaming, Sending, Carrying, Over };
  enum class Watch : std::uint8_t { None, Content, Handler, Answer, Rest };

  bool pull(HttpExchange& exchange) override;
  void content_is_wanted(HttpExchange& exchange) override;
  void wait_for_content() override;
  void inform(Status status, const Fields& fields) override;
  void complete(Response response) override;
  void frame(net::Output& buffer, std::string_view bytes) override { buffer.append(bytes); }
  void frame_end(net::Output& buffer, const Fields& trailers) override;
  void send_framed(net::Output& buffer) override;
  std::size_t unsent() const noexcept override { return Stream::unsent(); }
  bool is_open() const noexcept override { return !closed(); }
  void end_stream() override;
  void out_of_memory() noexcept override;
  const net::Address& remote() const noexcept override;
  std::string_view scheme() const noexcept override;
  const tls::Session* session() const noexcept override;
  void on_timer() noexcept override;
  void expired();

  void begin();
  void answer_problem(const Problem& problem);
  void continue_exchange();
  void respond(Response& response);
  void begin_stream(Response& response);
  void carry_websocket(Response& response);
  void carry(http2::Happened happened);
  void end_exchange();
  void wait_for_handler();
  void handler_expired();
  void check_content_rate();
  void check_answer_rate();
  void watch(Watch what, Milliseconds timeout);
  void watch_answer();
  // Whether the client has to take more of us.
  bool outstanding() const noexcept { return Stream::unsent() != 0 || ending(); }
  Milliseconds rate_period() const;
  bool fast_enough(std::uint64_t bytes) const;

  Http2Connection& connection_;
  HttpExchange* exchange_;  // null once it was given back, or goes its own way
  std::unique_ptr<Http2WebSocket> websocket_;
  std::string piece_;  // of content, that the exchange has a view of
  std::uint64_t deadline_ = 0;
  std::uint64_t seen_ = 0;        // of this stream, by the last check of a rate
  std::uint64_t seen_all_ = 0;    // of the connection
  std::uint64_t progressed_ = 0;  // when the client was last seen to take something of this stream
  std::size_t size_ = 0;          // of the answer's content
  Status status_ = Status::Ok;
  State state_ = State::Reading;
  Watch watch_ = Watch::None;
};

}  // namespace tern::server
