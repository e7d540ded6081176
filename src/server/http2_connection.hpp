// The joint for HTTP/2: a connection meets a session, whose streams meet the Service as HTTP/1.1's requests do.
//
// Life of a request. on_bytes() gives the session what arrived, then looks at the streams to which something has
// happened: one with a complete head begins its exchange (Http2Stream). Answers are given to the session, and what it
// makes of all of them leaves at the end of the call, or of the iteration of the loop when an answer comes from
// elsewhere. The session is asked for more only when the socket has taken what it made before, so that priorities hold
// to the last moment, and no more than a few frames wait here.
//
// Reading goes on whatever happens: content that nobody reads is bounded by the windows, and everything else by the
// session. The connection ends when the session is done, idle for too long, or fails.
#pragma once

#include "http2/session.hpp"
#include "net/loop.hpp"
#include "server/protocol.hpp"

#include <tern/coro/executor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <system_error>

namespace tern::server {

class Connection;
class Http2Stream;
class Worker;

class Http2Connection final : public Protocol, private http2::Owner, private net::IterationEnd, private Timer {
public:
  explicit Http2Connection(Connection& connection);
  ~Http2Connection() override;

  std::size_t on_bytes(std::span<const char> bytes) override;
  void on_end() override;
  void on_sent() override;
  void on_closed(std::error_code why) override;
  void drain() override;
  // The longest of the streams'; nothing when one of them has to keep the least rate.
  std::optional<Milliseconds> patience() const override;

  // For the streams.
  Connection& connection() noexcept { return connection_; }
  const Connection& connection() const noexcept { return connection_; }
  Worker& worker() noexcept;
  http2::Session& session() noexcept { return session_; }
  bool peer_ended() const noexcept { return peer_ended_; }
  // Whether anything has come since the call that has left `mark`; and until the next, something will, from a client
  // that is there.
  bool is_heard(std::uint64_t& mark);
  // There is something to send: at the end of the iteration, unless that comes anyway.
  void wake() noexcept;
  // What there is to send leaves now, as far as the socket takes it. What that does to streams is looked at later.
  void push();

private:
  // What the deadline is about.
  enum class Watch : std::uint8_t { None, Greeting, Head, Idle, Drain };

  http2::Stream* open_stream() override;
  void on_iteration_end() noexcept override;
  void expired();
  void on_timer() noexcept override;

  void look();
  bool send_some();
  void flush();
  void give_up(http2::ErrorCode why);
  void lose_streams();
  void watch();
  void watch(Watch what, Milliseconds timeout);

  Connection& connection_;
  http2::Session session_;
  Http2Stream* streams_ = nullptr;
  std::uint64_t deadline_ = 0;
  std::uint64_t heard_ = 0;  // how often something has come
  Watch watch_ = Watch::None;
  bool busy_ = false;      // flush() will be called
  bool finished_ = false;  // the connection comes to its end by itself
  bool peer_ended_ = false;
};

}  // namespace tern::server
