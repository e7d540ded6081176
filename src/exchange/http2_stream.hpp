// One HTTP/2 request and its answer: the host of an exchange, like an HTTP/1.1 connection.
#pragma once

#include "base/intrusive_list.hpp"
#include "exchange/data_rate.hpp"
#include "exchange/deadline.hpp"
#include "exchange/exchange_host.hpp"
#include "http2/stream.hpp"
#include "net/send_queue.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/problem.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tern::exchange {

class Http2Connection;
class Http2WebSocket;

enum class StreamDeadline : std::uint8_t { None, Content, Handler, Answer, Rest };

constexpr const char* name_of(StreamDeadline deadline) noexcept {
  switch (deadline) {
    case StreamDeadline::None: break;
    case StreamDeadline::Content: return "body";
    case StreamDeadline::Handler: return "handler";
    case StreamDeadline::Answer: return "response";
    case StreamDeadline::Rest: return "rest of a body";
  }
  return nullptr;
}

// Belongs to its Http2Connection. Its exchange is released when the answer has left, so that work after the response
// runs after it; one without a client continues without a stream.
class Http2Stream final : public http2::Stream,
                          public base::IntrusiveList<Http2Stream>::Links,
                          public ExchangeHost,
                          private http2::ContentSource,
                          private Deadline<StreamDeadline> {
public:
  Http2Stream(Http2Connection& connection, HttpExchange& exchange);
  ~Http2Stream();

  static void* operator new(std::size_t size) { return base::allocate_block(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { base::free_block(memory, size); }

  // The session's events.
  void on(http2::StreamEvents happened);
  // The session has closed the stream, or is destroyed.
  void lost();
  // The server stops: an event stream ends.
  void drain();
  // The client has ended its side of the connection: waiting handlers are stopped; complete answers are still sent.
  void client_gone();
  // How long the client may read nothing, zero for no limit; unset if the minimum rate applies.
  std::optional<Milliseconds> patience() const;

private:
  friend class Http2WebSocket;

  // The state of the request.
  enum class State : std::uint8_t { Reading, Serving, Streaming, Sending, WebSocket, Over };
  using Purpose = StreamDeadline;

  bool pull(HttpExchange& exchange) override;
  void content_is_wanted(HttpExchange& exchange) override;
  void wait_for_content() override;
  void inform(Status status, const Fields& fields) override;
  void complete(Response response) override;
  void frame(net::Output& buffer, std::string_view bytes) override { buffer.append(bytes); }
  bool takes_files() const noexcept override { return true; }
  void frame_file(net::Output& buffer, const http::FileRange& range) override;
  void frame_end(net::Output& buffer, const Fields& trailers) override;
  void send_framed(net::Output& buffer) override;
  bool read(std::span<char> into) override;
  std::size_t unsent() const noexcept override { return Stream::unsent(); }
  bool is_open() const noexcept override { return !closed(); }
  void end_stream() override;
  void out_of_memory() noexcept override;
  const net::Address& remote() const noexcept override;
  std::string_view listener() const noexcept override;
  std::string_view scheme() const noexcept override;
  const tls::Session* session() const noexcept override;
  void on_deadline(Purpose purpose) noexcept override;
  void expire(Purpose purpose);

  void begin();
  bool take_complete_content();
  void answer_problem(const Problem& problem);
  void continue_exchange();
  void respond(Response& response);
  void begin_stream(Response& response);
  void begin_websocket(Response& response);
  void on_websocket(http2::StreamEvents happened);
  void end_exchange();
  void wait_for_handler();
  void handler_expired();
  void check_content_rate();
  void check_answer_rate();
  void watch_answer();
  // Whether the client has to read more.
  bool outstanding() const noexcept { return Stream::unsent() != 0 || ending(); }
  MinDataRate data_rate() const;

  Http2Connection& connection_;
  HttpExchange* exchange_;  // null once it was released, or continues without the stream
  std::unique_ptr<Http2WebSocket> websocket_;
  std::unique_ptr<net::SendQueue> queue_;  // output with parts of files, which the session reads
  std::string piece_;                      // of content; the exchange has a view of it
  Progress progress_;                      // of the content, or of this stream's answer
  Progress connection_progress_;           // of all answers of the connection
  std::size_t size_ = 0;                   // of the answer's content
  Status status_ = Status::Ok;
  State state_ = State::Reading;
};

}  // namespace tern::exchange
