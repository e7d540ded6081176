// Sessions against OpenSSL's client, in memory.
#include "tls/session.hpp"

#include "tls/session_pair.hpp"
#include "tls/ticket_keys.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tern::tls {
namespace {

std::string some_text(std::size_t size) {
  std::string text;
  while (text.size() < size) text += std::to_string(text.size()) + ' ';
  text.resize(size);
  return text;
}

class SessionTest : public ::testing::TestWithParam<int> {
protected:
  Config config() { return {.certificates = {{certificate_, ""}}}; }
  Config config_with_clients(ClientCertificates mode) {
    Config all = config();
    all.client = mode;
    all.client_ca = files_.write("ca.pem", authority_.certificate_pem());
    return all;
  }
  ClientOptions options() { return {.version = GetParam()}; }

  TemporaryDirectory files_;
  Issued issued_ = issue({.common_name = "first", .hosts = {"first.example"}});
  std::string certificate_ = files_.write("first.pem", issued_.certificate_pem() + issued_.key_pem());
  Issued authority_ = issue({.common_name = "authority", .authority = true});
};

INSTANTIATE_TEST_SUITE_P(versions, SessionTest, ::testing::Values(TLS1_2_VERSION, TLS1_3_VERSION),
                         [](const auto& version) { return version.param == TLS1_2_VERSION ? "tls12" : "tls13"; });

TEST_P(SessionTest, shakes_hands_and_carries_bytes_both_ways) {
  SessionPair pair(make_context(config()), options());
  EXPECT_FALSE(pair.server.is_open());
  pair.run();
  ASSERT_TRUE(pair.server.is_open());
  EXPECT_EQ(pair.server.version(), GetParam() == TLS1_2_VERSION ? "TLSv1.2" : "TLSv1.3");
  EXPECT_NE(pair.server.cipher(), "");
  EXPECT_EQ(pair.server.protocol(), "");
  EXPECT_EQ(pair.server.server_name(), "");
  EXPECT_FALSE(pair.server.client_certificate());
  const std::string text = some_text(200'000);
  pair.client.send(text);
  pair.run();
  EXPECT_EQ(pair.received, text);
  EXPECT_TRUE(pair.server.send(text, pair.out));
  pair.run();
  EXPECT_EQ(pair.client.received(), text);
}

TEST_P(SessionTest, does_not_care_how_the_bytes_are_split) {
  for (const std::size_t step : {1U, 2U, 3U, 5U, 7U, 100U, 1000U, 16389U}) {
    SessionPair pair(make_context(config()), options());
    pair.run(step);
    ASSERT_TRUE(pair.server.is_open()) << step;
    const std::string text = some_text(40'000);
    pair.client.send(text);
    EXPECT_TRUE(pair.server.send(text, pair.out));
    pair.run(step);
    EXPECT_EQ(pair.received, text) << step;
    EXPECT_EQ(pair.client.received(), text) << step;
  }
}

TEST_P(SessionTest, knows_the_end_from_a_broken_connection) {
  SessionPair pair(make_context(config()), options());
  pair.run();
  pair.client.send("last words");
  pair.client.close();
  pair.run();
  EXPECT_EQ(pair.received, "last words");
  EXPECT_TRUE(pair.server.ended());
  EXPECT_TRUE(pair.server.is_open());
  EXPECT_TRUE(pair.server.send("an answer all the same", pair.out));
  pair.server.close(pair.out);
  const std::size_t size = pair.out.size();
  pair.server.close(pair.out);  // once
  EXPECT_EQ(pair.out.size(), size);
  EXPECT_TRUE(pair.server.send("too late", pair.out));
  EXPECT_EQ(pair.out.size(), size);
}

TEST_P(SessionTest, tells_the_peer_that_it_closes) {
  SessionPair pair(make_context(config()), options());
  pair.run();
  pair.server.close(pair.out);
  pair.run();
  EXPECT_TRUE(pair.client.ended());
}

TEST_P(SessionTest, chooses_the_protocol_that_it_wants_most) {
  Config both = config();
  both.protocols = {"h2", "http/1.1"};
  ClientOptions offers = options();
  offers.protocols = "\x08http/1.1\x02h2";
  SessionPair pair(make_context(both), offers);
  pair.run();
  EXPECT_EQ(pair.server.protocol(), "h2");
}

TEST_P(SessionTest, ends_where_there_is_no_common_protocol) {
  ClientOptions offers = options();
  offers.protocols = "\x02h2";
  SessionPair pair(make_context(config()), offers);
  pair.run();
  EXPECT_TRUE(pair.server.failed());
  EXPECT_TRUE(pair.client.failed());
}

TEST_P(SessionTest, shows_the_certificate_that_the_client_asks_for) {
  Config several = config();
  for (const char* name : {"second.example", "*.third.example"}) {
    const Issued issued = issue({.common_name = name, .hosts = {name}});
    several.certificates.push_back(
        {files_.write(name, issued.certificate_pem()), files_.write(std::string(name) + ".key", issued.key_pem())});
  }
  const auto context = make_context(several);
  for (const auto& [asked, shown] :
       {std::pair("", "first"), std::pair("unknown.example", "first"), std::pair("first.example", "first"),
        std::pair("Second.Example", "second.example"), std::pair("www.third.example", "*.third.example")}) {
    ClientOptions asks = options();
    asks.name = asked;
    SessionPair pair(context, asks);
    pair.run();
    ASSERT_TRUE(pair.server.is_open()) << pair.server.error();
    EXPECT_EQ(pair.client.server(), shown) << asked;
    EXPECT_EQ(pair.server.server_name(), asked);
  }
}

TEST_P(SessionTest, staples_what_the_responder_said_while_it_is_fresh) {
  const Issued leaf = issue({.common_name = "leaf", .hosts = {"leaf.example"}}, &authority_);
  const std::string said = ocsp_of(leaf, authority_);
  const auto stapled = [&](const std::string& response) {
    Config with{.certificates = {{files_.write("leaf.pem", leaf.certificate_pem() + leaf.key_pem()), ""}}};
    with.certificates.front().ocsp = files_.write("ocsp.der", response);
    ClientOptions asks = options();
    asks.asks_for_ocsp = true;
    SessionPair pair(make_context(with), asks);
    pair.run();
    EXPECT_TRUE(pair.server.is_open());
    return pair.client.stapled();
  };
  EXPECT_EQ(stapled(said), said);
  EXPECT_EQ(stapled(ocsp_of(leaf, authority_, -60)), "");
}

TEST_P(SessionTest, knows_the_subject_of_a_client_that_it_has_verified) {
  const Issued own = issue({.common_name = "Anna, of \"somewhere\""}, &authority_);
  ClientOptions shows = options();
  shows.own = &own;
  for (const ClientCertificates mode : {ClientCertificates::Optional, ClientCertificates::Required}) {
    SessionPair pair(make_context(config_with_clients(mode)), shows);
    pair.run();
    ASSERT_TRUE(pair.server.is_open()) << pair.server.error();
    const auto certificate = pair.server.client_certificate();
    ASSERT_TRUE(certificate);
    EXPECT_EQ(certificate->subject, "CN=Anna\\, of \\\"somewhere\\\",O=Tern");
    EXPECT_TRUE(certificate->names.empty());
  }
  SessionPair pair(make_context(config()), shows);  // only for clients that ask for it
  pair.run();
  EXPECT_FALSE(pair.server.client_certificate());
}

TEST_P(SessionTest, reads_names_serial_and_fingerprint_of_a_client) {
  const Issued own = issue({.common_name = "Anna",
                            .hosts = {"a.example",
                                      "b.example,email:anna@a.example,IP:192.0.2.1,IP:2001:db8::1,"
                                      "URI:spiffe://a/b,RID:1.2.3"}},
                           &authority_);
  X509* raw = own.certificate.get();
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(raw), 0xAB12CD34EF567890);
  check(X509_sign(raw, authority_.key.get(), EVP_sha256()) != 0);
  ClientOptions shows = options();
  shows.own = &own;
  SessionPair pair(make_context(config_with_clients(ClientCertificates::Required)), shows);
  pair.run();
  const auto certificate = pair.server.client_certificate();
  ASSERT_TRUE(certificate);
  EXPECT_THAT(certificate->names, ::testing::ElementsAre("DNS:a.example", "DNS:b.example", "email:anna@a.example",
                                                         "IP:192.0.2.1", "IP:2001:db8::1", "URI:spiffe://a/b"));
  EXPECT_EQ(certificate->serial, "AB12CD34EF567890");
  unsigned char* der = nullptr;
  const int size = i2d_X509(raw, &der);
  unsigned char digest[32];
  EVP_Digest(der, static_cast<std::size_t>(size), digest, nullptr, EVP_sha256(), nullptr);
  OPENSSL_free(der);
  std::string expected;
  for (const unsigned char byte : digest) {
    char text[3];
    std::snprintf(text, sizeof text, "%02x", byte);
    expected += text;
  }
  EXPECT_EQ(certificate->fingerprint, expected);
}

TEST_P(SessionTest, refuses_a_client_of_others) {
  const Issued stranger = issue({.common_name = "stranger"});
  ClientOptions shows = options();
  shows.own = &stranger;
  for (const ClientCertificates mode : {ClientCertificates::Optional, ClientCertificates::Required}) {
    SessionPair pair(make_context(config_with_clients(mode)), shows);
    pair.run();
    EXPECT_FALSE(pair.server.is_open());
    EXPECT_TRUE(pair.server.failed());
    EXPECT_TRUE(pair.client.failed());
  }
}

TEST_P(SessionTest, lets_clients_without_a_certificate_in_only_where_they_need_none) {
  SessionPair optional(make_context(config_with_clients(ClientCertificates::Optional)), options());
  optional.run();
  EXPECT_TRUE(optional.server.is_open());
  EXPECT_FALSE(optional.server.client_certificate());
  SessionPair required(make_context(config_with_clients(ClientCertificates::Required)), options());
  required.run();
  EXPECT_TRUE(required.server.failed());
  EXPECT_STREQ(required.server.error(), "peer did not return a certificate");
}

TEST_P(SessionTest, resumes_what_another_context_began_with_the_same_tickets) {
  const auto tickets = Context::make_tickets();
  const auto run = [&](const Config& with, SSL_SESSION* resumes, const Issued* own = nullptr) {
    ClientOptions resuming = options();
    resuming.resumes = resumes;
    resuming.own = own;
    auto pair = std::make_unique<SessionPair>(Context::make(with, tickets).value(), resuming);
    pair->run();
    EXPECT_TRUE(pair->server.is_open()) << pair->server.error();
    return pair;
  };
  const auto first = run(config(), nullptr);
  ASSERT_NE(first->client.session(), nullptr);
  EXPECT_FALSE(first->server.resumed());
  EXPECT_TRUE(run(config(), first->client.session())->server.resumed());
  Context::rotate(*tickets);
  EXPECT_TRUE(run(config(), first->client.session())->server.resumed());
  Context::rotate(*tickets);
  Context::rotate(*tickets);
  EXPECT_FALSE(run(config(), first->client.session())->server.resumed());
}

TEST_P(SessionTest, does_not_resume_sessions_of_a_less_strict_context) {
  const auto tickets = Context::make_tickets();
  const Issued own = issue({.common_name = "Anna"}, &authority_);
  const auto run = [&](const Config& with, SSL_SESSION* resumes) {
    ClientOptions resuming = options();
    resuming.resumes = resumes;
    resuming.own = &own;
    auto pair = std::make_unique<SessionPair>(Context::make(with, tickets).value(), resuming);
    pair->run();
    return pair;
  };
  const auto open = run(config(), nullptr);
  EXPECT_FALSE(run(config_with_clients(ClientCertificates::Required), open->client.session())->server.resumed());
  const auto known = run(config_with_clients(ClientCertificates::Required), nullptr);
  ASSERT_NE(known->client.session(), nullptr);
  const auto again = run(config_with_clients(ClientCertificates::Required), known->client.session());
  EXPECT_TRUE(again->server.resumed());
  EXPECT_EQ(again->server.client_certificate()->subject, "CN=Anna,O=Tern");
  authority_ = issue({.common_name = "another authority", .authority = true});
  EXPECT_FALSE(run(config_with_clients(ClientCertificates::Required), known->client.session())->server.resumed());
}

TEST_P(SessionTest, fails_with_an_alert_at_any_byte_that_is_wrong) {
  const auto context = make_context(config());
  const std::size_t hello = SessionPair(context, options()).client.output().size();
  for (std::size_t at = 0; at < hello; at += 7) {
    SessionPair pair(context, options());
    std::string bytes = pair.client.output();
    bytes[at] = static_cast<char>(bytes[at] ^ 0x55);
    pair.feed(bytes);
    pair.client.receive(pair.out);  // no crash, and no open session
    EXPECT_FALSE(pair.server.is_open());
  }
  SessionPair pair(context, options());
  pair.run();
  pair.client.send("hello");
  std::string record = pair.client.output();
  record.back() = static_cast<char>(record.back() ^ 1);
  pair.feed(record);
  EXPECT_TRUE(pair.server.failed());
  EXPECT_EQ(pair.received, "");
  EXPECT_FALSE(pair.out.empty());
  EXPECT_FALSE(pair.server.send("no more", pair.out));
  pair.client.receive(pair.out);
  EXPECT_TRUE(pair.client.failed());
}

class SessionOnceTest : public SessionTest {};
INSTANTIATE_TEST_SUITE_P(any, SessionOnceTest, ::testing::Values(0), [](const auto&) { return "version"; });

TEST_P(SessionOnceTest, refuses_old_versions) {
  for (const int version : {TLS1_VERSION, TLS1_1_VERSION}) {
    SessionPair pair(make_context(config()), {.version = version});
    pair.run();
    EXPECT_TRUE(pair.server.failed());
    EXPECT_STREQ(pair.server.error(), "unsupported protocol");
  }
}

TEST_P(SessionOnceTest, refuses_old_ciphers) {
  for (const char* cipher : {"AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-SHA256", "NULL-SHA256"}) {
    SessionPair pair(make_context(config()), {.version = TLS1_2_VERSION, .ciphers = cipher});
    pair.run();
    EXPECT_TRUE(pair.server.failed()) << cipher;
    EXPECT_STREQ(pair.server.error(), "no shared cipher");
  }
}

TEST_P(SessionOnceTest, does_not_renegotiate) {
  SessionPair pair(make_context(config()), {.version = TLS1_2_VERSION});
  pair.run();
  ASSERT_EQ(SSL_renegotiate(pair.client.ssl()), 1);
  pair.client.receive({});
  pair.run();
  EXPECT_TRUE(pair.server.failed() || pair.client.failed() || !pair.client.done());
}

TEST_P(SessionOnceTest, errors_of_others_on_the_thread_are_not_its_own) {
  SessionPair pair(make_context(config()), {.version = TLS1_3_VERSION});
  pair.run();
  pair.client.send("x");
  const std::string bytes = pair.client.output();
  for (const auto& piece : {bytes.substr(0, 7), bytes.substr(7)}) {
    ERR_raise(ERR_LIB_USER, ERR_R_INTERNAL_ERROR);
    pair.feed(piece);
    EXPECT_FALSE(pair.server.failed());
  }
  EXPECT_EQ(pair.received, "x");
  ERR_raise(ERR_LIB_USER, ERR_R_INTERNAL_ERROR);
  EXPECT_TRUE(pair.server.send("y", pair.out));
  pair.run();
  EXPECT_EQ(pair.client.received(), "y");
}

TEST_P(SessionOnceTest, goes_on_with_new_keys) {
  SessionPair pair(make_context(config()), {.version = TLS1_3_VERSION});
  pair.run();
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(SSL_key_update(pair.client.ssl(), SSL_KEY_UPDATE_REQUESTED), 1);
    pair.client.send("x");
    pair.run();
    EXPECT_TRUE(pair.server.send("y", pair.out));
    pair.run();
  }
  EXPECT_EQ(pair.received, "xxxxxxxxxx");
  EXPECT_EQ(pair.client.received(), "yyyyyyyyyy");
}

}  // namespace
}  // namespace tern::tls
