// Extractors that wait: their order among the others, what they may throw and refuse, content beside them.
#include <tern/async.hpp>
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace {

// Which extractors were asked and have answered, in their order.
std::string notes;

// The coroutine that waits here goes on when the test says so.
struct Door {
  static inline std::coroutine_handle<> waiting;
  static void open() { std::exchange(waiting, nullptr).resume(); }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const noexcept { waiting = handle; }
  void await_resume() const noexcept {}
};

struct Session {
  std::string user;
};
template <int N>
struct Noted {};
struct Checked {
  std::size_t bytes = 0;
};
struct Rows {
  std::size_t bytes = 0;
};

}  // namespace

template <>
struct tern::Extract<Session> {
  static Task<std::expected<Session, Rejection>> from(Request& request) {
    const auto user = request.field("x-user");
    if (!user) co_return std::unexpected(Rejection::absent(Status::Unauthorized, "who are you?"));
    if (*user == "stranger") co_return std::unexpected(Rejection(Status::Forbidden, "not you"));
    if (*user == "broken") throw HttpError(Status::BadGateway, "the sessions cannot be reached");
    notes += 'S';
    if (*user == "waits") co_await Door();
    notes += 's';
    co_return Session{std::string(*user)};
  }
};
template <int N>
struct tern::Extract<Noted<N>> {
  static std::expected<Noted<N>, Rejection> from(Request&) {
    notes += static_cast<char>('0' + N);
    return Noted<N>{};
  }
};
// From the whole content, waiting.
template <>
struct tern::Extract<Checked> {
  static constexpr bool reads_body = true;
  static Task<std::expected<Checked, Rejection>> from(Request& request) {
    notes += 'C';
    co_return Checked{request.body().size()};
  }
};
// From the content as it comes.
template <>
struct tern::Extract<Rows> {
  static constexpr bool streams_body = true;
  static Task<std::expected<Rows, Rejection>> from(Request& request) {
    notes += 'R';
    Rows rows;
    BodyStream body(request.exchange());
    while (const auto piece = co_await body.next()) rows.bytes += piece->size();
    if (rows.bytes == 0) co_return std::unexpected(Rejection::absent(Status::BadRequest, "no rows"));
    co_return rows;
  }
};

namespace tern {
namespace {

using testing::Client;

class AwaitedExtractor : public ::testing::Test {
protected:
  AwaitedExtractor() { notes.clear(); }
  App app;
};

void nothing(void*) {}

TEST_F(AwaitedExtractor, is_a_parameter_like_any_other) {
  app.get("/plain/{n}", [](const Session& session, int n) { return session.user + std::to_string(n); });
  app.get("/maybe", [](std::optional<Session> session) { return session ? session->user : std::string("anonymous"); });
  app.get("/task", [](Session session, Request& request) -> Task<std::string> {
    co_return session.user + std::string(request.path());
  });
  app.get("/reference", [](const Session& session) -> Task<std::string> { co_return session.user; });
  app.get("/pool", blocking([](Session session) { return session.user; }));
  Client client(app);
  EXPECT_EQ(client.get("/plain/1").status, 401);
  EXPECT_EQ(client.get("/maybe").body, "anonymous");
  client.with("x-user", "Ann");
  EXPECT_EQ(client.get("/plain/1").body, "Ann1");
  EXPECT_EQ(client.get("/plain/x").status, 404);
  EXPECT_EQ(client.get("/maybe").body, "Ann");
  EXPECT_EQ(client.get("/task").body, "Ann/task");
  EXPECT_EQ(client.get("/reference").body, "Ann");
  EXPECT_EQ(client.get("/pool").body, "Ann");
}

TEST_F(AwaitedExtractor, is_refused_even_where_it_is_optional_and_may_throw) {
  app.get("/maybe", [](std::optional<Session> session) { return session ? session->user : std::string("anonymous"); });
  Client stranger(app);
  stranger.with("x-user", "stranger");
  EXPECT_EQ(stranger.get("/maybe").status, 403);
  Client broken(app);
  broken.with("x-user", "broken");
  EXPECT_EQ(broken.get("/maybe").status, 502);
}

TEST_F(AwaitedExtractor, takes_its_turn_and_what_needs_the_content_comes_last) {
  app.post("/", [](Checked content, Noted<1>, Session session, Noted<2>, Body body) {
    return session.user + std::to_string(content.bytes) + std::string(body.bytes);
  });
  app.post("/rows", [](Rows rows, Noted<1>, Session) { return rows.bytes; });
  Client client(app);
  client.with("x-user", "Ann");
  EXPECT_EQ(client.post("/", "text").body, "Ann4text");
  EXPECT_EQ(notes, "1Ss2C");
  notes.clear();
  EXPECT_EQ(client.post("/rows", "12345").body, "5");
  EXPECT_EQ(notes, "1SsR");
  notes.clear();
  Client stranger(app);
  EXPECT_EQ(stranger.post("/", "text").status, 401);
  EXPECT_EQ(notes, "1") << "the rest is not asked";
}

TEST_F(AwaitedExtractor, has_the_handler_called_when_it_has_ended) {
  int calls = 0;
  app.get("/{name}", [&](std::string_view name, Session session, Header<"x-user"> field) {
    ++calls;
    return std::string(name) + session.user + std::string(*field);
  });
  MemoryExchange exchange(Method::Get, "/a%20name", {{"x-user", "waits"}});
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.ready());
  EXPECT_TRUE(exchange.pinned()) << "its views must outlive the wait";
  ASSERT_FALSE(reply.task().start(&nothing, nullptr));
  EXPECT_EQ(notes, "S");
  EXPECT_EQ(calls, 0);
  Door::open();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(reply.task().result().content(), "a namewaitswaits");
}

TEST_F(AwaitedExtractor, may_be_given_up_while_it_waits) {
  int calls = 0;
  app.get("/", [&](Session) { return ++calls; });
  MemoryExchange exchange(Method::Get, "/", {{"x-user", "waits"}});
  {
    Reply reply = app.service().serve(exchange);
    ASSERT_FALSE(reply.task().start(&nothing, nullptr));
  }
  EXPECT_EQ(calls, 0);
}

TEST_F(AwaitedExtractor, of_the_head_comes_before_the_content_is_asked_for) {
  app.post("/", [](Body body, Session) { return body; });
  MemoryExchange exchange(Method::Post, "/", {{"expect", "100-continue"}, {"x-user", "waits"}}, {}, true);
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.task().start(&nothing, nullptr));
  EXPECT_FALSE(exchange.content_was_asked_for());
  Door::open();
  EXPECT_TRUE(exchange.content_was_asked_for());
  exchange.arrive("late");
  exchange.end();
  EXPECT_EQ(reply.task().result().content(), "late");
}

TEST_F(AwaitedExtractor, that_streams_is_held_to_the_limit_and_holds_no_more_than_a_piece) {
  app.post("/", [](Rows rows) { return rows.bytes; }).limits({.max_body_bytes = 10});
  MemoryExchange exchange(Method::Post, "/", {}, {}, true);
  exchange.set_budget(0);  // nothing is collected
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.task().start(&nothing, nullptr));
  exchange.arrive("12345");
  exchange.arrive("67890");
  EXPECT_TRUE(exchange.request().body().empty());
  exchange.arrive("x");
  EXPECT_EQ(reply.task().result().status(), Status::ContentTooLarge);
}

TEST_F(AwaitedExtractor, that_streams_may_be_optional) {
  app.post("/", [](std::optional<Rows> rows) { return rows ? rows->bytes : 99; });
  Client client(app);
  EXPECT_EQ(client.post("/", "12345").body, "5");
  EXPECT_EQ(client.send({Method::Post, "/"}).body, "99");
}

TEST_F(AwaitedExtractor, in_a_handler_that_looks_at_the_request_has_the_content_read) {
  app.post("/", [](Session session, Request& request) { return session.user + std::string(request.body()); });
  Client client(app);
  client.with("x-user", "Ann");
  EXPECT_EQ(client.post("/", "text").body, "Anntext");
}

TEST_F(AwaitedExtractor, an_optional_body_stream_is_a_stream) {
  app.post("/", [](std::optional<BodyStream> body) -> Task<std::string> {
    std::string all;
    while (const auto piece = co_await body->next()) all += *piece;
    co_return all;
  });
  EXPECT_EQ(Client(app).post("/", "text").body, "text");
}

}  // namespace
}  // namespace tern
