// Parts of files on a stream: in order with other output, sent by the kernel, and ended by a file that is too short.
#include "net/send_file.hpp"

#include "net/output.hpp"
#include "net/test_server.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <string>
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
  connection.stream.send(FilePart{file, 1000, 2'000'000});
  connection.stream.send(" between ");
  connection.stream.send(FilePart{file, 0, 10});
  connection.stream.send(FilePart{file, 0, 0});
  connection.stream.send(FilePart{file, 2'500'000, 500'000});
  output.append(" tail");
  connection.stream.send(output);
  EXPECT_GT(connection.stream.unsent(), 2'000'000U);
  EXPECT_LT(connection.stream.held(), 1000U) << "parts of files hold no memory";
  EXPECT_TRUE(received() == "head " + content.substr(1000, 2'000'000) + " between " + content.substr(0, 10) +
                                content.substr(2'500'000) + " tail");
}

TEST_F(StreamOfFiles, a_part_beyond_the_end_of_its_file_ends_the_connection) {
  connection.stream.send(FilePart{file_with("short"), 0, 100});
  loop.run();
  EXPECT_EQ(why.value(), ENODATA);
  EXPECT_EQ(peer.receive_all(), "short");
}

TEST_F(StreamOfFiles, one_that_is_truncated_while_it_waits_ends_the_connection) {
  const base::SharedFile file = file_with(varied_bytes(3'000'000));
  connection.stream.send(FilePart{file, 0, 3'000'000});
  ASSERT_GT(connection.stream.unsent(), 0U);
  ASSERT_EQ(::ftruncate(file.descriptor(), 10), 0);
  EXPECT_LT(received().size(), 3'000'000U);
  EXPECT_EQ(why.value(), ENODATA);
}

TEST_F(StreamOfFiles, a_peer_that_has_gone_raises_no_sigpipe) {
  peer.close();
  connection.stream.send(FilePart{file_with("never read"), 0, 10});
  EXPECT_FALSE(connection.stream.is_open());
  loop.run();
  EXPECT_EQ(why, std::errc::broken_pipe);
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
