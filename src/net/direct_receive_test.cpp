// Direct receive: Stream::allow_direct_receive(), on_direct_receive() and receive_into().
#include "net/loop.hpp"
#include "net/stream.hpp"
#include "net/test_peer.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <algorithm>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace tern::net {
namespace {

// Gets bytes by on_bytes(), then `to_take` by direct receive, then by on_bytes() again; counts both.
struct DirectReceiver final : StreamHandler {
  explicit DirectReceiver(std::size_t size) : to_take(size) {}

  std::size_t on_bytes(std::span<const char> bytes) override {
    if (all.empty()) delivered_first = bytes.size();
    const std::size_t count = std::min(bytes.size(), most);
    all.append(bytes.data(), count);
    stream.allow_direct_receive(to_take != 0);
    reached();
    return count;
  }
  bool on_direct_receive() override {
    if (to_take == 0) return false;
    const std::size_t before = all.size();
    all.resize(before + std::min<std::size_t>(to_take, 300'000));
    const std::size_t count = stream.receive_into({all.data() + before, all.size() - before});
    all.resize(before + count);
    to_take -= count;
    taken += count;
    if (to_take == 0) stream.allow_direct_receive(false);
    reached();
    return true;
  }
  void on_end() override {
    ++ends;
    stream.close();
  }
  void on_sent() override {}
  void on_closed(std::error_code error) override {
    ++closed;
    why = error;
    loop->stop();
  }

  void reached() {
    if (all.size() == whole) return stream.close();
    if (all.size() >= stop_at) loop->stop();
  }

  Loop* loop = nullptr;
  Stream stream;
  std::string all;
  std::size_t most = static_cast<std::size_t>(-1);
  std::size_t stop_at = static_cast<std::size_t>(-1);
  std::size_t whole = static_cast<std::size_t>(-1);
  std::size_t to_take;
  std::size_t taken = 0;
  std::size_t delivered_first = 0;
  int ends = 0;
  int closed = 0;
  std::error_code why;
};

// The peer waits until what it sends is taken.
std::pair<Peer, Descriptor> pair_with_waiting_peer() {
  auto [peer, socket] = connected_pair();
  ::fcntl(peer.number(), F_SETFL, ::fcntl(peer.number(), F_GETFL) & ~O_NONBLOCK);
  return {std::move(peer), std::move(socket)};
}

void open(Loop& loop, DirectReceiver& taker, Descriptor socket) {
  taker.loop = &loop;
  taker.stream.open(loop, std::move(socket), taker);
}

TEST(Taking, gets_the_bytes_in_order_and_none_that_it_does_not_ask_for) {
  for (const std::size_t size : {1UL, 299'999UL, 300'000UL, 1'000'000UL, 2'000'000UL}) {
    Loop loop;
    auto [peer, socket] = pair_with_waiting_peer();
    DirectReceiver taker(size);
    open(loop, taker, std::move(socket));
    const std::string bytes = varied_bytes(10'000'000);  // a ring presents what it has received before it lets take
    std::thread writer([&sender = peer, &bytes] {
      EXPECT_TRUE(sender.send(bytes));
      sender.shutdown_write();
    });
    loop.run();
    writer.join();
    EXPECT_TRUE(taker.all == bytes) << size;
    EXPECT_EQ(taker.taken, size);
    EXPECT_EQ(taker.ends, 1);
    EXPECT_EQ(taker.closed, 1);
  }
}

// Of what is large, it can take all but the beginning.
TEST(Taking, has_only_the_beginning_presented_where_much_is_expected) {
  Loop loop;
  auto [peer, socket] = pair_with_waiting_peer();
  const std::string bytes = varied_bytes(100'000);
  ASSERT_TRUE(peer.send(bytes));
  DirectReceiver taker(bytes.size() - 16 * 1024);
  taker.whole = bytes.size();
  open(loop, taker, std::move(socket));
  taker.stream.expect_large(true);
  loop.run();
  EXPECT_TRUE(taker.all == bytes);
  EXPECT_EQ(taker.delivered_first, 16U * 1024);
  EXPECT_EQ(taker.taken, bytes.size() - 16 * 1024);
}

TEST(Taking, waits_until_what_was_presented_is_consumed) {
  Loop loop;
  auto [peer, socket] = pair_with_waiting_peer();
  DirectReceiver taker(2'000'000);
  taker.most = 10;  // the rest of what was delivered has to come by on_bytes(), too
  taker.stop_at = 10;
  open(loop, taker, std::move(socket));
  const std::string bytes = varied_bytes(3'000'000);
  std::thread writer([&sender = peer, &bytes] { EXPECT_TRUE(sender.send(bytes)); });
  loop.run();
  EXPECT_EQ(taker.taken, 0U);
  EXPECT_TRUE(bytes.starts_with(taker.all));
  taker.most = static_cast<std::size_t>(-1);
  taker.stop_at = static_cast<std::size_t>(-1);
  taker.whole = bytes.size();
  loop.run();
  writer.join();
  EXPECT_TRUE(taker.all == bytes);
  EXPECT_EQ(taker.taken, 2'000'000U);
}

TEST(Taking, hears_of_the_end_in_the_midst) {
  Loop loop;
  auto [peer, socket] = pair_with_waiting_peer();
  DirectReceiver taker(2'000'000);
  open(loop, taker, std::move(socket));
  const std::string bytes = varied_bytes(500'000);
  std::thread writer([&sender = peer, &bytes] {
    EXPECT_TRUE(sender.send(bytes));
    sender.close();
  });
  loop.run();
  writer.join();
  EXPECT_TRUE(taker.all == bytes);
  EXPECT_EQ(taker.ends, 1);
  EXPECT_EQ(taker.closed, 1);
}

}  // namespace
}  // namespace tern::net
