// What a RedisBus is made of: the queue of publications, and the task that keeps a session with Redis.
//
// Life of a publication: publish() seals it into the queue and has the loop woken up; flush() gives it to the session;
// when Redis says that it has taken it, its bytes make room in the queue. Those that Redis had not answered for when a
// session is lost are not sent again: they may have arrived.
#pragma once

#include "redis/envelope.hpp"
#include "redis/session.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/stop_token.hpp>
#include <tern/coro/task.hpp>
#include <tern/redis/bus.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <expected>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <vector>

namespace tern {

class RedisBus::Keeper final : public redis::Session::Owner {
public:
  explicit Keeper(RedisOptions options) : options_(std::move(options)) {}
  ~Keeper() { end(); }

  Task<> start(BusHost& host);
  PublishStatus publish(const Publication& publication);
  Task<> stop();
  void end() noexcept;

private:
  // Addresses, or what is wrong.
  using Places = std::expected<std::vector<std::string>, std::string>;

  void check() const;
  Task<> keep();
  Task<std::string> connect();
  Task<std::string> hold();
  Places resolve() const;
  void connected();
  void disconnected() noexcept;
  void tell_of(const std::string& fault);
  Milliseconds next_pause();
  void flush();
  void on_envelope(std::string_view bytes) override;
  void on_published(std::size_t bytes) override;
  std::string name() const;

  const RedisOptions options_;

  std::mutex mutex_;         // for what follows
  redis::Sender sender_{};   // changes at the start only
  BusHost* host_ = nullptr;  // null: publications are not taken
  Executor* executor_ = nullptr;
  std::deque<std::string> queue_;
  std::size_t queued_bytes_ = 0;  // also of what Redis has not answered for
  std::size_t dropped_ = 0;       // publications, since that was last told
  bool connected_ = false;
  bool flush_is_posted_ = false;

  // Of the loop.
  std::unique_ptr<redis::Session> session_;
  std::minstd_rand random_;
  std::size_t unanswered_ = 0;  // publications of lost sessions that Redis had not answered for, not told yet
  unsigned failures_ = 0;       // sessions that did not last, in a row
  std::uint64_t ready_at_ = 0;  // when the present session was; 0: there is none that is ready
  std::uint64_t lost_at_ = 0;   // when the one before it was lost; 0: there was none
  std::string told_;            // the fault that the log was last told of, until there is a session
  bool strangers_were_told_ = false;
  Event tried_;  // to connect, for the first time
  Event idle_;   // nothing is on its way to Redis, or nothing can be
  Event ended_;
  StopState stop_;
  Task<> keeping_;  // refers to what stands above
};

}  // namespace tern
