// The implementation of PostgresBus: a queue of publications, a task that sends them, and a task that listens.
//
// Life of a publication: publish() puts its notifications into the queue and posts to the loop; the sending task passes
// all that are queued to the database in one statement. If the outcome of that is unknown, they are not sent again.
#pragma once

#include "postgres/parts.hpp"

#include <tern/coro/event.hpp>
#include <tern/coro/scope.hpp>
#include <tern/postgres/bus.hpp>
#include <tern/postgres/postgres.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tern {

class PostgresBus::Publisher {
public:
  explicit Publisher(PostgresBusOptions options) : options_(std::move(options)), assembly_(options_.max_publication) {}
  ~Publisher() { end(); }

  Task<> start(BusHost& host);
  PublishStatus publish(const Publication& publication);
  Task<> stop();
  BusStatistics statistics() const;
  void end() noexcept;

private:
  struct Part {  // a notification
    std::string text;
    bool last;  // of its publication
  };

  Task<> send_all();
  Task<> listen();
  std::vector<std::string> take(std::uint64_t& publications);
  void count(std::uint64_t BusStatistics::* number) noexcept;
  void log_away(const char* fault, std::uint64_t lost = 0);
  void log_back();

  const PostgresBusOptions options_;

  mutable std::mutex mutex_;  // guards the members below
  std::string sender_;        // changes at the start only
  BusHost* host_ = nullptr;   // null: publications are rejected
  Executor* executor_ = nullptr;
  std::deque<Part> queue_;
  std::size_t queued_bytes_ = 0;
  std::uint64_t published_ = 0;
  std::size_t dropped_ = 0;  // since the last log message
  BusStatistics counts_;
  bool away_ = false;
  bool post_is_pending_ = false;

  // Only on the loop:
  std::unique_ptr<Postgres> database_;
  postgres::Assembly assembly_;
  Event queued_;
  Event idle_;     // nothing is queued or being sent
  Event listens_;  // for the first time, or the first attempt has failed
  std::unique_ptr<Scope> tasks_;
};

}  // namespace tern
