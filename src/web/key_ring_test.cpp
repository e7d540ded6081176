#include "base/test_folder.hpp"
#include "web/base64url.hpp"
#include "web/keys.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <sys/stat.h>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;

const std::string secret(32, 'k');
const std::string other_secret(40, 'o');

using Write = std::string (Keys::*)(std::string_view, std::string_view, std::int64_t) const;
using Read = std::optional<std::string> (Keys::*)(std::string_view, std::string_view, std::int64_t) const;

// For signing and for encryption alike.
class KeysTest : public ::testing::TestWithParam<std::pair<Write, Read>> {
protected:
  std::string write(const Keys& writer, std::string_view text, std::int64_t expires = 0,
                    std::string_view purpose = "purpose") {
    return (writer.*GetParam().first)(purpose, text, expires);
  }
  std::optional<std::string> read(const Keys& reader, std::string_view token, std::int64_t now = 1000,
                                  std::string_view purpose = "purpose") {
    return (reader.*GetParam().second)(purpose, token, now);
  }

  Keys keys{{secret}};
};

INSTANTIATE_TEST_SUITE_P(All, KeysTest,
                         ::testing::Values(std::pair<Write, Read>{&Keys::sign, &Keys::verify},
                                           std::pair<Write, Read>{&Keys::encrypt, &Keys::decrypt}));

TEST_P(KeysTest, reads_what_it_has_written) {
  for (const std::size_t size : {0U, 1U, 2U, 3U, 15U, 16U, 17U, 100'000U}) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>(i * 7);
    EXPECT_EQ(read(keys, write(keys, text)), text) << size;
  }
}

TEST_P(KeysTest, refuses_another_purpose_and_one_that_runs_into_the_text) {
  const std::string token = write(keys, "text", 0, "ab");
  EXPECT_TRUE(read(keys, token, 0, "ab"));
  for (const char* purpose : {"", "a", "abc", "AB", "ab "}) EXPECT_FALSE(read(keys, token, 0, purpose)) << purpose;
}

TEST_P(KeysTest, refuses_every_token_with_one_changed_bit) {
  const std::string token = write(keys, "some text", 2000);
  const std::string bytes = *from_base64url(token);
  for (std::size_t i = 0; i < bytes.size() * 8; ++i) {
    std::string changed = bytes;
    changed[i / 8] = static_cast<char>(changed[i / 8] ^ (1 << (i % 8)));
    EXPECT_FALSE(read(keys, to_base64url(changed))) << i;
  }
}

TEST_P(KeysTest, refuses_every_truncation_and_every_extension) {
  const std::string token = write(keys, "some text");
  for (std::size_t size = 0; size < token.size(); ++size) EXPECT_FALSE(read(keys, token.substr(0, size))) << size;
  for (const char* more : {"A", "AA", "AAAA", "=", "==", " ", "\n"}) EXPECT_FALSE(read(keys, token + more)) << more;
  EXPECT_FALSE(read(keys, " " + token));
  EXPECT_FALSE(read(keys, std::string(2'000'000, 'A')));
}

TEST_P(KeysTest, refuses_a_token_that_has_expired) {
  const std::string token = write(keys, "text", 1000);
  EXPECT_TRUE(read(keys, token, 999));
  EXPECT_FALSE(read(keys, token, 1000));
  EXPECT_FALSE(read(keys, token, 1001));
  EXPECT_TRUE(read(keys, write(keys, "text", 0), 1'000'000'000'000));
}

TEST_P(KeysTest, a_rotation_reads_old_tokens_and_writes_new_ones) {
  const Keys before({secret});
  const Keys during({other_secret, secret});
  const Keys after({other_secret});
  const std::string old = write(before, "old");
  EXPECT_EQ(read(during, old), "old");
  EXPECT_FALSE(read(after, old));
  const std::string young = write(during, "young");
  EXPECT_EQ(read(after, young), "young");
  EXPECT_FALSE(read(before, young));
}

TEST(Keys, a_signed_token_is_no_encrypted_one) {
  const Keys keys({secret});
  EXPECT_FALSE(keys.decrypt("p", keys.sign("p", "text", 0), 0));
  EXPECT_FALSE(keys.verify("p", keys.encrypt("p", "text", 0), 0));
}

TEST(Keys, encryption_hides_the_text_and_never_repeats) {
  const Keys keys({secret});
  std::set<std::string> seen;
  for (int i = 0; i < 100; ++i) {
    const std::string token = keys.encrypt("p", "a very secret text", 0);
    EXPECT_EQ(from_base64url(token)->find("secret"), std::string::npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 100U);
}

// Written by Python's hmac and cryptography, from the description in keys.hpp.
TEST(Keys, tokens_are_as_described) {
  const Keys keys({secret});
  const std::string signed_token = "AcSkcFsAAAAAAAAAAHRleHQusSgd0qzsbk42R9Q3jjN3KoJlBNINhStTYxOs7T2zhg";
  EXPECT_EQ(keys.sign("purpose", "text", 0), signed_token);
  EXPECT_EQ(keys.verify("purpose", signed_token, 5), "text");
  EXPECT_EQ(keys.decrypt("purpose", "AsSkcFsAAAAAAAAH0AABAgMEBQYHCAkKCwbJnLkgWJZHnDv1wn9LFyg-BVNw", 1999), "text");
}

TEST(Base64Url, is_strict) {
  EXPECT_EQ(to_base64url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(from_base64url("-__-"), "\xfb\xff\xfe");
  EXPECT_EQ(from_base64url(""), "");
  EXPECT_EQ(from_base64url("QQ"), "A");
  for (const char* text : {"A", "QR", "QQ=", "QQ==", "+/+/", "Q Q", "QQQQA", "QUE\n"}) {
    EXPECT_FALSE(from_base64url(text)) << text;
  }
}

// --- KeyRing ---

std::string fault(auto make) {
  try {
    (void)make();
  } catch (const SetupError& error) {
    return error.what();
  }
  return {};
}

class KeyFileTest : public ::testing::Test {
protected:
  std::string write(const std::string& content, mode_t mode = 0600) {
    const std::string name = folder_.path / "keys";
    std::ofstream(name) << content;
    ::chmod(name.c_str(), mode);
    return name;
  }

private:
  base::TestFolder folder_;
};

TEST_F(KeyFileTest, has_one_secret_in_each_line) {
  const std::string first = KeyRing::generate();
  const std::string second = KeyRing::generate();
  const KeyRing ring = KeyRing::from_file(write("# of the shop\n\n" + first + "\n  " + second + "  \n"));
  const KeyRing old = KeyRing::from_file(write(second));
  EXPECT_EQ(ring.verify("p", old.sign("p", "text")), "text");
  EXPECT_FALSE(old.verify("p", ring.sign("p", "text")));
}

TEST_F(KeyFileTest, faults_name_file_and_line) {
  const std::string good = KeyRing::generate();
  EXPECT_THAT(fault([] { return KeyRing::from_file("/nowhere/keys"); }), HasSubstr("'/nowhere/keys' cannot be read"));
  const auto fault_of = [](const std::string& file) { return fault([&] { return KeyRing::from_file(file); }); };
  EXPECT_THAT(fault_of(write(good + "\nabc\n")), HasSubstr("line 2 of"));
  EXPECT_THAT(fault_of(write(good.substr(2))), HasSubstr("at least 64 hexadecimal digits"));
  EXPECT_THAT(fault_of(write(good.substr(1))), HasSubstr("line 1 of"));
  EXPECT_THAT(fault_of(write("# nothing\n")), HasSubstr("has no secret"));
  EXPECT_THAT(fault_of(write(good + "\n" + good)), HasSubstr("two secrets are equal"));
  EXPECT_THAT(fault_of(write(good, 0644)), HasSubstr("every user may use the file"));
}

TEST(KeyRing, may_come_from_the_environment) {
  const std::string first = KeyRing::generate();
  const std::string second = KeyRing::generate();
  ::setenv("TERN_TEST_KEYS", (first + ", " + second).c_str(), 1);
  const KeyRing ring = KeyRing::from_environment("TERN_TEST_KEYS");
  ::setenv("TERN_TEST_KEYS", second.c_str(), 1);
  const KeyRing old = KeyRing::from_environment("TERN_TEST_KEYS");
  EXPECT_EQ(ring.decrypt("p", old.encrypt("p", "text")), "text");
  ::setenv("TERN_TEST_KEYS", "short", 1);
  EXPECT_THAT(fault([] { return KeyRing::from_environment("TERN_TEST_KEYS"); }),
              HasSubstr("number 1 of TERN_TEST_KEYS"));
  ::unsetenv("TERN_TEST_KEYS");
  EXPECT_THAT(fault([] { return KeyRing::from_environment("TERN_TEST_KEYS"); }), HasSubstr("is not set"));
}

TEST(KeyRing, secrets_have_32_bytes) {
  EXPECT_THAT(fault([] { return KeyRing({std::string(31, 'x')}); }), HasSubstr("has 31 bytes, and needs 32"));
  EXPECT_THAT(fault([] { return KeyRing(std::vector<std::string>()); }), HasSubstr("there is no secret"));
}

TEST(KeyRing, a_lifetime_of_zero_is_over) {
  const KeyRing ring({secret});
  EXPECT_FALSE(ring.verify("p", ring.sign("p", "text", Seconds(0))));
  EXPECT_TRUE(ring.verify("p", ring.sign("p", "text", Seconds(60))));
}

// --- Cookies ---

class SecretCookies : public ::testing::Test {
protected:
  SecretCookies() {
    app_.state(KeyRing({secret}));
    app_.get("/set", [](State<KeyRing> keys) {
      return Response::text("set")
          .set_cookie(signed_cookie(*keys, {.name = "signed", .value = "anna; \"1\""}))
          .set_cookie(encrypted_cookie(*keys, {.name = "hidden", .value = "secret"}));
    });
    app_.get("/signed", [](SignedCookie<"signed"> cookie) { return *cookie; });
    app_.get("/hidden", [](std::optional<EncryptedCookie<"hidden">> cookie) { return cookie ? **cookie : "none"; });
  }
  Client& client() { return client_ ? *client_ : client_.emplace(app_); }
  testing::TestResponse with(const std::string& cookies, const std::string& target) {
    return client().send({.target = target, .fields = {{"cookie", cookies}}});
  }

private:
  App app_;
  std::optional<Client> client_;
};

TEST_F(SecretCookies, come_back_to_handlers) {
  client().keep_cookies();
  const auto set = client().get("/set");
  EXPECT_EQ(std::string(set.cookie("hidden")).find("secret"), std::string::npos);
  EXPECT_EQ(client().get("/signed").body, "anna; \"1\"");
  EXPECT_EQ(client().get("/hidden").body, "secret");
}

TEST_F(SecretCookies, that_are_missing_or_forged_are_missing) {
  EXPECT_EQ(client().get("/signed").status, 400);
  EXPECT_EQ(client().get("/hidden").body, "none");
  EXPECT_EQ(with("signed=anna", "/signed").status, 400);
  EXPECT_EQ(with("hidden=secret", "/hidden").body, "none");
}

TEST_F(SecretCookies, cannot_be_swapped_by_name) {
  const KeyRing keys({secret});
  const std::string token = encrypted_cookie(keys, {.name = "other", .value = "x"}).value;
  EXPECT_EQ(with("hidden=" + token, "/hidden").body, "none");
}

TEST_F(SecretCookies, the_first_valid_one_of_a_name_counts) {
  const KeyRing keys({secret});
  const std::string token = encrypted_cookie(keys, {.name = "hidden", .value = "mine"}).value;
  EXPECT_EQ(with("hidden=tossed; hidden=" + token, "/hidden").body, "mine");
  std::string many;
  for (int i = 0; i < 100; ++i) many += "hidden=tossed; ";
  EXPECT_EQ(with(many + "hidden=" + token, "/hidden").body, "none");  // bounded work
}

TEST(SecretCookieSetup, names_the_missing_key_ring) {
  App app;
  app.get("/", [](std::optional<SignedCookie<"a">>) { return "x"; });
  EXPECT_THAT(fault([&] { return Client(app).get("/").status; }), HasSubstr("State<KeyRing>"));
}

}  // namespace
}  // namespace tern::web
