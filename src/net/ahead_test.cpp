// Several streams to which something has come before the loop looks: it may receive for all before it tells the first.
#include "net/stream.hpp"

#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tern::net {
namespace {

struct End {
  Peer peer;
  TestConnection connection;
  std::string got;
};

class Ahead : public testing::Test {
protected:
  ~Ahead() override {
    for (const auto& end : ends) {
      end->connection.closed_hook = [this](TestConnection&, std::error_code) {
        if (loop.streams() == 0) loop.stop();
      };
      end->connection.stream.close();
    }
    if (loop.streams() != 0) loop.run();
  }

  // `got` has what was presented, and all of it is consumed.
  End& add() {
    End& end = *ends.emplace_back(std::make_unique<End>());
    auto [near, far] = connected_pair();
    end.peer = std::move(near);
    end.connection.bytes_hook = [&end](TestConnection&, std::string_view bytes) {
      end.got += bytes;
      return bytes.size();
    };
    end.connection.stream.open(loop, std::move(far), end.connection);
    return end;
  }
  // What it does when it is told of bytes, after they are in `got`.
  static void then(End& end, std::function<void()> action) {
    end.connection.bytes_hook = [&end, action = std::move(action)](TestConnection&, std::string_view bytes) {
      end.got += bytes;
      action();
      return bytes.size();
    };
  }

  Loop loop{backend_under_test()};
  std::vector<std::unique_ptr<End>> ends;
};

TEST_F(Ahead, each_gets_its_own_bytes_with_what_it_had_left) {
  const std::vector<std::size_t> sizes = {20, 4095, 1, 60'000, 300, 4096, 64, 20'000, 4097, 100, 63};
  constexpr std::size_t count = 150;
  constexpr std::size_t left = 10;  // bytes of the first piece that wait for the second
  const auto first_of = [&](std::size_t i) { return varied_bytes(sizes[i % sizes.size()] + left + i).substr(i); };
  const auto second_of = [&](std::size_t i) {
    return varied_bytes(sizes[(i + 3) % sizes.size()] + 2 * i).substr(2 * i);
  };
  std::size_t began = 0;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < count; ++i) {
    End& end = add();
    const std::size_t first = first_of(i).size();
    const std::size_t whole = first + second_of(i).size();
    end.connection.stream.expect_large(i % 7 == 0);
    end.connection.bytes_hook = [&, first, whole](TestConnection&, std::string_view bytes) {
      const bool begins = end.got.size() + bytes.size() == first;
      const std::size_t kept = begins ? std::min(left, bytes.size()) : 0;
      end.got += bytes.substr(0, bytes.size() - kept);
      if (begins && ++began == count) {
        for (std::size_t k = 0; k < count; ++k) EXPECT_TRUE(ends[k]->peer.send(second_of(k)));
      }
      if (end.got.size() == whole && ++ended == count) loop.stop();
      return bytes.size() - kept;
    };
  }
  for (std::size_t i = 0; i < count; ++i) ASSERT_TRUE(ends[i]->peer.send(first_of(i)));
  loop.run();
  for (std::size_t i = 0; i < count; ++i) EXPECT_TRUE(ends[i]->got == first_of(i) + second_of(i)) << i;
}

TEST_F(Ahead, one_that_another_closes_is_told_nothing_more) {
  End& first = add();
  End& second = add();
  End& third = add();
  then(first, [&] {
    EXPECT_EQ(loop.counters().receives.value(), io_under_test() == Io::Epoll ? 3U : 1U);
    second.connection.stream.close();
  });
  then(third, [&] { loop.stop(); });
  for (const auto& end : ends) ASSERT_TRUE(end->peer.send("some"));
  loop.run();
  EXPECT_EQ(first.got, "some");
  EXPECT_EQ(second.got, "");
  EXPECT_EQ(third.got, "some");
}

TEST_F(Ahead, one_that_another_pauses_gets_its_bytes_when_it_goes_on) {
  End& first = add();
  End& second = add();
  End& third = add();
  then(first, [&] {
    second.connection.stream.pause();
    EXPECT_TRUE(second.connection.stream.has_unread());
    EXPECT_TRUE(second.peer.send(" and more"));
  });
  then(third, [&] {
    EXPECT_EQ(second.got, "");
    second.connection.stream.resume();
  });
  then(second, [&] {
    if (second.got == "some and more") loop.stop();
  });
  for (const auto& end : ends) ASSERT_TRUE(end->peer.send("some"));
  loop.run();
  EXPECT_EQ(second.got, "some and more");
}

TEST_F(Ahead, an_end_behind_the_bytes_is_told_after_them) {
  End& first = add();
  End& second = add();
  then(first, [&] { second.peer.shutdown_write(); });
  second.connection.end_hook = [&](TestConnection&) {
    second.got += ", end";
    loop.stop();
  };
  for (const auto& end : ends) ASSERT_TRUE(end->peer.send("some"));
  loop.run();
  EXPECT_EQ(second.got, "some, end");
}

}  // namespace
}  // namespace tern::net
