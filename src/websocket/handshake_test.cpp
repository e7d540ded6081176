// The opening handshake (RFC 6455, section 4.2).
#include "websocket/handshake.hpp"

#include "websocket/deflate.hpp"

#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tern::websocket {
namespace {

using FieldList = std::vector<std::pair<std::string, std::string>>;

FieldList good() {
  return {{"Host", "example.org"},
          {"Upgrade", "websocket"},
          {"Connection", "keep-alive, Upgrade"},
          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="},
          {"Sec-WebSocket-Version", "13"}};
}

FieldList with(std::string name, std::string value) {
  FieldList list = good();
  for (auto& [key, old] : list) {
    if (key == name) {
      old = std::move(value);
      return list;
    }
  }
  list.emplace_back(std::move(name), std::move(value));
  return list;
}

struct Answer {
  int status = 101;
  Fields fields;
  Handshake agreed;

  std::string field(std::string_view name) const { return std::string(fields.find(name).value_or("(none)")); }
};

Answer answer(FieldList list, const HandshakeRules& rules = {}, Method method = Method::Get,
              Version by = Version::Http11) {
  MemoryExchange exchange(method, "/chat", std::move(list));
  exchange.request().head().version = by;
  Answer out;
  auto agreed = negotiate(exchange.request(), rules, out.fields);
  if (agreed) {
    out.agreed = std::move(*agreed);
  } else {
    out.status = code(agreed.error().status);
    out.fields = std::move(agreed.error().fields);
  }
  return out;
}

TEST(WebSocketHandshake, answers_the_key_of_rfc_6455) {
  const Answer said = answer(good());
  EXPECT_EQ(said.status, 101);
  EXPECT_EQ(said.field("Sec-WebSocket-Accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(said.field("Sec-WebSocket-Protocol"), "(none)");
  EXPECT_EQ(said.field("Sec-WebSocket-Extensions"), "(none)");
}

TEST(WebSocketHandshake, other_requests_get_a_426_with_upgrade) {
  for (const auto& [name, value] : FieldList{{"Upgrade", "h2c"},
                                             {"Connection", "keep-alive"},
                                             {"Sec-WebSocket-Version", "8"},
                                             {"Sec-WebSocket-Version", "13, 8"}}) {
    const Answer said = answer(with(name, value));
    EXPECT_EQ(said.status, 426) << name;
    EXPECT_EQ(said.field("Upgrade"), "websocket");
    EXPECT_EQ(said.field("Sec-WebSocket-Version"), "13");
  }
  EXPECT_EQ(answer({{"Host", "a"}}).status, 426);
}

TEST(WebSocketHandshake, the_key_is_sixteen_bytes_in_base64) {
  for (const char* key : {"", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZR==", "dGhlIHNhbXBsZSBub25jZ!==", "dGhl",
                          "dGhlIHNhbXBsZSBub25jZQ=A", "dGhlIHNhbXBsZSBub25jZQ==="}) {
    EXPECT_EQ(answer(with("Sec-WebSocket-Key", key)).status, 400) << key;
  }
  FieldList twice = good();
  twice.emplace_back("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
  EXPECT_EQ(answer(twice).status, 400);
  twice = good();
  twice.emplace_back("Sec-WebSocket-Version", "13");
  EXPECT_EQ(answer(twice).status, 400);
}

TEST(WebSocketHandshake, begins_with_a_get) {
  EXPECT_EQ(answer(good(), {}, Method::Post).status, 405);
}

// RFC 8441, section 5.
TEST(WebSocketHandshake, over_http2_begins_with_a_connect_and_has_no_key) {
  const auto by_connect = [](FieldList list, const HandshakeRules& rules = {}, Method method = Method::Connect) {
    return answer(std::move(list), rules, method, Version::Http2);
  };
  const FieldList plain = {{"Host", "example.org"}, {"Sec-WebSocket-Version", "13"}};
  EXPECT_EQ(by_connect(plain).status, 101);
  EXPECT_EQ(by_connect(plain).field("Sec-WebSocket-Accept"), "(none)");
  EXPECT_EQ(by_connect(good()).field("Sec-WebSocket-Accept"), "(none)") << "a key that does not belong there";
  EXPECT_EQ(by_connect(plain, {}, Method::Get).status, 400);
  EXPECT_EQ(by_connect({{"Host", "example.org"}}).status, 400);
  const Answer old = by_connect({{"Host", "example.org"}, {"Sec-WebSocket-Version", "8"}});
  EXPECT_EQ(old.status, 400);
  EXPECT_EQ(old.field("Sec-WebSocket-Version"), "13");
  FieldList more = plain;
  more.emplace_back("Sec-WebSocket-Protocol", "v1.chat, v2.chat");
  const std::vector<std::string> ours = {"v2.chat"};
  EXPECT_EQ(by_connect(more, {.protocols = ours}).field("Sec-WebSocket-Protocol"), "v2.chat");
  more.emplace_back("Origin", "http://evil.example");
  EXPECT_EQ(by_connect(more).status, 403);
}

TEST(WebSocketHandshake, the_servers_order_chooses_the_protocol) {
  const std::vector<std::string> ours = {"v2.chat", "v1.chat"};
  const HandshakeRules rules{.protocols = ours};
  EXPECT_EQ(answer(with("Sec-WebSocket-Protocol", "v1.chat, v2.chat"), rules).field("Sec-WebSocket-Protocol"),
            "v2.chat");
  EXPECT_EQ(answer(with("Sec-WebSocket-Protocol", "v1.chat"), rules).agreed.protocol, "v1.chat");
  EXPECT_EQ(answer(with("Sec-WebSocket-Protocol", "V1.CHAT, soap"), rules).field("Sec-WebSocket-Protocol"), "(none)");
}

TEST(WebSocketHandshake, pages_of_other_origins_may_not_connect_unless_they_are_allowed) {
  EXPECT_EQ(answer(with("Origin", "http://example.org")).status, 101);
  EXPECT_EQ(answer(with("Origin", "https://EXAMPLE.org:443")).status, 101);
  for (const char* origin :
       {"http://evil.example", "http://example.org.evil.example", "http://example.org:8080", "null", ""}) {
    EXPECT_EQ(answer(with("Origin", origin)).status, 403) << origin;
  }
  const std::vector<std::string> friends = {"https://friend.example"};
  EXPECT_EQ(answer(with("Origin", "https://friend.example"), {.origins = friends}).status, 101);
  EXPECT_EQ(answer(with("Origin", "http://friend.example"), {.origins = friends}).status, 403);
  const std::vector<std::string> all = {"*"};
  EXPECT_EQ(answer(with("Origin", "null"), {.origins = all}).status, 101);
}

TEST(WebSocketHandshake, agrees_on_compression_where_it_is_wished) {
  const auto offer = with("Sec-WebSocket-Extensions", "permessage-deflate; client_max_window_bits");
  EXPECT_EQ(answer(offer).field("Sec-WebSocket-Extensions"), "(none)");
  HandshakeRules rules;
  rules.deflate.enabled = true;
  EXPECT_EQ(answer(with("Sec-WebSocket-Extensions", "a b"), rules).status, 400);
  if (!deflate_available()) GTEST_SKIP() << "built without zlib";
  EXPECT_EQ(answer(offer, rules).field("Sec-WebSocket-Extensions"),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover");
  EXPECT_FALSE(answer(offer, rules).agreed.deflate->server_context_takeover);
}

}  // namespace
}  // namespace tern::websocket
