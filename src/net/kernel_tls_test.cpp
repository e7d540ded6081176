// Streams that the kernel seals for, against a peer that the kernel opens for: one key for both. Most of it is skipped
// where the kernel has no TLS; script/try-kernel-tls runs it under one that has.
#include "net/kernel_tls.hpp"

#include "net/test_server.hpp"

#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::net {
namespace {

constexpr std::uint8_t alert = 21;
constexpr std::string_view goodbye("\x01\x00", 2);

tls12_crypto_info_aes_gcm_128 some_key(std::uint16_t version = TLS_1_3_VERSION) {
  tls12_crypto_info_aes_gcm_128 key{};
  key.info.version = version;
  key.info.cipher_type = TLS_CIPHER_AES_GCM_128;
  std::memset(key.key, 7, sizeof key.key);
  return key;
}

// What came, by records: their types, where they are not application data.
struct Opened {
  std::string content;
  std::vector<int> others;
  bool ended = false;  // by a FIN
};

// A blocking socket that the kernel opens for.
class OpeningPeer {
public:
  OpeningPeer(Peer peer, std::uint16_t version) : peer_(std::move(peer)) {
    const auto key = some_key(version);
    EXPECT_EQ(::setsockopt(peer_.number(), IPPROTO_TCP, TCP_ULP, "tls", sizeof "tls"), 0);
    EXPECT_EQ(::setsockopt(peer_.number(), SOL_TLS, TLS_RX, &key, sizeof key), 0);
  }

  // One receive; false at the end.
  bool receive(Opened& opened) {
    pollfd ready{.fd = peer_.number(), .events = POLLIN, .revents = 0};
    if (::poll(&ready, 1, Peer::patience) != 1) return false;
    char bytes[16 * 1024];
    iovec piece{.iov_base = bytes, .iov_len = sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(1)];
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t count = ::recvmsg(peer_.number(), &message, 0);
    if (count <= 0) {
      opened.ended = count == 0;
      return false;
    }
    const cmsghdr* header = CMSG_FIRSTHDR(&message);
    const std::uint8_t type = header != nullptr ? *CMSG_DATA(header) : std::uint8_t{23};
    if (type != 23) {
      opened.others.push_back(type);
    } else {
      opened.content.append(bytes, static_cast<std::size_t>(count));
    }
    return true;
  }
  Opened receive_all() {
    Opened opened;
    while (receive(opened)) {
    }
    return opened;
  }
  Peer& plain() { return peer_; }

private:
  Peer peer_;
};

class KernelTls : public ::testing::TestWithParam<int> {
protected:
  void SetUp() override {
    if (const std::string why_not = why_no_kernel_tls(); !why_not.empty()) GTEST_SKIP() << why_not;
  }
  std::uint16_t version() const { return static_cast<std::uint16_t>(GetParam()); }

  // A server whose connections are sealed by the first byte that comes, and then do `then`.
  TestServer::Shape sealing(std::function<void(TestConnection&)> then) {
    return [this, then = std::move(then)](TestConnection& connection) {
      connection.bytes_hook = [this, then](TestConnection& same, std::string_view bytes) {
        const auto key = some_key(version());
        EXPECT_TRUE(same.stream.seal(&key));
        then(same);
        return bytes.size();
      };
      connection.end_hook = [](TestConnection& same) { same.stream.close(); };
    };
  }
  OpeningPeer connect(const TestServer& server, int receive_buffer = 0) {
    OpeningPeer peer(Peer::connect(server.address, receive_buffer), version());
    peer.plain().send("x");
    return peer;
  }
};

INSTANTIATE_TEST_SUITE_P(versions, KernelTls, ::testing::Values(TLS_1_2_VERSION, TLS_1_3_VERSION),
                         [](const auto& version) { return version.param == TLS_1_2_VERSION ? "tls12" : "tls13"; });

TEST_P(KernelTls, seals_what_is_sent_and_says_goodbye) {
  for (const std::size_t size : {1U, 16U * 1024, 10'000'000U}) {
    const std::string content = varied_bytes(size);
    TestServer server(sealing([&](TestConnection& connection) {
      Output output;
      output.append("head");
      output.append(std::string(content));
      connection.stream.send(output);
      connection.stream.send_record(alert, goodbye);
      connection.stream.shutdown_write();
    }));
    OpeningPeer peer = connect(server);
    Opened opened;
    while (opened.others.empty() && peer.receive(opened)) {
    }
    EXPECT_EQ(opened.content, "head" + content);
    EXPECT_EQ(opened.others, std::vector<int>{alert});
  }
}

TEST_P(KernelTls, ends_its_side_at_once_where_nothing_is_left_behind) {
  TestServer server(sealing([](TestConnection& connection) {
    connection.stream.send("short");
    connection.stream.send_record(alert, goodbye);
    connection.stream.shutdown_write();
  }));
  OpeningPeer peer = connect(server);
  const Opened opened = peer.receive_all();
  EXPECT_EQ(opened.content, "short");
  EXPECT_TRUE(opened.ended);
}

TEST_P(KernelTls, records_keep_their_place_when_the_socket_is_full) {
  const std::string content = varied_bytes(6'000'000);
  TestServer server(sealing([&](TestConnection& connection) {
    connection.stream.send(content);
    EXPECT_NE(connection.stream.unsent(), 0U);
    connection.stream.send_record(22, "between");
    connection.stream.send(content);
    connection.stream.send_record(alert, goodbye);
    connection.stream.shutdown_write();
  }));
  OpeningPeer peer = connect(server, 8 * 1024);
  Opened opened;
  while (opened.others.empty() && peer.receive(opened)) {
  }
  EXPECT_EQ(opened.content.size(), content.size());
  EXPECT_EQ(opened.others, std::vector<int>{22});
  while (opened.others.size() < 2 && peer.receive(opened)) {
  }
  EXPECT_TRUE(opened.content == content + content);
  EXPECT_EQ(opened.others, (std::vector<int>{22, alert}));
}

// Everything is with the kernel, which has not sealed, or handed to TCP, all of it when the stream is closed.
TEST_P(KernelTls, a_close_loses_nothing_that_the_kernel_has_taken) {
  for (int i = 0; i < 20; ++i) {
    std::string sent;
    TestServer server(sealing([&, i](TestConnection& connection) {
      const std::string piece = varied_bytes(10'000 + static_cast<std::size_t>(i) * 777);
      for (;;) {
        connection.stream.send(piece);
        if (connection.stream.unsent() != 0) break;
        sent += piece;
      }
      sent += piece.substr(0, piece.size() - connection.stream.unsent());
      connection.stream.close();
    }));
    OpeningPeer peer = connect(server, 8 * 1024);
    Opened opened;
    ASSERT_TRUE(peer.receive(opened));
    while (peer.receive(opened)) {
    }
    EXPECT_TRUE(opened.ended);
    EXPECT_TRUE(opened.content == sent) << opened.content.size() << " of " << sent.size();
  }
}

TEST_P(KernelTls, how_much_is_undelivered_shows_whether_the_peer_reads) {
  TestServer server(sealing([&](TestConnection& connection) { connection.stream.send(varied_bytes(20'000'000)); }));
  OpeningPeer peer = connect(server, 8 * 1024);
  Opened opened;
  ASSERT_TRUE(peer.receive(opened));
  const auto undelivered = [&] {
    return server.thread.on_loop([&] { return server.connections.begin()->second->stream.undelivered(); });
  };
  const std::size_t first = undelivered();
  std::size_t last = first;
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(peer.receive(opened));
    const std::size_t now = undelivered();
    EXPECT_LE(now, last);
    last = now;
  }
  EXPECT_GT(first - last, opened.content.size() / 2);
}

TEST_P(KernelTls, an_abort_waits_for_nobody) {
  TestServer server(sealing([&](TestConnection& connection) {
    connection.stream.send(varied_bytes(20'000'000));
    connection.stream.abort();
  }));
  OpeningPeer peer = connect(server, 8 * 1024);
  EXPECT_EQ(server.first_closed.get_future().get(), std::error_code());
}

TEST_P(KernelTls, a_stream_that_is_closed_and_waits_goes_with_an_abort) {
  TestServer server(sealing([&](TestConnection& connection) {
    connection.stream.send(varied_bytes(20'000'000));
    connection.stream.close();
  }));
  OpeningPeer peer = connect(server, 8 * 1024);
  Opened opened;
  ASSERT_TRUE(peer.receive(opened));
  EXPECT_EQ(server.thread.on_loop([&] { return server.connections.size(); }), 1U);
  server.thread.on_loop([&] { server.connections.begin()->second->stream.abort(); });
  EXPECT_EQ(server.first_closed.get_future().get(), std::error_code());
}

// --- Everywhere

TEST(KernelTlsMissing, a_stream_that_is_refused_goes_on_as_it_was) {
  TestServer server([](TestConnection& connection) {
    connection.bytes_hook = [](TestConnection& same, std::string_view bytes) {
      auto key = some_key();
      key.info.cipher_type = 4711;
      EXPECT_FALSE(same.stream.seal(&key));
      if (!why_no_kernel_tls().empty()) {
        key = some_key();
        EXPECT_FALSE(same.stream.seal(&key));
      }
      same.stream.send(bytes);
      return bytes.size();
    };
  });
  Peer peer = Peer::connect(server.address);
  peer.send("in clear");
  EXPECT_EQ(peer.receive(8), "in clear");
}

TEST(KernelTlsMissing, a_Unix_socket_is_refused) {
  auto [peer, socket] = connected_pair();
  const auto key = some_key();
  EXPECT_FALSE(seal_socket(socket.number(), &key));
}

}  // namespace
}  // namespace tern::net
