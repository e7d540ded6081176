// Replies: ready or pending, followed by then(), awaited, destroyed.
#include <tern/base/block_pool.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/memory_exchange.hpp>
#include <tern/http/reply.hpp>

#include <gtest/gtest.h>

#include <expected>
#include <memory>
#include <string>
#include <utility>

namespace tern {
namespace {

using Body = std::expected<void, StreamError>;

void count(void* ends) {
  ++*static_cast<int*>(ends);
}

Task<Response> answer_later(Exchange& exchange) {
  const Body body = co_await read_body(exchange);
  if (!body) throw HttpError(to_problem(body.error()));
  co_return Response::text(std::string(exchange.request().body()));
}

Response marked(Response response) {
  response.status(Status::Accepted);
  return response;
}

TEST(Reply, is_ready_with_a_response_and_not_with_a_task) {
  MemoryExchange exchange(Method::Post, "/", {}, "content");
  Reply ready = Response::text("now");
  EXPECT_TRUE(ready.ready());
  EXPECT_EQ(ready.response().content(), "now");
  Reply pending = answer_later(exchange);
  EXPECT_FALSE(pending.ready());
  EXPECT_TRUE(pending.task().start(count, nullptr));
  EXPECT_EQ(pending.task().result().content(), "content");
}

TEST(Reply, then_acts_at_once_and_without_a_frame_when_it_is_ready) {
  std::string content(200, 'x');
  const char* memory = content.data();
  const std::size_t before = base::blocks_from_heap();  // without a pool, every frame counts
  Reply reply = Reply(Response::text(std::move(content))).then(marked).then(marked);
  EXPECT_EQ(base::blocks_from_heap(), before);
  ASSERT_TRUE(reply.ready());
  EXPECT_EQ(reply.response().status(), Status::Accepted);
  EXPECT_EQ(reply.response().content().data(), memory);  // moved, not copied
}

TEST(Reply, then_makes_one_frame_when_it_is_pending_and_acts_when_the_response_comes) {
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  Reply pending = answer_later(exchange);
  int calls = 0;
  const std::size_t before = base::blocks_from_heap();
  Reply reply = std::move(pending).then([&calls, held = std::make_unique<int>(5)](Response response) {
    calls += *held;
    return marked(std::move(response));
  });
  EXPECT_EQ(base::blocks_from_heap(), before + 1);
  ASSERT_FALSE(reply.ready());
  int ends = 0;
  EXPECT_FALSE(reply.task().start(count, &ends));
  exchange.arrive("late");
  EXPECT_EQ(calls, 0);
  exchange.end();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(calls, 5);
  const Response response = reply.task().result();
  EXPECT_EQ(response.status(), Status::Accepted);
  EXPECT_EQ(response.content(), "late");
}

TEST(Reply, then_passes_an_exception_by) {
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  bool called = false;
  Reply reply = Reply(answer_later(exchange)).then([&called](Response response) {
    called = true;
    return response;
  });
  int ends = 0;
  EXPECT_FALSE(reply.task().start(count, &ends));
  exchange.disconnect();
  EXPECT_EQ(ends, 1);
  EXPECT_FALSE(called);
  EXPECT_THROW((void)reply.task().result(), HttpError);
}

TEST(Reply, is_edited_in_place_or_when_it_is_there) {
  Reply ready = Response::text("now");
  ready.edit([](Response& response) { response.set("a", "1"); });
  EXPECT_EQ(ready.response().fields().find("a"), "1");

  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  Reply pending = answer_later(exchange);
  pending.edit([](Response& response) { response.set("a", "2"); });
  int ends = 0;
  EXPECT_FALSE(pending.task().start(count, &ends));
  exchange.arrive("later");
  exchange.end();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(pending.task().result().fields().find("a"), "2");
}

TEST(Reply, can_be_awaited_ready_or_pending) {
  const auto handler = [](Reply reply) -> Task<std::string> {
    const Response response = co_await std::move(reply);
    co_return std::string(response.content());
  };
  Task<std::string> ready = handler(Response::text("now"));
  EXPECT_TRUE(ready.start(count, nullptr));
  EXPECT_EQ(ready.result(), "now");

  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  Task<std::string> pending = handler(answer_later(exchange));
  int ends = 0;
  EXPECT_FALSE(pending.start(count, &ends));
  exchange.arrive("later");
  exchange.end();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(pending.result(), "later");
}

TEST(Reply, destroys_everything_when_it_dies_pending) {
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  auto held = std::make_shared<int>(1);
  {
    Reply reply = Reply(answer_later(exchange)).then([held](Response response) { return response; });
    EXPECT_GT(held.use_count(), 1);
    EXPECT_FALSE(reply.task().start(count, nullptr));
  }
  EXPECT_EQ(held.use_count(), 1);
  exchange.end();  // resumes no coroutine
}

}  // namespace
}  // namespace tern
