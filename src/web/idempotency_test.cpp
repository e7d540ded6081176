#include "web/idempotency_record.hpp"
#include "web/serving_testing.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

using testing::Client;
using testing::TestResponse;
using FieldList = ServedRequest::FieldList;
using ::testing::HasSubstr;
using ::testing::Not;

// --- Records ---

const std::string print_of_test(IdempotencyRecord::fingerprint_size, 'f');

TEST(IdempotencyRecord, keeps_status_fields_and_content) {
  Response response =
      Response::json("{\"a\":1}").status(Status::Created).set("Location", "/a").set("X", "1").add("X", "2");
  response.set_cookie({.name = "session", .value = "secret"});
  const std::string text = response_record(print_of_test, response);
  EXPECT_THAT(text, Not(HasSubstr("secret")));
  auto record = IdempotencyRecord::parse(text);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->state, IdempotencyRecord::State::Responded);
  EXPECT_EQ(record->fingerprint, print_of_test);
  EXPECT_EQ(record->response.status(), Status::Created);
  EXPECT_EQ(record->response.content(), "{\"a\":1}");
  EXPECT_EQ(record->response.field("content-type"), "application/json");
  EXPECT_EQ(record->response.fields().text(), "Location: /a\r\nX: 1\r\nX: 2\r\ncontent-type: application/json\r\n");
}

TEST(IdempotencyRecord, refuses_what_is_none) {
  const std::string good = response_record(print_of_test, Response::text("hello").set("X", "1"));
  for (std::size_t size = 0; size < good.size() - 5; ++size) {
    EXPECT_FALSE(IdempotencyRecord::parse(good.substr(0, size))) << size;
  }
  EXPECT_TRUE(IdempotencyRecord::parse(running_record(print_of_test)));
  EXPECT_FALSE(IdempotencyRecord::parse(running_record(print_of_test) + "x"));
  for (const char state : {'\0', '\4', '\x7f', '\xff'}) {
    std::string other = good;
    other[0] = state;
    EXPECT_FALSE(IdempotencyRecord::parse(other));
  }
}

// --- The middleware ---

class IdempotencyTest : public ::testing::Test {
protected:
  static constexpr const char* first_key = "8e03978e-40d5-43e8-bc93-6894a57f9324";

  Client& serve(IdempotencyOptions options = {}) {
    options.store = &store;
    app.group("").use(Idempotency(options)).post("/payments", [this](Request& request) {
      ++payments;
      return respond(request);
    });
    return client.emplace(app).print_reports(false);
  }
  TestResponse pay(const std::string& body, const std::string& key = first_key, FieldList fields = {},
                   const std::string& target = "/payments") {
    fields.emplace_back("Idempotency-Key", key);
    return client->send({.method = Method::Post, .target = target, .fields = std::move(fields), .body = body});
  }

  MemoryStore store;
  App app;
  int payments = 0;
  std::function<Response(Request&)> respond = [this](Request& request) {
    return Response::text("payment " + std::to_string(payments) + ": " + std::string(request.body()))
        .status(Status::Created)
        .set("X-Payment", std::to_string(payments));
  };
  std::optional<Client> client;
};

TEST_F(IdempotencyTest, repeats_the_first_response) {
  serve();
  const TestResponse first = pay("5 EUR");
  EXPECT_EQ(first.status, 201);
  EXPECT_EQ(first.body, "payment 1: 5 EUR");
  EXPECT_FALSE(first.has("idempotent-replayed"));
  const TestResponse second_one = pay("5 EUR");
  EXPECT_EQ(second_one.status, 201);
  EXPECT_EQ(second_one.body, first.body);
  EXPECT_EQ(second_one.field("content-type"), first.field("content-type"));
  EXPECT_EQ(second_one.field("x-payment"), "1");
  EXPECT_EQ(second_one.field("idempotent-replayed"), "true");
  EXPECT_EQ(payments, 1);
}

TEST_F(IdempotencyTest, another_key_is_another_request) {
  serve();
  pay("5 EUR", "a");
  pay("5 EUR", "b");
  EXPECT_EQ(payments, 2);
}

TEST_F(IdempotencyTest, a_key_with_and_without_quotes_is_the_same) {
  serve();
  pay("5 EUR", "a");
  EXPECT_TRUE(pay("5 EUR", "\"a\"").has("idempotent-replayed"));
}

TEST_F(IdempotencyTest, a_key_belongs_to_one_request) {
  serve();
  pay("5 EUR");
  EXPECT_EQ(pay("6 EUR").status, 422);
  EXPECT_EQ(pay("5 EUR", first_key, {}, "/payments?fast").status, 422);
  EXPECT_EQ(payments, 1);
  EXPECT_TRUE(pay("5 EUR").has("idempotent-replayed"));
}

TEST_F(IdempotencyTest, a_client_cannot_read_what_another_one_got) {
  serve();
  pay("5 EUR", "1", {{"Authorization", "Bearer alice"}});
  const TestResponse guessed = pay("5 EUR", "1", {{"Authorization", "Bearer mallory"}});
  EXPECT_FALSE(guessed.has("idempotent-replayed"));
  EXPECT_EQ(guessed.body, "payment 2: 5 EUR");
}

TEST(IdempotencyOfSessions, a_user_cannot_read_what_another_one_got) {
  struct Member {
    std::string name = {};
  };
  MemoryStore store;
  App app;
  int payments = 0;
  app.use(Sessions<Member>());
  app.post("/login/{name}", [](Session<Member> session, std::string name) { session.login(name, {name}); });
  app.post("/visit", [](Session<Member> session) { session.update([](Member& member) { member.name = "guest"; }); });
  app.post("/pay",
           [&payments](Session<Member> session) {
             ++payments;
             return "paid by " + session->name;
           })
      .use(Idempotency({.store = &store}));
  testing::Client client(app);
  const auto send = [&client](const std::string& path, std::string_view cookie) {
    std::vector<std::pair<std::string, std::string>> fields = {{"Idempotency-Key", "1"},
                                                               {"Sec-Fetch-Site", "same-origin"}};
    if (!cookie.empty()) fields.emplace_back("Cookie", "__Host-session=" + std::string(cookie));
    return client.send({Method::Post, path, std::move(fields), {}});
  };
  const auto session_of = [&send](const std::string& path) {
    return std::string(send(path, {}).cookie("__Host-session"));
  };
  const std::string anna = session_of("/login/anna");
  const std::string eve = session_of("/login/eve");
  const std::string guest = session_of("/visit");
  const std::string other_guest = session_of("/visit");
  EXPECT_EQ(send("/pay", anna).body, "paid by anna");
  EXPECT_EQ(send("/pay", eve).body, "paid by eve");
  EXPECT_EQ(send("/pay", guest).body, "paid by guest");
  EXPECT_FALSE(send("/pay", other_guest).has("idempotent-replayed"));
  EXPECT_FALSE(send("/pay", {}).has("idempotent-replayed"));
  EXPECT_EQ(payments, 5);
  EXPECT_EQ(send("/pay", anna).body, "paid by anna");
  EXPECT_EQ(send("/pay", session_of("/login/anna")).body, "paid by anna") << "the same user, on another device";
  EXPECT_TRUE(send("/pay", guest).has("idempotent-replayed"));
  EXPECT_EQ(payments, 5);
}

TEST_F(IdempotencyTest, a_scope_and_a_key_do_not_run_into_each_other) {
  serve({.scope = [](const Request& request) { return std::string(request.field("x-user").value_or("")); }});
  pay("5 EUR", "bc", {{"X-User", "a"}});
  pay("5 EUR", "c", {{"X-User", "ab"}});
  pay("5 EUR", "abc", {});
  EXPECT_EQ(payments, 3);
}

TEST_F(IdempotencyTest, a_response_is_forgotten_after_its_lifetime) {
  serve({.lifetime = Seconds(100), .max_duration = Seconds(10)});
  pay("5 EUR");
  client->advance(Seconds(99));
  EXPECT_TRUE(pay("5 EUR").has("idempotent-replayed"));
  client->advance(Seconds(2));
  EXPECT_FALSE(pay("5 EUR").has("idempotent-replayed"));
}

TEST_F(IdempotencyTest, failures_may_be_tried_again) {
  serve();
  for (const Status status : {Status::InternalServerError, Status::ServiceUnavailable, Status::TooManyRequests,
                              Status::Conflict, Status::TooEarly}) {
    respond = [status](Request&) { return Response(status); };
    const int before = payments;
    pay("5 EUR");
    pay("5 EUR");
    EXPECT_EQ(payments, before + 2) << code(status);
  }
  respond = [](Request&) -> Response { throw std::runtime_error("the bank is away"); };
  EXPECT_EQ(pay("5 EUR").status, 500);
  respond = [](Request&) { return Response::text("paid"); };
  EXPECT_EQ(pay("5 EUR").body, "paid");
}

TEST_F(IdempotencyTest, errors_of_the_request_are_repeated) {
  serve();
  respond = [](Request&) { return Response(Status::PaymentRequired); };
  EXPECT_EQ(pay("5 EUR").status, 402);
  EXPECT_TRUE(pay("5 EUR").has("idempotent-replayed"));
  EXPECT_EQ(payments, 1);
}

TEST_F(IdempotencyTest, what_cannot_be_stored_does_not_run_twice) {
  serve({.max_response_bytes = 100});
  respond = [](Request&) { return Response::text(std::string(101, 'x')); };
  EXPECT_EQ(pay("5 EUR", "large").status, 200);
  EXPECT_EQ(pay("5 EUR", "large").status, 409);
  respond = [](Request&) { return Response::stream(media::text, [](Writer&) -> Task<> { co_return; }); };
  EXPECT_EQ(pay("5 EUR", "stream").status, 200);
  EXPECT_EQ(pay("5 EUR", "stream").status, 409);
  EXPECT_EQ(payments, 2);
}

TEST_F(IdempotencyTest, malformed_keys_are_refused) {
  serve();
  for (const std::string& key :
       {std::string(), std::string("\"\""), std::string("a b"), std::string("a,b"), std::string("\"a\"b\""),
        std::string("a\\b"), std::string("\xc3\xa9"), std::string(256, 'a')}) {
    EXPECT_EQ(pay("5 EUR", key).status, 400) << key;
  }
  EXPECT_EQ(pay("5 EUR", "a", {{"idempotency-key", "b"}}).status, 400);
  EXPECT_EQ(pay("5 EUR", std::string(255, 'a')).status, 201);
  EXPECT_EQ(payments, 1);
}

TEST_F(IdempotencyTest, requests_without_a_key_pass_unless_it_is_required) {
  serve();
  EXPECT_EQ(client->post("/payments", "5 EUR").status, 201);
  App strict;
  int calls = 0;
  strict.use(Idempotency({.store = &store, .required = true}));
  strict.post("/", [&calls] { ++calls; });
  strict.get("/", [] { return "read"; });
  Client other(strict);
  EXPECT_EQ(other.post("/", "").status, 400);
  EXPECT_EQ(other.get("/").body, "read");
  EXPECT_EQ(calls, 0);
}

TEST_F(IdempotencyTest, content_is_bounded) {
  serve({.max_content_bytes = 1000});
  EXPECT_EQ(pay(std::string(1001, 'x')).status, 413);
  EXPECT_EQ(payments, 0);
}

TEST(Idempotency, refuses_options_that_cannot_hold) {
  MemoryStore store;
  EXPECT_THROW(Idempotency({}), SetupError);
  EXPECT_THROW(Idempotency({.store = &store, .lifetime = Seconds(1), .max_duration = Seconds(2)}), SetupError);
  EXPECT_THROW(Idempotency({.store = &store, .max_duration = Milliseconds(0)}), SetupError);
  EXPECT_THROW(Idempotency({.store = &store, .max_wait = Milliseconds(-1)}), SetupError);
}

// --- At the same time ---

class ConcurrentIdempotency : public ::testing::Test {
protected:
  void serve(IdempotencyOptions options = {}) {
    options.store = &store;
    app.post("/",
             [this]() -> Task<std::string> {
               const int own = ++payments;
               co_await done.wait();
               co_return "payment " + std::to_string(own);
             })
        .use(Idempotency(options));
  }
  ServedRequest& send(const std::string& body = "5 EUR") {
    requests.push_back(
        std::make_unique<ServedRequest>(app, Method::Post, "/", FieldList{{"idempotency-key", "k"}}, body));
    executor.run();
    return *requests.back();
  }
  void finish_running() {
    done.set();
    done.reset();
    executor.run();
  }

  coro::ManualExecutor executor;
  MemoryStore store;
  App app;
  Event done;
  int payments = 0;
  std::vector<std::unique_ptr<ServedRequest>> requests;
};

TEST_F(ConcurrentIdempotency, a_duplicate_of_a_running_request_is_refused) {
  serve();
  ServedRequest& first = send();
  ServedRequest& duplicate = send();
  EXPECT_EQ(duplicate.response().status(), Status::Conflict);
  EXPECT_EQ(duplicate.field("retry-after"), "1");
  EXPECT_EQ(send("6 EUR").response().status(), Status::UnprocessableContent);
  finish_running();
  EXPECT_EQ(first.response().content(), "payment 1");
  EXPECT_EQ(send().field("idempotent-replayed"), "true");
  EXPECT_EQ(payments, 1);
}

TEST_F(ConcurrentIdempotency, a_duplicate_may_wait_for_the_response) {
  serve({.max_wait = Seconds(5)});
  send();
  ServedRequest& duplicate = send();
  executor.advance(1000);
  EXPECT_FALSE(duplicate.ended());
  finish_running();
  executor.advance(100);
  EXPECT_EQ(duplicate.response().content(), "payment 1");
  EXPECT_EQ(duplicate.field("idempotent-replayed"), "true");
  EXPECT_EQ(payments, 1);
}

TEST_F(ConcurrentIdempotency, a_wait_ends_with_its_time) {
  serve({.max_wait = Seconds(5)});
  send();
  ServedRequest& duplicate = send();
  executor.advance(5100);
  EXPECT_EQ(duplicate.response().status(), Status::Conflict);
  finish_running();
}

TEST_F(ConcurrentIdempotency, a_client_that_leaves_finds_the_response_later) {
  serve();
  ServedRequest& first = send();
  first.disconnect();
  executor.run();
  EXPECT_FALSE(first.ended());
  finish_running();
  EXPECT_EQ(send().response().content(), "payment 1");
  EXPECT_EQ(payments, 1);
}

TEST_F(ConcurrentIdempotency, a_lost_server_does_not_hold_a_key_for_ever) {
  serve({.lifetime = Seconds(100), .max_duration = Seconds(10)});
  ServedRequest& lost = send();
  lost.destroy();
  EXPECT_EQ(send().response().status(), Status::Conflict);
  executor.advance(10'001);
  ServedRequest& next = send();
  finish_running();
  EXPECT_EQ(next.response().content(), "payment 2");
}

TEST_F(ConcurrentIdempotency, a_request_that_ran_too_long_does_not_overwrite_the_next_one) {
  serve({.lifetime = Seconds(100), .max_duration = Seconds(10)});
  ServedRequest& slow = send();
  executor.advance(10'001);
  ServedRequest& next = send();
  EXPECT_EQ(payments, 2);
  finish_running();  // both
  EXPECT_TRUE(slow.ended() && next.ended());
  EXPECT_EQ(send().response().content(), "payment 2");
}

// --- A store that fails ---

class FailingStore final : public Store {
public:
  Task<std::optional<StoreEntry>> read(std::string_view) override {
    fail();
    co_return std::nullopt;
  }
  Task<std::optional<std::uint64_t>> write(std::string_view, std::string_view, Milliseconds,
                                           std::optional<std::uint64_t>) override {
    if (writes++ == failing_write) fail();
    co_return 7;
  }
  Task<bool> extend(std::string_view, Milliseconds) override {
    fail();
    co_return false;
  }
  Task<bool> erase(std::string_view, std::optional<std::uint64_t>) override {
    fail();
    co_return false;
  }

  int failing_write = 0;
  int writes = 0;

private:
  static void fail() { throw StoreError("the store is away"); }
};

class IdempotencyWithoutStore : public ::testing::Test {
protected:
  TestResponse pay() {
    app.post("/",
             [this] {
               ++payments;
               return Response(status);
             })
        .use(Idempotency({.store = &store}));
    Client client(app);
    client.print_reports(false);
    const TestResponse answer =
        client.send({.method = Method::Post, .fields = {{"idempotency-key", "k"}}, .body = "5 EUR"});
    reports = client.reports();
    return answer;
  }

  FailingStore store;
  App app;
  int payments = 0;
  Status status = Status::Ok;
  std::vector<std::string> reports;
};

TEST_F(IdempotencyWithoutStore, nothing_runs_when_the_key_cannot_be_claimed) {
  const TestResponse answer = pay();
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("retry-after"), "1");
  EXPECT_EQ(payments, 0);
  EXPECT_THAT(reports.back(), HasSubstr("the store is away"));
}

TEST_F(IdempotencyWithoutStore, a_response_that_cannot_be_stored_is_sent) {
  store.failing_write = 1;
  EXPECT_EQ(pay().status, 200);
  EXPECT_THAT(reports.back(), HasSubstr("is not stored"));
}

TEST_F(IdempotencyWithoutStore, so_is_a_failure_whose_claim_cannot_be_given_up) {
  store.failing_write = 1;
  status = Status::Conflict;
  EXPECT_EQ(pay().status, 409);
  EXPECT_THAT(reports.back(), HasSubstr("is not stored"));
}

}  // namespace
}  // namespace tern::web
