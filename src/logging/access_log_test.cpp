#include "logging/access_log.hpp"

#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace tern::logging {
namespace {

using FieldList = std::vector<std::pair<std::string, std::string>>;

AccessEntry entry() {
  AccessEntry entry;
  entry.remote = "192.0.2.1";
  entry.time = "10/Oct/2000:13:55:36 +0000";
  entry.status = Status::Ok;
  entry.bytes = 2326;
  entry.microseconds = 150;
  return entry;
}

std::string line(AccessLog format, const AccessEntry& what, const Request& request) {
  std::string out;
  append_access_line(out, format, what, request);
  return out;
}

std::string line(AccessLog format, const std::string& target, const FieldList& fields = {}) {
  MemoryExchange exchange(Method::Get, target, fields);
  return line(format, entry(), exchange.request());
}

TEST(AccessLog, writes_the_time_as_httpd_does) {
  std::string out;
  append_log_time(out, 971'186'136);
  EXPECT_EQ(out, "10/Oct/2000:13:55:36 +0000");
  out.clear();
  append_log_time(out, 0);
  EXPECT_EQ(out, "01/Jan/1970:00:00:00 +0000");
  out.clear();
  append_log_time(out, 1'709'251'199);
  EXPECT_EQ(out, "29/Feb/2024:23:59:59 +0000");
}

TEST(AccessLog, common) {
  EXPECT_EQ(line(AccessLog::Common, "/a?b=c"),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"GET /a?b=c HTTP/1.1\" 200 2326\n");
}

TEST(AccessLog, combined) {
  EXPECT_EQ(line(AccessLog::Combined, "/a", {{"Referer", "http://b/"}, {"User-Agent", "curl/8"}}),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 2326 \"http://b/\" \"curl/8\"\n");
  EXPECT_EQ(line(AccessLog::Combined, "/a"),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"GET /a HTTP/1.1\" 200 2326 \"-\" \"-\"\n");
}

TEST(AccessLog, escapes_what_could_forge_a_line) {
  EXPECT_EQ(line(AccessLog::Combined, "/\"\\\n", {{"User-Agent", "a\"b\\c\r\nd\t\x01\x7f\xff"}}),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"GET /\\\"\\\\\\x0a HTTP/1.1\" 200 2326 \"-\" "
            "\"a\\\"b\\\\c\\x0d\\x0ad\\x09\\x01\\x7f\\xff\"\n");
}

TEST(AccessLog, no_content_is_a_hyphen) {
  MemoryExchange exchange(Method::Get, "/");
  AccessEntry empty = entry();
  empty.bytes = 0;
  EXPECT_EQ(line(AccessLog::Common, empty, exchange.request()),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"GET / HTTP/1.1\" 200 -\n");
}

TEST(AccessLog, what_never_became_a_request_has_no_request_line) {
  MemoryExchange exchange(Method::Get, "/");
  exchange.request().head().clear();
  AccessEntry bad = entry();
  bad.status = Status::BadRequest;
  EXPECT_EQ(line(AccessLog::Common, bad, exchange.request()),
            "192.0.2.1 - - [10/Oct/2000:13:55:36 +0000] \"-\" 400 2326\n");
}

TEST(AccessLog, json) {
  EXPECT_EQ(line(AccessLog::Json, "/a", {{"Referer", "r"}, {"User-Agent", "u\"\n"}}),
            "{\"time\":\"10/Oct/2000:13:55:36 +0000\",\"remote\":\"192.0.2.1\",\"method\":\"GET\",\"target\":\"/a\","
            "\"version\":\"HTTP/1.1\",\"route\":\"\",\"status\":200,\"bytes\":2326,\"microseconds\":150,"
            "\"referer\":\"r\",\"user_agent\":\"u\\\"\\n\",\"request_id\":\"\",\"trace_id\":\"\"}\n");
}

TEST(AccessLog, json_has_the_ids_of_the_request) {
  MemoryExchange exchange(Method::Get, "/");
  exchange.request().set_id("a-7");
  exchange.request().set_trace_id("0af7");
  EXPECT_TRUE(
      line(AccessLog::Json, entry(), exchange.request()).ends_with(",\"request_id\":\"a-7\",\"trace_id\":\"0af7\"}\n"));
}

TEST(AccessLog, logfmt_has_what_is_known) {
  EXPECT_EQ(line(AccessLog::Logfmt, "/a b", {{"User-Agent", "u\n x"}}),
            "time=\"10/Oct/2000:13:55:36 +0000\" remote=192.0.2.1 method=GET target=\"/a b\" version=HTTP/1.1 "
            "status=200 bytes=2326 microseconds=150 user_agent=\"u\\x0a x\"\n");
}

TEST(AccessLog, redacts_secret_parameters) {
  EXPECT_EQ(redacted_target("/a?b=c", {}), std::nullopt);
  EXPECT_EQ(redacted_target("/a?token", {}), std::nullopt);
  EXPECT_EQ(redacted_target("/a?b=c&Access_Token=x%20y&d=e", {}), "/a?b=c&Access_Token=[redacted]&d=e");
  const std::vector<std::string> more = {"pin"};
  EXPECT_EQ(redacted_target("/a?pin=1234&&", more), "/a?pin=[redacted]&&");
  for (const AccessLog format : {AccessLog::Common, AccessLog::Combined, AccessLog::Json, AccessLog::Logfmt}) {
    const std::string text = line(format, "/a?password=s3cret", {{"Referer", "https://b/?token=s3cret"}});
    EXPECT_EQ(text.find("s3cret"), std::string::npos) << text;
  }
}

// obs-text (RFC 9110, section 5.5) may be any byte above 0x7F.
TEST(AccessLog, json_of_fields_that_are_not_utf_8_is_still_one_line_of_json) {
  const std::string text = line(AccessLog::Json, "/a", {{"User-Agent", "a\xff\xc3(b"}});
  EXPECT_EQ(text.find('\xff'), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), text.size() - 1);
}

}  // namespace
}  // namespace tern::logging
