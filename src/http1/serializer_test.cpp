// The exact bytes of responses.
#include "http1/connection.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tern::http1 {
namespace {

const Limits limits;
constexpr std::string_view date = "Sun, 06 Nov 1994 08:49:37 GMT";

struct Exchange {
  explicit Exchange(std::string_view request_line, std::string_view fields = "") : connection(limits) {
    std::string bytes = std::string(request_line) + "\r\nHost: a\r\n" + std::string(fields) + "\r\n";
    bytes.reserve(bytes.size() + padding);
    connection.receive(bytes);
    RequestHead request;
    EXPECT_EQ(connection.next(request), Event::Request);
    EXPECT_EQ(connection.next(request), Event::End);
  }

  Connection connection;
  std::string out;
};

ResponseHead head_of(Status status, std::string_view content_type = {}) {
  ResponseHead head;
  head.status = status;
  head.content_type = content_type;
  return head;
}

std::string answer_to(std::string_view request_line, const ResponseHead& head, std::string_view content,
                      std::string_view fields = "") {
  Exchange exchange(request_line, fields);
  exchange.connection.answer(exchange.out, head, content);
  return exchange.out;
}

TEST(Http1Serializer, a_complete_answer_in_order) {
  Fields fields;
  fields.set("X-One", "1");
  fields.add("Set-Cookie", "a=b");
  ResponseHead head = head_of(Status::Ok, "text/plain");
  head.date = date;
  head.server = "tern";
  head.fields = &fields;
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head, "hello"),
            "HTTP/1.1 200 OK\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nServer: tern\r\nContent-Type: text/plain\r\n"
            "X-One: 1\r\nSet-Cookie: a=b\r\nContent-Length: 5\r\n\r\nhello");
}

TEST(Http1Serializer, date_and_server_of_the_users_own_win) {
  Fields fields;
  fields.set("date", "today");
  fields.set("SERVER", "mine");
  ResponseHead head = head_of(Status::Created);
  head.date = date;
  head.server = "tern";
  head.fields = &fields;
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head, ""),
            "HTTP/1.1 201 Created\r\ndate: today\r\nSERVER: mine\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Serializer, an_upgrade_that_is_named_is_one_of_the_connection) {
  Fields fields;
  fields.set("Upgrade", "websocket");
  ResponseHead head = head_of(Status::UpgradeRequired);
  head.fields = &fields;
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head, ""),
            "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nContent-Length: 0\r\n\r\n");
  head.close = true;
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head, ""),
            "HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\nConnection: close, Upgrade\r\n"
            "Content-Length: 0\r\n\r\n");
}

// With and without the cached head: the same bytes. No effect where the cached head does not apply.
TEST(Http1Serializer, a_plain_answer_is_the_same_as_any_other) {
  const std::string long_name(200, 's');
  for (const std::string_view server : {std::string_view(), std::string_view("tern"), std::string_view(long_name)}) {
    CachedResponseHead plain_head;
    plain_head.set(date, server);
    for (const std::string_view line : {"GET / HTTP/1.1", "HEAD / HTTP/1.1", "GET / HTTP/1.0"}) {
      for (const std::string_view type : {std::string_view(), std::string_view("text/plain")}) {
        Exchange exchange(line);
        const bool plain = line == "GET / HTTP/1.1" && server.size() < 100;
        ASSERT_EQ(exchange.connection.answer_with_cached_head(exchange.out, plain_head, type, Fields(), "hello"), plain)
            << line;
        ResponseHead head = head_of(Status::Ok, type);
        head.date = date;
        head.server = server;
        if (!plain) {
          EXPECT_EQ(exchange.out, "");
          exchange.connection.answer(exchange.out, head, "hello");
        }
        EXPECT_EQ(exchange.out, answer_to(line, head, "hello"));
        EXPECT_FALSE(exchange.connection.answer_owed());
      }
    }
  }
}

TEST(Http1Serializer, plain_answers_that_differ_in_type_or_length_or_second_have_heads_of_their_own) {
  CachedResponseHead plain_head;
  constexpr std::string_view later = "Sun, 06 Nov 1994 08:49:38 GMT";
  for (const std::string_view now : {date, later}) {
    plain_head.set(now, "tern");
    for (const std::string_view content : {"hello", "hello", "other", "", "longer than that"}) {
      for (const std::string_view type :
           {std::string_view("text/plain"), std::string_view("text/html"), std::string_view()}) {
        Exchange exchange("GET / HTTP/1.1");
        ASSERT_TRUE(exchange.connection.answer_with_cached_head(exchange.out, plain_head, type, Fields(), content));
        ResponseHead head = head_of(Status::Ok, type);
        head.date = now;
        head.server = "tern";
        EXPECT_EQ(exchange.out, answer_to("GET / HTTP/1.1", head, content));
      }
    }
  }
  Exchange exchange("GET / HTTP/1.1");
  const std::string long_type(200, 't');
  EXPECT_FALSE(exchange.connection.answer_with_cached_head(exchange.out, plain_head, long_type, Fields(), "hello"));
}

// Shared or not, with the cached head or without: the same bytes.
TEST(Http1Serializer, fields_of_a_plain_answer_are_where_they_always_are) {
  Fields block;
  block.add("X-Frame-Options", "DENY");
  block.add("Referrer-Policy", "no-referrer");
  Fields other;
  other.add("X-Other", "1");
  Fields large;
  large.add("X-Large", std::string(800, 'x'));
  CachedResponseHead plain_head;
  plain_head.set(date, "tern");
  const auto expect = [&](const Fields& fields, bool plain) {
    Exchange exchange("GET / HTTP/1.1");
    ASSERT_EQ(exchange.connection.answer_with_cached_head(exchange.out, plain_head, "text/plain", fields, "hello"),
              plain);
    ResponseHead head = head_of(Status::Ok, "text/plain");
    head.date = date;
    head.server = "tern";
    head.fields = &fields;
    EXPECT_EQ(exchange.out, plain ? answer_to("GET / HTTP/1.1", head, "hello") : "");
  };
  for (const Fields* each : {&block, &other, &block}) {
    Fields shared;
    shared.share(*each);
    expect(shared, true);
    expect(Fields(), true);
    expect(*each, true);
    shared.add("X-Request-Id", "7");
    expect(shared, true);
  }
  expect(large, true);  // its own, behind the cached part
  Fields too_large;
  too_large.share(large);
  expect(too_large, false);
  for (const char* name : {"Date", "SERVER", "upgrade"}) {
    Fields fields = block;
    fields.add(name, "x");
    expect(fields, false);
  }
}

TEST(Http1Serializer, no_answer_is_plain_while_content_is_left_or_the_connection_ends) {
  CachedResponseHead plain_head;
  plain_head.set(date, {});
  for (const std::string_view request : {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n",
                                         "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"}) {
    Connection connection(limits);
    const std::string padded = std::string(request) + std::string(padding, '\0');
    connection.receive(std::string_view(padded).substr(0, request.size()));
    RequestHead head;
    ASSERT_EQ(connection.next(head), Event::Request);
    if (connection.has_body()) {
      EXPECT_EQ(connection.next(head), Event::NeedMore);
    } else {
      EXPECT_EQ(connection.next(head), Event::End);
    }
    std::string out;
    EXPECT_FALSE(connection.answer_with_cached_head(out, plain_head, {}, Fields(), "hello"));
    EXPECT_EQ(out, "");
  }
}

TEST(Http1Serializer, answers_are_appended) {
  Exchange exchange("GET / HTTP/1.1");
  exchange.out = "before";
  exchange.connection.answer(exchange.out, {}, "x");
  EXPECT_EQ(exchange.out, "beforeHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx");
}

TEST(Http1Serializer, head_has_the_length_and_no_content) {
  EXPECT_EQ(answer_to("HEAD / HTTP/1.1", {}, "hello"), "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
  Exchange exchange("HEAD / HTTP/1.1");
  ResponseHead head;
  head.content_length = std::nullopt;
  EXPECT_FALSE(exchange.connection.respond(exchange.out, head));
  exchange.connection.write(exchange.out, "hello");
  exchange.connection.finish(exchange.out);
  EXPECT_EQ(exchange.out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  EXPECT_FALSE(exchange.connection.must_close());
}

TEST(Http1Serializer, statuses_without_content) {
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head_of(Status::NoContent), "x"), "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head_of(Status::NotModified), ""), "HTTP/1.1 304 Not Modified\r\n\r\n");
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head_of(Status::NotModified), "xyz"),
            "HTTP/1.1 304 Not Modified\r\nContent-Length: 3\r\n\r\n");
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head_of(Status::ResetContent), "xyz"),
            "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Serializer, a_status_without_a_name) {
  EXPECT_EQ(answer_to("GET / HTTP/1.1", head_of(static_cast<Status>(299)), ""),
            "HTTP/1.1 299 \r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Serializer, connection_is_named_where_it_is_not_the_default) {
  const std::string close = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
  const std::string keep = "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n";
  const std::string plain = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
  EXPECT_EQ(answer_to("GET / HTTP/1.1", {}, ""), plain);
  EXPECT_EQ(answer_to("GET / HTTP/1.1", {}, "", "Connection: close\r\n"), close);
  EXPECT_EQ(answer_to("GET / HTTP/1.0", {}, ""), plain);
  EXPECT_EQ(answer_to("GET / HTTP/1.0", {}, "", "Connection: keep-alive\r\n"), keep);
  ResponseHead closing;
  closing.close = true;
  EXPECT_EQ(answer_to("GET / HTTP/1.1", closing, ""), close);
  EXPECT_EQ(answer_to("GET / HTTP/1.0", closing, "", "Connection: keep-alive\r\n"), plain);
}

TEST(Http1Serializer, content_of_known_length_in_pieces) {
  Exchange exchange("GET / HTTP/1.1");
  ResponseHead head;
  head.content_length = 10;
  EXPECT_TRUE(exchange.connection.respond(exchange.out, head));
  exchange.connection.write(exchange.out, "abc");
  exchange.connection.wrote(4);  // a file, for example
  exchange.connection.write(exchange.out, "hij and what is too much");
  exchange.connection.finish(exchange.out);
  EXPECT_EQ(exchange.out, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabchij");
  EXPECT_FALSE(exchange.connection.must_close());
}

TEST(Http1Serializer, content_that_falls_short_closes) {
  Exchange exchange("GET / HTTP/1.1");
  ResponseHead head;
  head.content_length = 10;
  exchange.connection.respond(exchange.out, head);
  exchange.connection.write(exchange.out, "abc");
  exchange.connection.finish(exchange.out);
  EXPECT_TRUE(exchange.connection.must_close());
}

TEST(Http1Serializer, no_content_of_known_length) {
  Exchange exchange("GET / HTTP/1.1");
  EXPECT_FALSE(exchange.connection.respond(exchange.out, {}));
  exchange.connection.finish(exchange.out);
  EXPECT_EQ(exchange.out, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
}

TEST(Http1Serializer, content_of_unknown_length_goes_in_chunks) {
  Exchange exchange("GET / HTTP/1.1");
  ResponseHead head;
  head.content_length = std::nullopt;
  EXPECT_TRUE(exchange.connection.respond(exchange.out, head));
  exchange.connection.write(exchange.out, "hello");
  exchange.connection.write(exchange.out, "");  // no content, not the end
  exchange.connection.write(exchange.out, std::string(300, 'x'));
  exchange.connection.finish(exchange.out);
  EXPECT_EQ(exchange.out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n12c\r\n" +
                              std::string(300, 'x') + "\r\n0\r\n\r\n");
  EXPECT_FALSE(exchange.connection.must_close());
}

TEST(Http1Serializer, trailers_follow_the_last_chunk) {
  Exchange exchange("GET / HTTP/1.1");
  Fields trailers;
  trailers.set("Digest", "x");
  ResponseHead head;
  head.content_length = std::nullopt;
  exchange.connection.respond(exchange.out, head);
  exchange.out.clear();
  exchange.connection.finish(exchange.out, &trailers);
  EXPECT_EQ(exchange.out, "0\r\nDigest: x\r\n\r\n");
}

TEST(Http1Serializer, content_of_unknown_length_ends_a_1_0_connection) {
  Exchange exchange("GET / HTTP/1.0", "Connection: keep-alive\r\n");
  ResponseHead head;
  head.content_length = std::nullopt;
  EXPECT_TRUE(exchange.connection.respond(exchange.out, head));
  exchange.connection.write(exchange.out, "hello");
  exchange.connection.write(exchange.out, "world");
  exchange.connection.finish(exchange.out);
  EXPECT_EQ(exchange.out, "HTTP/1.1 200 OK\r\n\r\nhelloworld");
  EXPECT_TRUE(exchange.connection.must_close());
}

TEST(Http1Serializer, interim_responses) {
  Fields links;
  links.set("Link", "</a>; rel=preload");
  Exchange exchange("GET / HTTP/1.1");
  exchange.connection.inform(exchange.out, Status::EarlyHints, &links);
  exchange.connection.inform(exchange.out, Status::Processing);
  EXPECT_EQ(exchange.out, "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n");
  Exchange old("GET / HTTP/1.0");
  old.connection.inform(old.out, Status::EarlyHints, &links);
  EXPECT_EQ(old.out, "");
}

TEST(Http1Serializer, every_status_line_fits_the_room_that_is_reserved) {
  for (int number = 200; number < 600; ++number) {
    const auto status = static_cast<Status>(number);
    const std::string out = answer_to("GET / HTTP/1.1", head_of(status), "");
    const std::string line = "HTTP/1.1 " + std::to_string(number) + ' ' + std::string(reason(status)) + "\r\n";
    EXPECT_TRUE(out.starts_with(line)) << out;
  }
}

}  // namespace
}  // namespace tern::http1
