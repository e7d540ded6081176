// Sessions whose sending is taken over, by a sealer that does in memory what the kernel does: OpenSSL's own client
// must understand it.
#include "tls/sealer.hpp"

#include "tls/test_pair.hpp"
#include "tls/ticket_keys.hpp"

#include <gtest/gtest.h>
#include <linux/tls.h>

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tern::tls {
namespace {

// AES-256-GCM of TLS 1.2 (RFC 5288) and 1.3 (RFC 8446, section 5.2).
class TestSealer final : public Sealer {
public:
  explicit TestSealer(bool willing = true) : willing_(willing) {}

  bool seal(const void* parameters) override {
    ++times_asked;
    if (!willing_) return false;
    std::memcpy(&info_, parameters, sizeof info_.info);
    EXPECT_EQ(info_.info.cipher_type, TLS_CIPHER_AES_GCM_256);
    std::memcpy(&info_, parameters, sizeof info_);
    before_ = std::exchange(*out_, {});
    return true;
  }
  void send_record(std::uint8_t type, std::string_view content) override {
    types.push_back(type);
    write(type, content);
  }
  void send(std::string_view content) {
    for (std::size_t at = 0; at < content.size(); at += 16'384) write(23, content.substr(at, 16'384));
  }
  // What a socket would have been given so far.
  std::string take_sent() { return std::exchange(before_, {}) + std::exchange(records_, {}); }

  void watch(std::string& out) { out_ = &out; }

  std::vector<int> types;  // of the records that are not application data
  int times_asked = 0;

private:
  void write(std::uint8_t type, std::string_view content) {
    const bool tls13 = info_.info.version == TLS_1_3_VERSION;
    const std::string sequence(reinterpret_cast<const char*>(info_.rec_seq), 8);
    const std::string iv(reinterpret_cast<const char*>(info_.iv), 8);
    std::string plain(content);
    if (tls13) plain += static_cast<char>(type);
    const std::size_t size = plain.size() + 16 + (tls13 ? 0 : 8);
    std::string header = {static_cast<char>(tls13 ? 23 : type), 3, 3, static_cast<char>(size >> 8U),
                          static_cast<char>(size & 255U)};
    std::string nonce = std::string(reinterpret_cast<const char*>(info_.salt), 4) + iv;
    std::string extra = header;
    if (tls13) {
      for (std::size_t i = 0; i < 8; ++i) nonce[4 + i] = static_cast<char>(nonce[4 + i] ^ sequence[i]);
    } else {
      extra = sequence + header.substr(0, 3) + static_cast<char>(plain.size() >> 8U) +
              static_cast<char>(plain.size() & 255U);
      header += iv;
      count(info_.iv);
    }
    records_ += header + sealed(plain, nonce, extra);
    count(info_.rec_seq);
  }
  std::string sealed(const std::string& plain, const std::string& nonce, const std::string& extra) const {
    const auto bytes = [](const std::string& text) { return reinterpret_cast<const unsigned char*>(text.data()); };
    const std::unique_ptr<EVP_CIPHER_CTX, Freed<EVP_CIPHER_CTX_free>> cipher(EVP_CIPHER_CTX_new());
    std::string result(plain.size() + 16, '\0');
    auto* to = reinterpret_cast<unsigned char*>(result.data());
    int size = 0;
    EVP_EncryptInit_ex(cipher.get(), EVP_aes_256_gcm(), nullptr, info_.key, bytes(nonce));
    EVP_EncryptUpdate(cipher.get(), nullptr, &size, bytes(extra), static_cast<int>(extra.size()));
    EVP_EncryptUpdate(cipher.get(), to, &size, bytes(plain), static_cast<int>(plain.size()));
    EVP_EncryptFinal_ex(cipher.get(), to + size, &size);
    EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_GCM_GET_TAG, 16, to + plain.size());
    return result;
  }
  static void count(unsigned char (&number)[8]) {
    for (int i = 7; i >= 0 && ++number[i] == 0; --i) {
    }
  }

  const bool willing_;
  tls12_crypto_info_aes_gcm_256 info_{};
  std::string* out_ = nullptr;
  std::string before_;
  std::string records_;
};

constexpr int handshake = 22;
constexpr int alert = 21;

class SealerTest : public ::testing::TestWithParam<int> {
protected:
  static constexpr const char* cipher = "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-AES256-GCM-SHA384";

  std::shared_ptr<const Context> context(bool kernel = true) {
    Config config{.certificates = {{certificate_, ""}}};
    config.kernel = kernel;
    return make_context(config);
  }
  // As Pair::talk(), where what is sent may come from either.
  static void talk(Pair& pair, TestSealer& sealer, std::size_t step = Session::most_received) {
    sealer.watch(pair.out);
    for (;;) {
      const std::string from_client = pair.client.output();
      pair.feed(from_client, step);
      const std::string to_client = sealer.take_sent() + std::exchange(pair.out, {});
      if (from_client.empty() && to_client.empty()) return;
      pair.client.take(to_client);
    }
  }

  TemporaryDirectory files_;
  Issued issued_ = issue({.common_name = "first", .hosts = {"first.example"}});
  std::string certificate_ = files_.write("first.pem", issued_.certificate_pem() + issued_.key_pem());
};

INSTANTIATE_TEST_SUITE_P(versions, SealerTest, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) { return version.param == TLS1_2_VERSION ? "tls12" : "tls13"; });

TEST_P(SealerTest, takes_over_and_is_understood) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  ASSERT_TRUE(pair.server.is_open());
  EXPECT_TRUE(pair.server.sealed());
  EXPECT_EQ(sealer.times_asked, 1);
  // The rest of the handshake: Finished, or two tickets.
  EXPECT_EQ(sealer.types,
            GetParam() == TLS1_2_VERSION ? std::vector({handshake}) : std::vector({handshake, handshake}));
  EXPECT_GT(pair.client.tickets(), 0);
  const std::string text(100'000, 'x');
  sealer.send(text);
  pair.client.send("a request");
  talk(pair, sealer);
  EXPECT_EQ(pair.client.received(), text);
  EXPECT_EQ(pair.received, "a request");
  pair.server.close(pair.out);
  EXPECT_EQ(pair.out, "");
  EXPECT_EQ(sealer.types.back(), alert);
  talk(pair, sealer);
  EXPECT_TRUE(pair.client.ended());
}

TEST_P(SealerTest, takes_over_however_the_bytes_are_split) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer, 1);
  ASSERT_TRUE(pair.server.sealed());
  sealer.send("an answer");
  talk(pair, sealer, 1);
  EXPECT_EQ(pair.client.received(), "an answer");
}

TEST_P(SealerTest, takes_over_a_session_that_is_resumed) {
  const auto shared = context();
  TestSealer before;
  Pair first(shared, {.version = GetParam(), .ciphers = cipher}, &before);
  talk(first, before);
  TestSealer sealer;
  Pair second(shared, {.version = GetParam(), .resumes = first.client.session(), .ciphers = cipher}, &sealer);
  talk(second, sealer);
  ASSERT_TRUE(second.server.sealed());
  EXPECT_TRUE(second.server.resumed());
  sealer.send("an answer");
  talk(second, sealer);
  EXPECT_EQ(second.client.received(), "an answer");
}

TEST_P(SealerTest, that_does_not_leaves_it_to_OpenSSL) {
  TestSealer sealer(false);
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  ASSERT_TRUE(pair.server.is_open());
  EXPECT_FALSE(pair.server.sealed());
  EXPECT_EQ(sealer.times_asked, 1);
  EXPECT_TRUE(pair.server.send("an answer", pair.out));
  pair.server.close(pair.out);
  talk(pair, sealer);
  EXPECT_EQ(pair.client.received(), "an answer");
  EXPECT_TRUE(pair.client.ended());
  EXPECT_EQ(sealer.types, std::vector<int>());
}

TEST_P(SealerTest, is_not_asked_unless_that_is_wanted) {
  TestSealer sealer;
  Pair pair(context(false), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  EXPECT_TRUE(pair.server.is_open());
  EXPECT_EQ(sealer.times_asked, 0);
}

TEST_P(SealerTest, sends_the_alert_of_a_failure) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  sealer.take_sent();
  pair.feed(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x'));
  EXPECT_TRUE(pair.server.failed());
  EXPECT_EQ(sealer.types.back(), alert);
  pair.client.take(sealer.take_sent());
  EXPECT_TRUE(pair.client.failed());
}

class Renegotiations : public SealerTest {};  // of which TLS 1.3 has none
INSTANTIATE_TEST_SUITE_P(versions, Renegotiations, ::testing::Values(TLS1_2_VERSION),
                         [](const auto&) { return "tls12"; });

TEST_P(Renegotiations, are_answered_with_a_warning) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  SSL_renegotiate(pair.client.ssl());
  SSL_do_handshake(pair.client.ssl());
  talk(pair, sealer);
  EXPECT_EQ(sealer.types.back(), alert);
}

class KeyUpdates : public SealerTest {};
INSTANTIATE_TEST_SUITE_P(versions, KeyUpdates, ::testing::Values(TLS1_3_VERSION), [](const auto&) { return "tls13"; });

TEST_P(KeyUpdates, of_the_peers_own_change_nothing) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  SSL_key_update(pair.client.ssl(), SSL_KEY_UPDATE_NOT_REQUESTED);
  pair.client.send("a request");
  talk(pair, sealer);
  EXPECT_EQ(pair.received, "a request");
  sealer.send("an answer");
  talk(pair, sealer);
  EXPECT_EQ(pair.client.received(), "an answer");
}

TEST_P(KeyUpdates, that_ask_for_ours_end_the_session_in_good_order) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  sealer.send("an answer");
  pair.client.send("before");
  SSL_key_update(pair.client.ssl(), SSL_KEY_UPDATE_REQUESTED);
  pair.client.send("after");
  talk(pair, sealer);
  EXPECT_EQ(pair.received, "before");
  EXPECT_TRUE(pair.server.failed());
  EXPECT_STREQ(pair.server.why(), "new keys were asked for, and the kernel keeps its own");
  EXPECT_EQ(pair.client.received(), "an answer");
  EXPECT_TRUE(pair.client.ended());
  EXPECT_FALSE(pair.client.failed());
}

TEST_P(KeyUpdates, that_ask_for_ours_and_nothing_else_end_it_too) {
  TestSealer sealer;
  Pair pair(context(), {.version = GetParam(), .ciphers = cipher}, &sealer);
  talk(pair, sealer);
  SSL_key_update(pair.client.ssl(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(pair.client.ssl());
  talk(pair, sealer);
  EXPECT_TRUE(pair.server.failed());
  EXPECT_TRUE(pair.client.ended());
}

}  // namespace
}  // namespace tern::tls
