// Connects a connection to an HTTP/2 session, and its streams to the Service.
//
// Lifecycle of a request. on_bytes() passes received bytes to the session, then looks at the streams with events: one
// with a complete head begins its exchange (Http2Stream). Answers are given to the session, and their frames leave at
// the end of the call, or of the iteration of the loop for an answer that is ready later. The session is asked for more
// only when the socket has accepted its last output, so that priorities apply as late as possible, and only a few
// frames wait here.
//
// Reading always continues: unread content is bounded by the windows, and everything else by the session. The
// connection ends when the session is done, idle for too long, or fails.
#pragma once

#include "base/intrusive_list.hpp"
#include "exchange/deadline.hpp"
#include "exchange/protocol.hpp"
#include "http2/session.hpp"
#include "net/loop.hpp"

#include <tern/coro/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

namespace tern::exchange {

class Connection;
class Http2Stream;
class LoopContext;

enum class Http2Deadline : std::uint8_t { None, Greeting, Head, Idle, Drain };

constexpr const char* name_of(Http2Deadline deadline) noexcept {
  switch (deadline) {
    case Http2Deadline::None: break;
    case Http2Deadline::Greeting: return "HTTP/2 preface";
    case Http2Deadline::Head: return "HTTP/2 head";
    case Http2Deadline::Idle: return "HTTP/2 keep-alive";
    case Http2Deadline::Drain: return "drain";
  }
  return nullptr;
}

class Http2Connection final : public Protocol,
                              private http2::StreamFactory,
                              private net::IterationEnd,
                              private Deadline<Http2Deadline> {
public:
  explicit Http2Connection(Connection& connection);
  ~Http2Connection() override;

  std::size_t on_bytes(std::span<const char> bytes) override;
  void on_end() override;
  void on_sent() override;
  void on_closed(std::error_code why) override;
  void drain() override;
  // The longest of the streams'; unset if one of them has to keep the minimum rate.
  std::optional<Milliseconds> patience() const override;

  // For the streams.
  Connection& connection() noexcept { return connection_; }
  const Connection& connection() const noexcept { return connection_; }
  LoopContext& context() noexcept;
  http2::Session& session() noexcept { return session_; }
  bool peer_ended() const noexcept { return peer_ended_; }
  // Sends a PING. Whether bytes have arrived since the previous call with this mark; its PING was answered then, if the
  // client is alive.
  bool is_heard(std::uint64_t& mark);
  // There is output: sends it at the end of the iteration.
  void wake() noexcept;
  // Sends output now, as far as the socket accepts it. Its effects on streams are handled later.
  void push();

private:
  using Purpose = Http2Deadline;

  http2::Stream* open_stream() override;
  void on_iteration_end() noexcept override;
  void on_deadline(Purpose purpose) noexcept override;
  void expire(Purpose purpose);

  void look();
  bool send_some();
  void flush();
  void give_up(http2::ErrorCode why);
  void lose_streams();
  void watch();
  void count() noexcept;

  Connection& connection_;
  http2::Session session_;
  std::size_t resets_received_ = 0;  // of those that were counted
  std::size_t resets_sent_ = 0;
  bool counted_busy_ = false;
  bool counted_fault_ = false;
  base::IntrusiveList<Http2Stream> streams_;
  std::uint64_t heard_ = 0;  // number of receives
  bool busy_ = false;        // flush() will be called
  bool finished_ = false;    // the connection ends on its own
  bool peer_ended_ = false;
};

}  // namespace tern::exchange
