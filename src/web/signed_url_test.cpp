#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web/signed_url.hpp>

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::web {
namespace {

using testing::Client;

const KeyRing url_keys({std::string(32, 'u')});

App app_with_signed_urls() {
  App app;
  app.state(url_keys);
  app.get("/files/{id}", [](int id) { return id; }).use(&require_signed_url);
  return app;
}

TEST(SignedUrl, opens_what_it_was_made_for) {
  App app = app_with_signed_urls();
  Client client(app);
  EXPECT_EQ(client.get(signed_url(url_keys, "/files/7", Seconds(60))).body, "7");
  EXPECT_EQ(client.get(signed_url(url_keys, "/files/7?as=pdf&signature=x", Seconds(60))).body, "7");
}

TEST(SignedUrl, opens_nothing_else) {
  App app = app_with_signed_urls();
  Client client(app);
  const std::string url = signed_url(url_keys, "/files/7", Seconds(60));
  const std::string signature = url.substr(url.find('?'));
  for (const std::string& target :
       {std::string("/files/7"), "/files/8" + signature, "/files/7?as=pdf&" + signature.substr(1), url + "&as=pdf",
        url + "A", url.substr(0, url.size() - 1), "/files/07" + signature, "/files/%37" + signature,
        std::string("/files/7?signature="), "/files/7?x" + signature.substr(1)}) {
    EXPECT_EQ(client.get(target).status, 403) << target;
  }
  EXPECT_EQ(client.get(signed_url(KeyRing({std::string(32, 'o')}), "/files/7", Seconds(60))).status, 403);
  EXPECT_EQ(client.get("/files/7?signature=" + url_keys.sign("other", "/files/7")).status, 403);
}

TEST(SignedUrl, expires) {
  App app = app_with_signed_urls();
  Client client(app);
  EXPECT_EQ(client.get(signed_url(url_keys, "/files/7", Seconds(0))).status, 403);
  EXPECT_EQ(client.get(signed_url(url_keys, "/files/7", Seconds(-60))).status, 403);
}

}  // namespace
}  // namespace tern::web
