// A fixture for clients that disconnect while their handler waits: plays rounds, in each of which one client
// disconnects, and checks the effect on each handler.
#pragma once

#include "server/request_recorder.hpp"
#include "server/running_server.hpp"

#include <tern/tern.hpp>
#include <tern/thread_pool.hpp>

#include <gtest/gtest.h>

#include <dirent.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {

// The part of the request that the client sends before it disconnects.
enum class Sent { Head, All };
// How it disconnects: by a reset, by closing with unread bytes (also a reset), by ending its sending side, by closing.
enum class Way { Reset, Unread, HalfClose, Close };
// When it disconnects: immediately, while the handler waits, or when it is released.
enum class Moment { AtOnce, Waiting, Releasing };

// The effect on a waiting handler.
enum class Then {
  Waits,      // none, and it cannot be released
  Completes,  // none; it completes when it is released
  Goes,       // none until it is released; the next await throws
  Cancelled,
  Ends,  // one of these
};

// The part of the content that is sent.
enum class Content { Whole, None, Half, HalfChunked, Expected };

// An await of a handler.
struct Point {
  std::string name;
  Then on_end = Then::Completes;  // when the client ends its sending side
  Then on_reset = Then::Cancelled;
  Content content = Content::Whole;
  bool streams = false;  // the response has begun
  int receive_buffer = 0;
};

struct Round {
  const Point* point;
  Way way;
  Moment moment;
  Sent sent = Sent::All;
  std::size_t number = 0;
  bool played = false;
};

inline std::size_t descriptors_in_use() {
  std::size_t count = 0;
  DIR* folder = ::opendir("/proc/self/fd");
  while (::readdir(folder) != nullptr) ++count;
  ::closedir(folder);
  return count;
}

class SweepTest : public ::testing::Test {
protected:
  static constexpr unsigned clients = 4;
  static constexpr unsigned loops = 3;

  // The pattern of the point's route.
  Runtime add(Point point) {
    points.push_back(std::make_unique<Point>(std::move(point)));
    return runtime("/" + points.back()->name + "/{number}/{token}");
  }
  RequestRecorder& recorder() { return *recorder_; }

  // Every point, in all these ways and at all moments, repeatedly.
  std::vector<Round> rounds_of(const std::vector<Way>& ways, std::size_t repeats) const;
  // Starts the server.
  void start(std::size_t rounds, bool half_close);
  // Plays them, shuffled, by several clients at a time, and checks the effects.
  void play(std::vector<Round> rounds);
  // `jobs` were submitted to the pool by others.
  void expect_that_nothing_is_left(std::uint64_t jobs = 0);

  std::vector<std::unique_ptr<Point>> points;
  App app;
  ThreadPool pool{{.threads = clients}};

private:
  static std::string request_of(const Round& round);
  static std::string description(const Round& round);
  std::optional<Then> expected(const Round& round) const;
  // Whether the waiting handler is stopped.
  bool stops(const Round& round) const {
    return round.way == Way::Reset || round.way == Way::Unread || round.point->on_end == Then::Waits || !half_close_;
  }
  // Blocks until the loops have processed all input.
  void turn();
  void play(const Round& round);
  void half_close(const Round& round, HttpClient& client);
  void check(const Round& round);

  std::unique_ptr<RequestRecorder> recorder_;
  std::unique_ptr<RunningServer> running_;
  std::size_t descriptors_ = 0;
  bool half_close_ = false;
};

inline std::vector<Round> SweepTest::rounds_of(const std::vector<Way>& ways, std::size_t repeats) const {
  std::vector<Round> rounds;
  for (const auto& point : points) {
    for (const Way way : ways) {
      for (std::size_t i = 0; i < repeats; ++i) {
        for (const Moment moment : {Moment::AtOnce, Moment::Waiting, Moment::Releasing}) {
          rounds.push_back({point.get(), way, moment});
        }
        rounds.push_back({point.get(), way, Moment::AtOnce, Sent::Head});
      }
    }
  }
  return rounds;
}

inline void SweepTest::start(std::size_t rounds, bool half_close) {
  half_close_ = half_close;
  recorder_ = std::make_unique<RequestRecorder>(rounds);
  app.get("/hello", [] { return "Hello, World!"; });
  running_ = std::make_unique<RunningServer>(
      app.service(), exchange::Settings{.limits = {.half_close = half_close}, .min_data_rate = 0}, loops);
  for (unsigned i = 0; i < loops; ++i) {
    running_->on_loop([this, i] { running_->worker(i).loop().set_offloader(&pool); }, i);
  }
  descriptors_ = descriptors_in_use();
}

inline void SweepTest::play(std::vector<Round> rounds) {
  std::shuffle(rounds.begin(), rounds.end(), std::mt19937(1));
  for (std::size_t i = 0; i < rounds.size(); ++i) rounds[i].number = i;
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < clients; ++i) {
    threads.emplace_back([&] {
      for (std::size_t k = next++; k < rounds.size() && !HasFailure(); k = next++) {
        play(rounds[k]);
        rounds[k].played = true;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (unsigned i = 0; i < loops; ++i) {
    EXPECT_TRUE(running_->eventually(
        [&] {
          return running_->worker(i).loop().streams() == 0 && running_->worker(i).context().exchanges_in_use() == 0;
        },
        i));
  }
  for (const Round& round : rounds) {
    if (round.played) check(round);
  }
  for (const std::string& add_failure : recorder_->failures()) ADD_FAILURE() << add_failure;
}

inline std::string SweepTest::request_of(const Round& round) {
  const Point& point = *round.point;
  const std::string token = token_of(round.number);
  const std::string content = content_of(round.number);
  const std::string half = content.substr(0, content.size() / 2);
  const std::string hello = "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n";
  std::string bytes = round.way == Way::Unread ? hello : "";
  bytes += "POST /" + point.name + "/" + std::to_string(round.number) + "/" + token + "?" + token;
  bytes += " HTTP/1.1\r\nHost: test\r\nX-Token: " + token + "\r\n";
  if (point.content == Content::Expected) bytes += "Expect: 100-continue\r\n";
  bytes += point.content == Content::HalfChunked ? "Transfer-Encoding: chunked"
                                                 : "Content-Length: " + std::to_string(content.size());
  bytes += "\r\n\r\n";
  if (round.sent == Sent::Head) return bytes;
  switch (point.content) {
    case Content::Whole: return bytes + content + (point.on_end == Then::Cancelled ? "" : hello + hello);
    case Content::Half: return bytes + half;
    case Content::HalfChunked: return bytes + "fff\r\n" + half;
    case Content::None:
    case Content::Expected: break;
  }
  return bytes;
}

inline std::string SweepTest::description(const Round& round) {
  const auto number = [](auto value) { return std::to_string(static_cast<int>(value)); };
  return round.point->name + ": way " + number(round.way) + ", moment " + number(round.moment) + ", sent " +
         number(round.sent);
}

inline void SweepTest::play(const Round& round) {
  SCOPED_TRACE(description(round));
  const Point& point = *round.point;
  HttpClient client = running_->client(point.receive_buffer);
  client.send(request_of(round));
  if (round.moment != Moment::AtOnce && !recorder_->await_waiting(round.number)) {
    ADD_FAILURE() << "does not wait";
  }
  if (round.moment == Moment::Releasing) recorder_->release(round.number);
  if (round.way == Way::HalfClose && half_close_) return half_close(round, client);
  if (!stops(round)) {
    client.peer().close();
    recorder_->release(round.number);
    return;
  }
  if (round.way == Way::Unread) {
    EXPECT_TRUE(client.readable_within(net::Peer::patience));
    client.peer().close();
  } else if (round.way == Way::Reset || round.point->on_end == Then::Waits) {
    client.peer().reset();
  } else if (round.way == Way::HalfClose) {
    client.peer().shutdown_write();
    client.is_gone();
  } else {
    client.peer().close();
  }
  if (point.on_reset != Then::Cancelled) {
    turn();
    recorder_->release(round.number);
  }
}

inline void SweepTest::turn() {
  // The first may run in an iteration that had begun before, and connections are closed at its end.
  for (int i = 0; i < 3; ++i) {
    for (unsigned loop = 0; loop < loops; ++loop) running_->on_loop([] {}, loop);
  }
}

inline void SweepTest::half_close(const Round& round, HttpClient& client) {
  const Point& point = *round.point;
  client.peer().shutdown_write();
  const bool goes_on = point.on_end == Then::Waits || point.on_end == Then::Completes;
  if (goes_on && round.moment == Moment::Waiting) {
    turn();
    EXPECT_EQ(recorder_->entry(round.number).ended, 0) << "a half-close ends it";
  }
  if (point.on_end == Then::Waits) return client.peer().reset();
  recorder_->release(round.number);
  const std::string answers = client.rest();
  std::size_t good = 0;
  for (std::size_t at = answers.find(" 200 OK\r\n"); at != answers.npos; at = answers.find(" 200 OK\r\n", at + 1))
    ++good;
  if (expected(round) == Then::Completes) {
    EXPECT_EQ(good, point.content == Content::Whole ? 3U : 1U);  // those after it, too
  } else {
    EXPECT_TRUE(answers.starts_with("HTTP/1.1 "));
  }
}

// Only where the effect is determined.
inline std::optional<Then> SweepTest::expected(const Round& round) const {
  const Point& point = *round.point;
  if (round.sent == Sent::Head) return std::nullopt;
  if (!stops(round)) {
    // A response sent to a closed peer provokes a reset.
    if (round.way == Way::Close && point.streams) return std::nullopt;
    return point.on_end == Then::Ends ? std::nullopt : std::optional(point.on_end);
  }
  if (round.moment != Moment::Waiting) return std::nullopt;
  return point.on_reset == Then::Goes ? Then::Cancelled : point.on_reset;
}

inline void SweepTest::check(const Round& round) {
  SCOPED_TRACE(description(round));
  const RequestRecorder::Entry entry = recorder_->entry(round.number);
  const auto then = expected(round);
  EXPECT_EQ(entry.begun, entry.ended);
  EXPECT_LE(entry.ended, 1);
  if (!then) return;
  EXPECT_EQ(entry.begun, 1);
  EXPECT_EQ(entry.outcome == Outcome::Completed, *then == Then::Completes);
  // An end within the content reaches the reader before anything is stopped.
  const bool told = (round.way == Way::HalfClose || round.way == Way::Close) &&
                    round.point->content != Content::Whole && round.point->on_end != Then::Completes;
  if (!told && (stops(round) || *then == Then::Completes)) {
    EXPECT_EQ(entry.stopped, stops(round));
  }
}

inline void SweepTest::expect_that_nothing_is_left(std::uint64_t jobs) {
  const exchange::SharedState& shared = running_->worker().context().shared();
  EXPECT_EQ(shared.connections, 0U);
  EXPECT_EQ(shared.memory.used(), 0U);
  EXPECT_EQ(descriptors_in_use(), descriptors_);
  EXPECT_TRUE(running_->eventually([this] { return pool.counts().running == 0; }));
  EXPECT_EQ(pool.counts().queued, 0U);
  EXPECT_EQ(pool.counts().rejected, 0U);
  EXPECT_EQ(pool.counts().done, jobs + recorder_->jobs);
  const auto start = std::chrono::steady_clock::now();
  running_->drain(Seconds(20));
  running_->wait();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
}

}  // namespace tern::testing
