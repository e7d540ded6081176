// The implementation of RedisBus: a queue of publications, and a task that maintains a session with Redis.
//
// Life of a publication: publish() encodes it into the queue and posts flush() to the loop; flush() passes it to the
// session; once Redis has acknowledged it, its bytes are free in the queue. Publications that are not acknowledged when
// a session is lost are not sent again: they may have arrived.
#pragma once

#include "base/backoff.hpp"
#include "redis/envelope.hpp"
#include "redis/session.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>
#include <tern/redis/bus.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

namespace tern {

class RedisBus::Publisher final : public redis::Session::Observer {
public:
  explicit Publisher(RedisOptions options) : options_(std::move(options)) {}
  ~Publisher() { end(); }

  Task<> start(BusHost& host);
  PublishStatus publish(const Publication& publication);
  Task<> stop();
  BusStatistics statistics() const;
  void end() noexcept;

private:
  Task<> run_sessions();
  Task<std::string> connect();
  Task<std::string> serve_session();
  void connected();
  void disconnected() noexcept;
  void log_fault(const std::string& fault);
  Milliseconds next_backoff();
  void flush();
  void on_envelope(std::string_view bytes) override;
  void deliver(std::string_view bytes);
  void on_published(std::size_t bytes) override;

  const RedisOptions options_;

  mutable std::mutex mutex_;  // guards the members below
  redis::Sender sender_{};    // changes at the start only
  BusHost* host_ = nullptr;   // null: publications are rejected
  Executor* executor_ = nullptr;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;  // includes unacknowledged publications
  std::size_t dropped_ = 0;       // publications since the last log message
  BusStatistics counts_;
  bool connected_ = false;
  bool flush_is_posted_ = false;

  // Only on the loop:
  std::unique_ptr<const redis::TlsContext> tls_;  // null without TLS
  std::unique_ptr<redis::Session> session_;
  base::Backoff backoff_{Milliseconds(100)};  // reset when a session has lasted
  std::size_t unacknowledged_ =
      0;                        // publications of lost sessions that were not acknowledged, since the last log message
  std::uint64_t ready_at_ = 0;  // when the current session became ready; 0: not ready
  std::uint64_t lost_at_ = 0;   // when the previous session was lost; 0: never
  std::string logged_fault_;    // until a session is ready
  bool foreign_messages_logged_ = false;
  Event first_attempt_;  // the first attempt to connect has ended
  Event idle_;           // nothing is in flight, or there is no session
  Event ended_;
  StopState stop_;
  Task<> session_task_;  // refers to the members above
};

}  // namespace tern
