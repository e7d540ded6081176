// A connection with a server whose frames are written out.
#include "load/http2_connection.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace tern::load {
namespace {

constexpr char headers_type = 1;
constexpr char rst_stream_type = 3;
constexpr char settings_type = 4;
constexpr char goaway_type = 7;
constexpr char end_of_both = 5;  // END_STREAM and END_HEADERS

// Of less than 256 bytes (RFC 9113, section 4.1).
std::string frame(char type, char flags, char stream, std::string_view payload) {
  std::string bytes = {0, 0, static_cast<char>(payload.size()), type, flags, 0, 0, 0, stream};
  return bytes.append(payload);
}

std::string goaway(char last_stream, char code) {
  return frame(goaway_type, 0, 0, std::string{0, 0, 0, last_stream, 0, 0, 0, code});
}

std::string response(char stream) {
  return frame(headers_type, end_of_both, stream, "\x88");  // ":status: 200" of the static table
}

class Http2LoadConnection : public ::testing::Test {
protected:
  Http2LoadConnection() {
    connection->begin(first);
    connection->begin(second);
    EXPECT_TRUE(connection->output().starts_with("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"));
    connection->sent(connection->output().size());
    EXPECT_EQ(connection->output(), "");
  }

  const Clock::time_point first = Clock::time_point(std::chrono::seconds(1));
  const Clock::time_point second = Clock::time_point(std::chrono::seconds(2));
  const std::string settings = frame(settings_type, 0, 0, "");
  const Http2Request request = http2_request({.url = "http://a/b"}, parse_target("http://a/b"));
  StatusClasses classes = {};
  std::unique_ptr<Http2Connection> connection = make_http2_connection(request, classes);
};

TEST_F(Http2LoadConnection, reports_responses_in_the_order_of_the_server) {
  ASSERT_TRUE(connection->receive(settings + response(3)));
  EXPECT_EQ(connection->take_ends().answered, std::vector{second});
  EXPECT_EQ(connection->open(), 1U);
  ASSERT_TRUE(connection->receive(response(1)));
  EXPECT_EQ(connection->take_ends().answered, std::vector{first});
  EXPECT_EQ(connection->open(), 0U);
  EXPECT_EQ(classes[2], 2U);
  EXPECT_FALSE(connection->drains());
}

TEST_F(Http2LoadConnection, gives_back_what_the_server_has_not_processed) {
  ASSERT_TRUE(connection->receive(settings + goaway(1, 0)));
  const Http2Connection::Ends ends = connection->take_ends();
  EXPECT_EQ(ends.unprocessed, std::vector{second});
  EXPECT_EQ(ends.reset, 0U);
  EXPECT_TRUE(connection->drains());
  ASSERT_TRUE(connection->receive(response(1)));
  EXPECT_EQ(connection->take_ends().answered, std::vector{first});
  EXPECT_EQ(connection->open(), 0U);
}

TEST_F(Http2LoadConnection, reports_resets_and_errors_of_the_connection) {
  ASSERT_TRUE(connection->receive(settings + frame(rst_stream_type, 0, 1, std::string{0, 0, 0, 2})));
  Http2Connection::Ends ends = connection->take_ends();
  EXPECT_EQ(ends.reset, 1U);
  EXPECT_EQ(ends.reason, "a stream was reset: INTERNAL_ERROR");
  connection->receive(goaway(0, 11));
  ends = connection->take_ends();
  EXPECT_GE(ends.reset, 1U);
  EXPECT_EQ(ends.reason, "the server ends the connection: ENHANCE_YOUR_CALM");
  EXPECT_EQ(connection->open(), 0U);
  EXPECT_EQ(classes[2], 0U);
}

TEST_F(Http2LoadConnection, refuses_another_protocol) {
  EXPECT_FALSE(connection->receive("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"));
}

TEST(Http2LoadRequest, has_pseudo_fields_and_lower_case_names) {
  const LoadOptions options{
      .url = "https://a:81/b?c", .method = "POST", .fields = {{"X-Test", "1"}, {"Host", "b"}}, .content = "{}"};
  const Http2Request request = http2_request(options, parse_target(options.url));
  const std::vector<std::pair<std::string, std::string>> expected = {{":method", "POST"}, {":scheme", "https"},
                                                                     {":authority", "b"}, {":path", "/b?c"},
                                                                     {"x-test", "1"},     {"content-length", "2"}};
  EXPECT_EQ(request.fields, expected);
  EXPECT_EQ(request.content, "{}");
  EXPECT_THROW(http2_request({.url = "a", .fields = {{"Upgrade", "h2c"}}}, parse_target("a")), std::invalid_argument);
  EXPECT_THROW(http2_request({.url = "a", .fields = {{"a b", "c"}}}, parse_target("a")), std::invalid_argument);
}

}  // namespace
}  // namespace tern::load
