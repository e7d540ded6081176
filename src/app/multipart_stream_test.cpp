// MultipartStream: forms part by part, while they arrive.
#include "app/multipart_testing.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/multipart.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern {
namespace {

using testing::Client;
using testing::form_type;
using testing::FormText;

// Everything that a form says.
Task<std::string> transcript(MultipartStream form) {
  std::string text;
  while (const MultipartPart* part = co_await form.next_part()) {
    text += part->name + (part->is_file ? "!" : "") + "=";
    while (const auto piece = co_await form.next()) text += *piece;
    text += ";";
  }
  co_return text + "end";
}

class MultipartStreams : public ::testing::Test {
protected:
  MultipartStreams() { app.post("/", transcript); }

  std::string post(const std::string& content) { return Client(app).post("/", content, form_type).body; }

  testing::TemporaryFolder folder;
  App app;
};

TEST_F(MultipartStreams, every_part_is_seen) {
  EXPECT_EQ(post(FormText().field("a", "1").file("f", "name", "content").field("a", "").complete()),
            "a=1;f!=content;a=;end");
  EXPECT_EQ(post("--b--"), "end");
}

TEST_F(MultipartStreams, the_same_is_seen_however_it_arrives) {
  const std::string content = "preamble\r\n" + FormText().field("a", "\r\n--c\r\n-").file("f", "n", "\r\n").complete();
  const std::string whole = post(content);
  EXPECT_EQ(whole, "a=\r\n--c\r\n-;f!=\r\n;end");
  for (std::size_t cut = 1; cut < content.size(); ++cut) {
    MemoryExchange exchange(Method::Post, "/", {{"content-type", std::string(form_type)}}, {}, true);
    Reply reply = app.service().serve(exchange);
    ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
    exchange.arrive(content.substr(0, cut));
    exchange.arrive(content.substr(cut));
    exchange.end();
    EXPECT_EQ(reply.task().result().content(), whole) << cut;
  }
}

TEST_F(MultipartStreams, a_piece_is_seen_before_the_next_has_arrived) {
  std::string seen;
  app.post("/see", [&seen](MultipartStream form) -> Task<std::string> {
    while (co_await form.next_part()) {
      while (const auto piece = co_await form.next()) seen += *piece;
    }
    co_return "done";
  });
  MemoryExchange exchange(Method::Post, "/see", {{"content-type", std::string(form_type)}}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
  exchange.arrive("--b\r\nContent-Disposition: form-data; name=a\r\n\r\nhello");
  EXPECT_EQ(seen, "hello");
  exchange.arrive(" world\r\n--b--");
  EXPECT_EQ(seen, "hello world");
  exchange.end();
  EXPECT_EQ(reply.task().result().content(), "done");
}

TEST_F(MultipartStreams, the_unread_rest_of_a_part_is_skipped) {
  app.post("/names", [](MultipartStream form) -> Task<std::string> {
    std::string names;
    while (const MultipartPart* part = co_await form.next_part()) {
      names += part->name;
      if (names == "b") static_cast<void>(co_await form.next());
    }
    static_cast<void>(co_await form.next());
    co_return names + (co_await form.next_part() == nullptr ? "." : "?");
  });
  const std::string content = FormText().field("a", "1").file("b", "n", "2").field("c", "3").complete();
  EXPECT_EQ(Client(app).post("/names", content, form_type).body, "abc.");
}

TEST_F(MultipartStreams, parts_can_be_taken_whole) {
  app.post("/whole", [](MultipartStream form) -> Task<std::string> {
    std::string text;
    while (const MultipartPart* part = co_await form.next_part()) {
      if (part->is_file) {
        const UploadedFile file = co_await form.file(10);
        text += file ? file.file_name() + ":" : "no file";
        text += co_await file.text();
      } else {
        text += co_await form.text(3);
      }
      text += ";";
    }
    co_return text;
  });
  Client client(app);
  const auto post = [&](const FormText& form) { return client.post("/whole", form.complete(), form_type); };
  EXPECT_EQ(post(FormText().field("a", "123").file("b", "n", "0123456789").file("c", "", "")).body,
            "123;n:0123456789;no file;");
  EXPECT_EQ(post(FormText().field("a", "1234")).status, 413);
  EXPECT_EQ(post(FormText().file("b", "n", "0123456789x")).status, 413);
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(MultipartStreams, a_file_that_is_given_up_leaves_nothing_to_the_next) {
  app.post("/some", [](MultipartStream form) -> Task<std::string> {
    std::string text;
    while (co_await form.next_part()) {
      bool too_large = false;
      try {
        const UploadedFile file = co_await form.file(3);
        text += co_await file.text();
      } catch (const HttpError&) {
        too_large = true;
      }
      if (too_large) text += "-";
    }
    co_return text;
  });
  EXPECT_EQ(
      Client(app).post("/some", FormText().file("a", "n", "1234").file("b", "n", "56").complete(), form_type).body,
      "-56");
}

TEST_F(MultipartStreams, limits_can_be_set_before_the_first_part) {
  app.post("/limited", [](MultipartStream form) -> Task<std::string> {
    form.limits({.parts = 1});
    co_return co_await transcript(form);
  });
  Client client(app);
  EXPECT_EQ(client.post("/limited", FormText().field("a", "1").complete(), form_type).body, "a=1;end");
  EXPECT_EQ(client.post("/limited", FormText().field("a", "1").field("a", "1").complete(), form_type).status, 413);
}

TEST_F(MultipartStreams, a_form_that_is_cut_short_is_no_form) {
  Client client(app);
  EXPECT_EQ(client.post("/", FormText().field("a", "1").open(), form_type).status, 400);
  EXPECT_EQ(client.post("/", "", form_type).status, 400);
  EXPECT_EQ(client.post("/", "a=1", "application/x-www-form-urlencoded").status, 415);
}

TEST_F(MultipartStreams, half_a_connection_gets_a_400_and_one_that_has_gone_cancels) {
  const auto status_after = [this](auto end) {
    MemoryExchange exchange(Method::Post, "/", {{"content-type", std::string(form_type)}}, {}, true);
    Reply reply = app.service().serve(exchange);
    EXPECT_FALSE(reply.task().start([](void*) {}, nullptr));
    exchange.arrive(FormText().field("a", "1").open());
    end(exchange);
    return reply.task().result().status();
  };
  EXPECT_EQ(status_after([](MemoryExchange& exchange) { exchange.fail(StreamError::Disconnected); }),
            Status::BadRequest);
  EXPECT_EQ(status_after([](MemoryExchange& exchange) { exchange.fail(StreamError::TooSlow); }),
            Status::RequestTimeout);
  EXPECT_EQ(status_after([](MemoryExchange& exchange) { exchange.disconnect(); }), Status::ServiceUnavailable);
}

TEST_F(MultipartStreams, the_limit_for_whole_contents_does_not_apply_unless_the_route_says_so) {
  app.post("/small", transcript).limits({.max_body_bytes = 100});
  MemoryExchange exchange(Method::Post, "/", {{"content-type", std::string(form_type)}}, {}, true);
  static_cast<void>(app.service().serve(exchange));
  EXPECT_EQ(exchange.limits().max_body_bytes, static_cast<std::size_t>(-1));
  EXPECT_EQ(Client(app).post("/small", FormText().field("a", std::string(100, 'x')).complete(), form_type).status, 413);
}

}  // namespace
}  // namespace tern
