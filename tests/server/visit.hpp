// For tests of clients that go: what became of each request's handler, kept by the number of the request, and the
// handler's own part of that, which looks after what the request lends.
#pragma once

#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::testing {

class Visit;

// Different for every request, as long as a field may well be.
inline std::string token_of(std::size_t number) {
  std::string token = "token-" + std::to_string(number) + "-";
  while (token.size() < 60) token += static_cast<char>('a' + (number * 31 + token.size() * 7) % 26);
  return token;
}
inline std::string content_of(std::size_t number) {
  std::string content;
  while (content.size() < 600) content += token_of(number + content.size());
  return content;
}

enum class Outcome { Completed, Cancelled, Destroyed };

// Handlers report here, from any thread, and clients wait for what they report.
class Ledger {
public:
  struct Entry {
    Executor* loop = nullptr;
    Visit* visit = nullptr;  // while the handler runs
    bool waits = false;
    bool released = false;
    bool stopped = false;  // the token had fired when the handler ended
    int begun = 0;
    int ended = 0;
    Outcome outcome = Outcome::Completed;
  };

  explicit Ledger(std::size_t count) : entries_(count) {}

  void begun(std::size_t number, Visit* visit);
  void ended(std::size_t number, Outcome outcome, bool stopped);
  // The handler waits, or is about to: true when it has been released before.
  bool waits(std::size_t number);
  // The same for a thread of the pool: blocks until it is released.
  void hold(std::size_t number);
  bool is_released(std::size_t number);
  // Something that the handler saw was not as it must be.
  void wrong(std::string what);

  // Blocks until the handler waits, or has ended.
  bool await_waiting(std::size_t number);
  // Lets the handler go on, now or when it comes there.
  void release(std::size_t number);

  Entry entry(std::size_t number);
  std::vector<std::string> wrongs();
  std::atomic<std::uint64_t> jobs = 0;  // that have begun on the pool

private:
  template <class Condition>
  bool await(std::unique_lock<std::mutex>& lock, Condition condition) {
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::vector<std::string> wrongs_;
};

// In the frame of a handler, from its first line to its last.
class Visit {
public:
  struct Kept {
    std::string text;
  };

  // `content`: whether the request has its content by now; later it may.
  Visit(Ledger& ledger, Request& request, bool content = true)
      : ledger_(ledger),
        request_(request),
        number_(number_of(request)),
        token_(token_of(number_)),
        copied_(request.arena().copy(token_)),
        content_(content) {
    request.put(Kept{token_});
    check();
    ledger_.begun(number_, this);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    check();
    ledger_.ended(number_, outcome_, request_.stop().stop_requested());
  }

  static std::size_t number_of(const Request& request) {
    return base::parse_integer<std::size_t>(request.parameter("number").value_or("")).value_or(0);
  }

  const std::string& token() const { return token_; }
  std::size_t number() const { return number_; }
  Ledger& ledger() const { return ledger_; }
  Request& request() const { return request_; }
  Event released;

  // Right before the await that is looked at. What ends that in good order, when it is not `released`, is `release`.
  void waits(base::Function<void()> release = {}) {
    check();
    release_ = std::move(release);
    if (ledger_.waits(number_)) this->release();
  }
  // The same on a thread of the pool.
  std::string hold() {
    check();
    ledger_.hold(number_);
    check();
    return token_;
  }
  void release() {
    released.set();
    if (release_) release_();
  }
  void ends(Outcome outcome) { outcome_ = outcome; }

  void expect(bool right, std::string_view what) const {
    if (!right) ledger_.wrong(std::string(request_.route()) + " " + std::to_string(number_) + ": " + std::string(what));
  }
  void check() const {
    expect(token_ == token_of(number_), "the frame's own");
    expect(copied_ == token_, "the arena");
    expect(request_.path().ends_with("/" + token_), "the path");
    expect(request_.parameter("token") == token_, "a parameter");
    expect(request_.query() == token_, "the query");
    expect(request_.field("x-token") == token_, "a field");
    const std::string_view content = request_.body();
    expect(content.empty() ? !content_ : content == content_of(number_), "the content");
    const auto* kept = request_.find<Kept>();
    expect(kept == nullptr || kept->text == token_, "an object in the arena");
  }

private:
  Ledger& ledger_;
  Request& request_;
  const std::size_t number_;
  const std::string token_;
  const std::string_view copied_;
  const bool content_;
  base::Function<void()> release_;
  Outcome outcome_ = Outcome::Destroyed;
};

// A coroutine that is looked after: wait(visit) is what it does.
template <class F>
Task<> visited(Ledger& ledger, Request& request, F wait, bool content = true) {
  Visit visit(ledger, request, content);
  try {
    co_await wait(visit);
  } catch (const Cancelled&) {
    visit.ends(Outcome::Cancelled);
    throw;
  }
  visit.ends(Outcome::Completed);
}

inline void Ledger::begun(std::size_t number, Visit* visit) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  ++entry.begun;
  entry.visit = visit;
  entry.loop = Executor::current();
}

inline void Ledger::ended(std::size_t number, Outcome outcome, bool stopped) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  ++entry.ended;
  entry.visit = nullptr;
  entry.outcome = outcome;
  entry.stopped = stopped;
  changed_.notify_all();
}

inline bool Ledger::waits(std::size_t number) {
  const std::lock_guard lock(mutex_);
  entries_.at(number).waits = true;
  changed_.notify_all();
  return entries_.at(number).released;
}

inline void Ledger::hold(std::size_t number) {
  std::unique_lock lock(mutex_);
  ++jobs;
  Entry& entry = entries_.at(number);
  entry.waits = true;
  changed_.notify_all();
  if (!await(lock, [&entry] { return entry.released; }))
    wrongs_.emplace_back("nobody releases " + std::to_string(number));
}

inline bool Ledger::is_released(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return entries_.at(number).released;
}

inline void Ledger::wrong(std::string what) {
  const std::lock_guard lock(mutex_);
  wrongs_.push_back(std::move(what));
}

inline bool Ledger::await_waiting(std::size_t number) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_.at(number);
  return await(lock, [&entry] { return entry.waits || entry.ended != 0; });
}

inline void Ledger::release(std::size_t number) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  if (std::exchange(entry.released, true)) return;
  changed_.notify_all();
  if (!entry.waits || entry.visit == nullptr || entry.loop == nullptr) return;
  entry.loop->post([this, number] {
    Visit* visit = this->entry(number).visit;
    if (visit != nullptr) visit->release();
  });
}

inline Ledger::Entry Ledger::entry(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return entries_.at(number);
}

inline std::vector<std::string> Ledger::wrongs() {
  const std::lock_guard lock(mutex_);
  return wrongs_;
}

}  // namespace tern::testing
