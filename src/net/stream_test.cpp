// Streams on one end of a socket pair, loop and test in one thread: what happens in which iteration is exact.
#include "net/stream.hpp"

#include "net/test_iterations.hpp"
#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

namespace tern::net {
namespace {

struct Alarm final : Timer {
  explicit Alarm(std::function<void()> f) : action(std::move(f)) {}
  void on_timer() noexcept override { action(); }
  std::function<void()> action;
};

// One stream, its peer, and a loop that stops when the stream has been closed.
class StreamTest : public ::testing::Test {
protected:
  StreamTest() {
    auto [near, far] = connected_pair();
    peer = std::move(near);
    connection.bytes_hook = [this](TestConnection&, std::string_view bytes) {
      seen.emplace_back(bytes);
      return bytes.size();
    };
    connection.closed_hook = [this](TestConnection&, std::error_code error) {
      why = error;
      loop.stop();
    };
    connection.stream.open(loop, std::move(far), connection);
  }

  ~StreamTest() override {
    if (connection.times_closed != 0) return;
    connection.stream.close();
    loop.run();
  }

  void run_iterations(int count) { net::run_iterations(loop, count); }

  Loop loop;
  Peer peer;
  TestConnection connection;
  std::vector<std::string> seen;
  std::error_code why;
};

TEST_F(StreamTest, presents_a_batch_in_one_piece_with_one_receive_and_one_send) {
  connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) {
    seen.emplace_back(bytes);
    Output output;
    output.append("answer one, ");
    output.append(std::string(100'000, 'x'));
    output.append(", answer two");
    self.stream.send(output);
    EXPECT_TRUE(output.empty());
    loop.stop();
    return bytes.size();
  };
  ASSERT_TRUE(peer.send("one two"));
  loop.run();
  EXPECT_EQ(seen, std::vector<std::string>{"one two"});
  EXPECT_EQ(loop.counters().receives.value(), 1U);
  EXPECT_EQ(loop.counters().sends.value(), 1U);
  EXPECT_EQ(loop.counters().watches.value(), 1U);
  EXPECT_EQ(peer.receive(100'024).size(), 100'024U);
}

TEST_F(StreamTest, presents_unconsumed_bytes_with_the_next_ones) {
  int calls = 0;
  connection.bytes_hook = [&](TestConnection&, std::string_view bytes) -> std::size_t {
    seen.emplace_back(bytes);
    if (++calls == 1) {
      EXPECT_TRUE(peer.send("def"));
      return 1;
    }
    if (calls == 2) {
      EXPECT_TRUE(peer.send("g"));
      return 0;
    }
    loop.stop();
    return bytes.size();
  };
  ASSERT_TRUE(peer.send("abc"));
  loop.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"abc", "bcdef", "bcdefg"}));
}

TEST_F(StreamTest, presents_the_rest_again_after_resume_but_not_inside_it) {
  bool inside = false;
  connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) -> std::size_t {
    EXPECT_FALSE(inside);
    seen.emplace_back(bytes);
    self.stream.pause();
    inside = true;
    self.stream.resume();
    inside = false;
    if (bytes.size() == 1) loop.stop();
    return 1;
  };
  ASSERT_TRUE(peer.send("abcd"));
  loop.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"abcd", "bcd", "cd", "d"}));
  EXPECT_EQ(loop.counters().receives.value(), 1U);
  EXPECT_EQ(loop.counters().watches.value(), 1U) << "pausing and resuming touch the poller only when bytes arrive";
}

TEST_F(StreamTest, presents_nothing_while_paused_and_everything_afterwards) {
  connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) -> std::size_t {
    seen.emplace_back(bytes);
    self.stream.pause();
    return 1;
  };
  ASSERT_TRUE(peer.send("abc"));
  run_iterations(3);
  ASSERT_TRUE(peer.send("def"));
  peer.shutdown_write();
  const auto iterations = loop.counters().iterations.value();
  Alarm alarm([&] {
    EXPECT_LE(loop.counters().iterations.value(), iterations + 3) << "a paused stream does not spin";
    EXPECT_EQ(seen.size(), 1U);
    EXPECT_FALSE(connection.stream.ended());
    connection.bytes_hook = [&](TestConnection&, std::string_view bytes) {
      seen.emplace_back(bytes);
      return bytes.size();
    };
    connection.stream.resume();
  });
  loop.arm(alarm, Milliseconds(60));
  connection.end_hook = [&](TestConnection& self) { self.stream.close(); };
  loop.run();
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen.front(), "abc");
  std::string afterwards;  // in one piece where the poller has received the second half already, else in two
  for (std::size_t i = 1; i < seen.size(); ++i) afterwards += seen[i];
  EXPECT_EQ(afterwards, "bcdef");
  EXPECT_EQ(connection.times_closed, 1);
}

TEST_F(StreamTest, tells_the_end_after_the_bytes_and_once) {
  int ends = 0;
  connection.end_hook = [&](TestConnection& self) {
    ++ends;
    EXPECT_EQ(seen, std::vector<std::string>{"last words"});
    self.stream.send("answer");
    self.stream.shutdown_write();
  };
  ASSERT_TRUE(peer.send("last words"));
  peer.shutdown_write();
  Alarm alarm([&] {
    EXPECT_LE(loop.counters().iterations.value(), 5U) << "a stream with both sides ended does not spin";
    connection.stream.close();
  });
  loop.arm(alarm, Milliseconds(60));
  loop.run();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(peer.receive_all(), "answer");
  EXPECT_FALSE(why);
}

TEST_F(StreamTest, presents_the_rest_before_the_end_when_resumed) {
  connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) -> std::size_t {
    seen.emplace_back(bytes);
    self.stream.pause();
    loop.post([&] { connection.stream.resume(); });
    return 1;
  };
  connection.end_hook = [&](TestConnection& self) {
    seen.emplace_back("(end)");
    self.stream.close();
  };
  ASSERT_TRUE(peer.send("abc"));
  peer.shutdown_write();
  loop.run();
  EXPECT_EQ(seen, (std::vector<std::string>{"abc", "bc", "c", "(end)"}));
}

TEST_F(StreamTest, closes_from_inside_on_bytes_without_a_further_call) {
  connection.bytes_hook = [&](TestConnection& self, std::string_view bytes) -> std::size_t {
    seen.emplace_back(bytes);
    self.stream.close();
    EXPECT_EQ(self.times_closed, 0);
    EXPECT_FALSE(self.stream.is_open());
    self.stream.send("too late");
    self.stream.close();
    self.stream.resume();
    EXPECT_EQ(bytes, "abc") << "still valid";
    return 0;
  };
  ASSERT_TRUE(peer.send("abc"));
  loop.run();
  EXPECT_EQ(seen.size(), 1U);
  EXPECT_EQ(connection.times_closed, 1);
  EXPECT_FALSE(why);
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(StreamTest, closed_outside_of_a_run_is_reported_by_the_next_one) {
  connection.stream.close();
  EXPECT_EQ(connection.times_closed, 0);
  loop.run();
  EXPECT_EQ(connection.times_closed, 1);
}

TEST_F(StreamTest, may_be_opened_again_after_it_was_closed) {
  connection.stream.close();
  loop.run();
  auto [near, far] = connected_pair();
  connection.bytes_hook = {};  // echoes
  connection.stream.open(loop, std::move(far), connection);
  ASSERT_TRUE(near.send("again"));
  near.shutdown_write();
  loop.run();
  EXPECT_EQ(near.receive_all(), "again");
  EXPECT_EQ(connection.times_closed, 2);
}

TEST_F(StreamTest, queues_what_the_kernel_does_not_take_and_tells_when_it_is_gone) {
  bool sent = false;
  connection.sent_hook = [&](TestConnection& self) {
    sent = true;
    EXPECT_EQ(self.stream.unsent(), 0U);
    loop.stop();
  };
  Output output;
  std::string expected;
  for (char c = 'a'; c <= 'z'; ++c) {
    output.append(std::string(50'000, c));
    output.append(std::string(10, c));
    expected.append(50'010, c);
  }
  connection.stream.send(output);
  EXPECT_TRUE(output.empty());
  EXPECT_GT(connection.stream.unsent(), 0U);
  EXPECT_FALSE(sent);
  connection.stream.send("the end");
  expected += "the end";
  std::string received;
  std::thread reader([&] { received = peer.receive(expected.size()); });
  loop.run();
  reader.join();
  EXPECT_TRUE(sent);
  EXPECT_TRUE(received == expected);
  EXPECT_EQ(loop.counters().watches.value(), 3U) << "writability is watched only while something waits";
}

TEST_F(StreamTest, sends_more_pieces_than_one_gathered_write_takes) {
  Output output;
  std::string expected;
  for (std::size_t i = 0; i < 3 * SendQueue::max_pieces; ++i) {
    const std::string body(Output::large + 1, static_cast<char>('a' + i % 26));
    expected += body;
    output.append(std::string(body));
  }
  connection.stream.send(output);
  connection.stream.shutdown_write();
  connection.sent_hook = [&](TestConnection& self) { self.stream.close(); };
  std::string received;
  std::thread reader([&] { received = peer.receive_all(); });
  loop.run();
  reader.join();
  EXPECT_TRUE(received == expected);
}

TEST_F(StreamTest, reports_a_failed_write_later_and_survives_sigpipe) {
  peer.close();
  connection.stream.send("never read");
  EXPECT_FALSE(connection.stream.is_open());
  EXPECT_EQ(connection.times_closed, 0);
  loop.run();
  EXPECT_EQ(connection.times_closed, 1);
  EXPECT_EQ(why, std::errc::broken_pipe);
}

TEST_F(StreamTest, drops_its_queue_when_it_is_closed) {
  Output output;
  output.append(std::string(10'000'000, 'x'));
  connection.stream.send(output);
  EXPECT_GT(connection.stream.unsent(), 0U);
  connection.stream.close();
  EXPECT_EQ(connection.stream.unsent(), 0U);
  loop.run();
  EXPECT_LT(peer.receive_all().size(), 10'000'000U);
}

TEST_F(StreamTest, takes_a_head_byte_by_byte_in_linear_time) {
  constexpr std::size_t size = 200'000;
  std::size_t moves = 0;
  const char* at = nullptr;
  connection.bytes_hook = [&](TestConnection&, std::string_view bytes) -> std::size_t {
    moves += bytes.data() == at ? 0U : 1U;
    at = bytes.data();
    if (bytes.size() == size) {
      EXPECT_TRUE(bytes == std::string(size, 'x'));
      loop.stop();
    } else {
      EXPECT_TRUE(peer.send("x"));
    }
    return 0;
  };
  ASSERT_TRUE(peer.send("x"));
  loop.run();
  EXPECT_LE(moves, 16U) << "the bytes move only when their buffer doubles";
}

TEST_F(StreamTest, allows_reading_some_bytes_behind_what_it_presents) {
  int left = 200;
  std::size_t sum = 0;
  connection.bytes_hook = [&](TestConnection&, std::string_view bytes) -> std::size_t {
    for (std::size_t i = 0; i < RestBuffer::padding; ++i) {
      sum += static_cast<unsigned char>(static_cast<volatile const char*>(bytes.data())[bytes.size() + i]);
    }
    if (--left == 0) {
      loop.stop();
    } else {
      EXPECT_TRUE(peer.send("0123456789abcdef"));
    }
    return left % 3 == 0 ? bytes.size() / 2 : 0;
  };
  ASSERT_TRUE(peer.send("x"));
  loop.run();
}

TEST_F(StreamTest, takes_turns_with_a_busy_peer) {
  // One peer whose bytes never end, one with a single byte: the second is served after a bounded number of the first's.
  int flags = ::fcntl(peer.number(), F_GETFL);
  ASSERT_EQ(::fcntl(peer.number(), F_SETFL, flags | O_NONBLOCK), 0);
  const std::string flood(1'000'000, 'x');
  int calls = 0;
  connection.bytes_hook = [&](TestConnection&, std::string_view bytes) {
    ++calls;
    peer.send(flood);
    return bytes.size();
  };
  auto [other_peer, far] = connected_pair();
  TestConnection other;
  int before = 0;
  other.bytes_hook = [&](TestConnection& self, std::string_view bytes) {
    EXPECT_LE(calls - before, 8);
    self.stream.close();
    connection.stream.close();
    return bytes.size();
  };
  other.stream.open(loop, std::move(far), other);
  peer.send(flood);
  before = calls;
  ASSERT_TRUE(other_peer.send("y"));
  loop.run();
  EXPECT_EQ(other.times_closed, 1);
}

// The first handler closes all other streams, whose events are pending in the same iteration.
TEST(StreamsOfOneRound, may_close_and_delete_each_other) {
  Loop loop;
  constexpr int count = 50;
  std::vector<Peer> peers;
  std::vector<std::unique_ptr<TestConnection>> connections;
  int told = 0;
  for (int i = 0; i < count; ++i) {
    auto [near, far] = connected_pair();
    auto connection = std::make_unique<TestConnection>();
    connection->bytes_hook = [&](TestConnection&, std::string_view bytes) {
      ++told;
      for (auto& other : connections) other->stream.close();
      return bytes.size();
    };
    connection->closed_hook = [&](TestConnection& self, std::error_code) {
      std::erase_if(connections, [&](const auto& other) { return other.get() == &self; });
      if (connections.empty()) loop.stop();
    };
    connection->stream.open(loop, std::move(far), *connection);
    EXPECT_TRUE(near.send("x"));
    peers.push_back(std::move(near));
    connections.push_back(std::move(connection));
  }
  loop.run();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(loop.streams(), 0U);
}

TEST(StreamsOfOneRound, may_close_others_from_on_closed_and_after_resume) {
  Loop loop;
  std::vector<Peer> peers;
  std::vector<std::unique_ptr<TestConnection>> connections;
  for (int i = 0; i < 10; ++i) {
    auto [near, far] = connected_pair();
    auto connection = std::make_unique<TestConnection>();
    connection->bytes_hook = [&](TestConnection& self, std::string_view) -> std::size_t {
      self.stream.pause();
      self.stream.resume();  // listed for the end of the iteration
      if (&self == connections.front().get()) self.stream.close();
      return 0;
    };
    connection->closed_hook = [&](TestConnection& self, std::error_code) {
      std::erase_if(connections, [&](const auto& other) { return other.get() == &self; });
      for (auto& other : connections) other->stream.abort();
      if (connections.empty()) loop.stop();
    };
    connection->stream.open(loop, std::move(far), *connection);
    EXPECT_TRUE(near.send("x"));
    peers.push_back(std::move(near));
    connections.push_back(std::move(connection));
  }
  loop.run();
  EXPECT_TRUE(connections.empty());
}

// What the loop asks of the kernel for a connection, it asks by the number of a descriptor.
TEST(StreamsOfOneRound, receive_nothing_for_another_that_has_had_the_same_descriptor) {
  Loop loop;
  auto [first_peer, first_end] = connected_pair();
  auto [second_peer, second_end] = connected_pair();
  const int number = first_end.number();
  TestConnection first;
  TestConnection second;
  std::string seen;
  second.bytes_hook = [&](TestConnection& self, std::string_view bytes) {
    seen = bytes;
    self.stream.close();
    return bytes.size();
  };
  second.closed_hook = [&](TestConnection&, std::error_code) { loop.stop(); };
  first.closed_hook = [&](TestConnection&, std::error_code) {
    Descriptor again(::dup(second_end.number()));
    EXPECT_EQ(again.number(), number);
    second.stream.open(loop, std::move(again), second);
  };
  ASSERT_TRUE(second_peer.send("for the second"));
  loop.post([&] {
    first.stream.open(loop, std::move(first_end), first);
    first.stream.close();
  });
  Alarm give_up([&] { second.stream.close(); });
  loop.arm(give_up, Milliseconds(5000));
  loop.run();
  loop.disarm(give_up);
  EXPECT_EQ(seen, "for the second");
}

TEST(StreamsOfOneRound, are_finished_before_run_returns) {
  Loop loop;
  auto [near, far] = connected_pair();
  TestConnection connection;
  connection.bytes_hook = [&](TestConnection& self, std::string_view) -> std::size_t {
    self.stream.pause();
    self.stream.resume();
    loop.post([&] {
      self.stream.close();
      loop.stop();
    });
    return 0;
  };
  connection.stream.open(loop, std::move(far), connection);
  ASSERT_TRUE(near.send("x"));
  loop.run();
  EXPECT_EQ(connection.times_closed, 1);
}

TEST(StreamsOfOneRound, get_their_end_from_the_destructor_of_the_loop) {
  TestConnection connection;
  auto [near, far] = connected_pair();
  {
    Loop loop;
    connection.stream.open(loop, std::move(far), connection);
    connection.stream.close();
  }
  EXPECT_EQ(connection.times_closed, 1);
}

}  // namespace
}  // namespace tern::net
