// The negotiation of permessage-deflate (RFC 7692, section 7.1).
#include "websocket/extension.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tern::websocket {
namespace {

constexpr DeflateConfig with_takeover = {.enabled = true,
                                         .server_context_takeover = true,
                                         .client_context_takeover = true,
                                         .server_window_bits = 15,
                                         .client_window_bits = 15};

// The extension in the response; "none", or "malformed".
std::string answer(std::vector<std::string_view> values, const DeflateConfig& config = with_takeover) {
  const auto parameters = negotiate_deflate(values, config);
  if (!parameters) return "malformed";
  return *parameters ? to_extension(**parameters) : "none";
}

TEST(WebSocketExtension, takes_an_offer_as_it_is_where_nothing_else_is_wished) {
  EXPECT_EQ(answer({"permessage-deflate"}), "permessage-deflate");
  EXPECT_EQ(answer({"permessage-deflate; client_max_window_bits"}), "permessage-deflate");
  EXPECT_EQ(answer({}), "none");
  EXPECT_EQ(answer({"x-webkit-deflate-frame"}), "none");
  EXPECT_EQ(answer({"permessage-deflate"}, {}), "none");
}

TEST(WebSocketExtension, says_what_it_wishes_and_what_was_asked_of_it) {
  const DeflateConfig modest = {.enabled = true, .server_window_bits = 12, .client_window_bits = 11};
  EXPECT_EQ(answer({"permessage-deflate"}, modest),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=12");
  EXPECT_EQ(answer({"permessage-deflate; client_max_window_bits; server_max_window_bits=10"}, modest),
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; server_max_window_bits=10; "
            "client_max_window_bits=11");
  EXPECT_EQ(answer({"permessage-deflate; client_max_window_bits=8"}), "permessage-deflate; client_max_window_bits=8");
  EXPECT_EQ(answer({"permessage-deflate; server_no_context_takeover"}),
            "permessage-deflate; server_no_context_takeover");
  EXPECT_EQ(answer({"permessage-deflate; client_no_context_takeover"}),
            "permessage-deflate; client_no_context_takeover");
}

TEST(WebSocketExtension, takes_the_first_offer_that_it_can) {
  EXPECT_EQ(answer({"permessage-deflate; server_max_window_bits=8, permessage-deflate; server_max_window_bits=9"}),
            "permessage-deflate; server_max_window_bits=9");
  EXPECT_EQ(answer({"foo; bar=\"baz\"", "permessage-deflate; unknown, permessage-deflate"}), "permessage-deflate");
}

TEST(WebSocketExtension, declines_parameters_that_are_not_in_the_rfc) {
  for (const std::string_view parameter :
       {"unknown", "server_no_context_takeover=1", "client_no_context_takeover=true", "server_max_window_bits",
        "server_max_window_bits=8", "server_max_window_bits=16", "server_max_window_bits=010",
        "server_max_window_bits=x", "client_max_window_bits=7", "client_max_window_bits; client_max_window_bits",
        "server_no_context_takeover; server_no_context_takeover"}) {
    const std::string offer = "permessage-deflate; " + std::string(parameter);
    EXPECT_EQ(answer({offer}), "none") << offer;
  }
}

TEST(WebSocketExtension, values_may_be_quoted) {
  EXPECT_EQ(answer({"permessage-deflate; server_max_window_bits=\"10\""}),
            "permessage-deflate; server_max_window_bits=10");
}

TEST(WebSocketExtension, refuses_what_is_no_list_of_extensions) {
  for (const std::string_view value :
       {"permessage-deflate;", "a b", "a; =1", "a; b=", "a; b=\"c", "a; b=\"\"", "=", ";"}) {
    EXPECT_EQ(answer({value}), "malformed") << value;
  }
  EXPECT_EQ(answer({"", ", ,permessage-deflate ,"}), "permessage-deflate");
}

}  // namespace
}  // namespace tern::websocket
