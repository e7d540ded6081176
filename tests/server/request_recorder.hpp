// For tests of disconnecting clients: records the state of each request's handler by the request's number. A probe in
// the handler checks that the request's memory stays valid.
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

class RequestProbe;

// Different for every request, as long as a typical field.
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

// Handlers report to it, from any thread, and clients wait for their reports.
class RequestRecorder {
public:
  struct Entry {
    Executor* loop = nullptr;
    RequestProbe* probe = nullptr;  // while the handler runs
    bool waits = false;
    bool released = false;
    bool stopped = false;  // the token had fired when the handler ended
    int begun = 0;
    int ended = 0;
    Outcome outcome = Outcome::Completed;
  };

  explicit RequestRecorder(std::size_t count) : entries_(count) {}

  void begun(std::size_t number, RequestProbe* probe);
  void ended(std::size_t number, Outcome outcome, bool stopped);
  // The handler waits, or is about to. True if it has been released before.
  bool waits(std::size_t number);
  // The same for a thread of the pool: blocks until it is released.
  void hold(std::size_t number);
  bool is_released(std::size_t number);
  // Records a failed check of a handler.
  void add_failure(std::string what);

  // Blocks until the handler waits, or has ended.
  bool await_waiting(std::size_t number);
  // Releases the handler, now or when it starts to wait.
  void release(std::size_t number);

  Entry entry(std::size_t number);
  std::vector<std::string> failures();
  std::atomic<std::uint64_t> jobs = 0;  // begun on the pool

private:
  template <class Condition>
  bool await(std::unique_lock<std::mutex>& lock, Condition condition) {
    return changed_.wait_for(lock, std::chrono::seconds(20), condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Entry> entries_;
  std::vector<std::string> failures_;
};

// Lives in the frame of a handler, from its first line to its last.
class RequestProbe {
public:
  struct Kept {
    std::string text;
  };

  // `content`: whether the content is available now or may be later.
  RequestProbe(RequestRecorder& recorder, Request& request, bool content = true)
      : recorder_(recorder),
        request_(request),
        number_(number_of(request)),
        token_(token_of(number_)),
        copied_(request.arena().copy(token_)),
        content_(content) {
    request.put(Kept{token_});
    check();
    recorder_.begun(number_, this);
  }
  RequestProbe(const RequestProbe&) = delete;
  RequestProbe& operator=(const RequestProbe&) = delete;
  ~RequestProbe() {
    check();
    recorder_.ended(number_, outcome_, request_.stop().stop_requested());
  }

  static std::size_t number_of(const Request& request) {
    return base::parse_integer<std::size_t>(request.parameter("number").value_or("")).value_or(0);
  }

  const std::string& token() const { return token_; }
  std::size_t number() const { return number_; }
  RequestRecorder& recorder() const { return recorder_; }
  Request& request() const { return request_; }
  Event released;

  // Immediately before the tested await. `release` ends it normally, unless `released` does.
  void waits(base::Function<void()> release = {}) {
    check();
    release_ = std::move(release);
    if (recorder_.waits(number_)) this->release();
  }
  // The same on a thread of the pool.
  std::string hold() {
    check();
    recorder_.hold(number_);
    check();
    return token_;
  }
  void release() {
    released.set();
    if (release_) release_();
  }
  void ends(Outcome outcome) { outcome_ = outcome; }

  void expect(bool right, std::string_view what) const {
    if (!right)
      recorder_.add_failure(std::string(request_.route()) + " " + std::to_string(number_) + ": " + std::string(what));
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
  RequestRecorder& recorder_;
  Request& request_;
  const std::size_t number_;
  const std::string token_;
  const std::string_view copied_;
  const bool content_;
  base::Function<void()> release_;
  Outcome outcome_ = Outcome::Destroyed;
};

// Runs wait(probe) as a coroutine with a probe.
template <class F>
Task<> probed(RequestRecorder& recorder, Request& request, F wait, bool content = true) {
  RequestProbe probe(recorder, request, content);
  try {
    co_await wait(probe);
  } catch (const Cancelled&) {
    probe.ends(Outcome::Cancelled);
    throw;
  }
  probe.ends(Outcome::Completed);
}

inline void RequestRecorder::begun(std::size_t number, RequestProbe* probe) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  ++entry.begun;
  entry.probe = probe;
  entry.loop = Executor::current();
}

inline void RequestRecorder::ended(std::size_t number, Outcome outcome, bool stopped) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  ++entry.ended;
  entry.probe = nullptr;
  entry.outcome = outcome;
  entry.stopped = stopped;
  changed_.notify_all();
}

inline bool RequestRecorder::waits(std::size_t number) {
  const std::lock_guard lock(mutex_);
  entries_.at(number).waits = true;
  changed_.notify_all();
  return entries_.at(number).released;
}

inline void RequestRecorder::hold(std::size_t number) {
  std::unique_lock lock(mutex_);
  ++jobs;
  Entry& entry = entries_.at(number);
  entry.waits = true;
  changed_.notify_all();
  if (!await(lock, [&entry] { return entry.released; }))
    failures_.emplace_back("never released: " + std::to_string(number));
}

inline bool RequestRecorder::is_released(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return entries_.at(number).released;
}

inline void RequestRecorder::add_failure(std::string what) {
  const std::lock_guard lock(mutex_);
  failures_.push_back(std::move(what));
}

inline bool RequestRecorder::await_waiting(std::size_t number) {
  std::unique_lock lock(mutex_);
  Entry& entry = entries_.at(number);
  return await(lock, [&entry] { return entry.waits || entry.ended != 0; });
}

inline void RequestRecorder::release(std::size_t number) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_.at(number);
  if (std::exchange(entry.released, true)) return;
  changed_.notify_all();
  if (!entry.waits || entry.probe == nullptr || entry.loop == nullptr) return;
  entry.loop->post([this, number] {
    RequestProbe* probe = this->entry(number).probe;
    if (probe != nullptr) probe->release();
  });
}

inline RequestRecorder::Entry RequestRecorder::entry(std::size_t number) {
  const std::lock_guard lock(mutex_);
  return entries_.at(number);
}

inline std::vector<std::string> RequestRecorder::failures() {
  const std::lock_guard lock(mutex_);
  return failures_;
}

}  // namespace tern::testing
