// Parts of files on a stream: in order with other output, sent by the kernel, and ended by a file that is too short.
#include "net/send_file.hpp"

#include "net/output.hpp"
#include "net/send_queue.hpp"
#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <string>
#include <system_error>
#include <thread>

namespace tern::net {
namespace {

base::SharedFile file_with(std::string_view content) {
  const int descriptor = ::open(::testing::TempDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  EXPECT_EQ(::pwrite(descriptor, content.data(), content.size(), 0), static_cast<ssize_t>(content.size()));
  return base::SharedFile(descriptor);
}

class StreamOfFiles : public ::testing::Test {
protected:
  StreamOfFiles() {
    auto [near, far] = connected_pair();
    peer = std::move(near);
    connection.closed_hook = [this](TestConnection&, std::error_code error) {
      why = error;
      loop.stop();
    };
    connection.stream.open(loop, std::move(far), connection);
  }
  ~StreamOfFiles() override {
    if (connection.times_closed != 0) return;
    connection.stream.close();
    loop.run();
  }

  void send_part(const base::SharedFile& file, std::uint64_t offset, std::size_t size) {
    Output output;
    output.append_file({file, offset, size});
    connection.stream.send(output);
  }

  // Receives everything until the stream, which is to close when its output is sent.
  std::string received() {
    connection.sent_hook = [](TestConnection& self) { self.stream.close(); };
    std::string all;
    std::thread reader([&] { all = peer.receive_all(); });
    loop.run();
    reader.join();
    return all;
  }

  Loop loop;
  Peer peer;
  TestConnection connection;
  std::error_code why;
};

TEST_F(StreamOfFiles, parts_are_in_order_with_other_output) {
  const std::string content = varied_bytes(3'000'000);
  const base::SharedFile file = file_with(content);
  Output output;
  output.append("head ");
  connection.stream.send(output);
  send_part(file, 1000, 2'000'000);
  connection.stream.send(" between ");
  send_part(file, 0, 10);
  send_part(file, 0, 0);
  send_part(file, 2'500'000, 500'000);
  output.append(" tail");
  connection.stream.send(output);
  EXPECT_GT(connection.stream.unsent(), 2'000'000U);
  EXPECT_LT(connection.stream.held(), 1000U) << "parts of files hold no memory";
  EXPECT_TRUE(received() == "head " + content.substr(1000, 2'000'000) + " between " + content.substr(0, 10) +
                                content.substr(2'500'000) + " tail");
}

TEST_F(StreamOfFiles, one_output_may_hold_files_between_other_pieces) {
  const std::string content = varied_bytes(300'000);
  const base::SharedFile file = file_with(content);
  const std::string large(2 * Output::large, 'l');
  Output head;
  head.append("head ");
  Output output;
  output.append("first ");
  output.append_file({file, 0, 100'000});
  output.append(std::string(large));
  output.append_file({file, 200'000, 100'000});
  output.append(" last");
  head.append(output);
  EXPECT_TRUE(output.empty());
  EXPECT_FALSE(output.has_files());
  EXPECT_EQ(head.size(), 16 + 200'000 + large.size());
  connection.stream.send(head);
  connection.stream.send(" behind");
  EXPECT_TRUE(received() ==
              "head first " + content.substr(0, 100'000) + large + content.substr(200'000) + " last behind");
}

TEST_F(StreamOfFiles, a_part_beyond_the_end_of_its_file_ends_the_connection) {
  send_part(file_with("short"), 0, 100);
  loop.run();
  EXPECT_EQ(why.value(), ENODATA);
  EXPECT_EQ(peer.receive_all(), "short");
}

TEST_F(StreamOfFiles, one_that_is_truncated_while_it_waits_ends_the_connection) {
  const base::SharedFile file = file_with(varied_bytes(3'000'000));
  send_part(file, 0, 3'000'000);
  ASSERT_GT(connection.stream.unsent(), 0U);
  ASSERT_EQ(::ftruncate(file.descriptor(), 10), 0);
  EXPECT_LT(received().size(), 3'000'000U);
  EXPECT_EQ(why.value(), ENODATA);
}

TEST_F(StreamOfFiles, a_peer_that_has_gone_raises_no_sigpipe) {
  loop.post([this] {
    peer.close();
    send_part(file_with("never read"), 0, 10);
    EXPECT_FALSE(connection.stream.is_open());
  });
  loop.run();
  sigset_t blocked{};
  ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
  EXPECT_EQ(::sigismember(&blocked, SIGPIPE), 0);  // only while the loop runs
  EXPECT_EQ(why, std::errc::broken_pipe);
}

TEST(SendQueue, reads_pieces_and_files_in_order) {
  const std::string content = varied_bytes(10'000);
  Output output;
  output.append("head ");
  output.append_file({file_with(content), 1000, 5000});
  output.append(" tail");
  SendQueue queue;
  queue.take(output, 0);
  EXPECT_TRUE(queue.has_files());
  std::string all;
  while (queue.size() != 0) {
    std::string piece(std::min<std::size_t>(queue.size(), 701), '\0');
    ASSERT_TRUE(queue.read(piece));
    all += piece;
  }
  EXPECT_TRUE(all == "head " + content.substr(1000, 5000) + " tail");
  EXPECT_FALSE(queue.has_files());
}

TEST(SendQueue, tells_that_a_file_is_too_short) {
  Output output;
  output.append_file({file_with("short"), 0, 10});
  SendQueue queue;
  queue.take(output, 0);
  std::string bytes(10, '\0');
  EXPECT_FALSE(queue.read(bytes));
}

TEST(SendFile, tells_that_the_socket_is_full) {
  auto [near, far] = connected_pair();
  const base::SharedFile file = file_with(std::string(1'000'000, 'x'));
  ssize_t sent = 1;
  while (sent > 0) sent = send_file(far.number(), file.descriptor(), 0, 1'000'000);
  EXPECT_EQ(sent, 0);
  EXPECT_EQ(send_file(far.number(), -1, 0, 10), -EBADF);
}

}  // namespace
}  // namespace tern::net
