// Exchanges: pinning, recycling, reading content.
#include <tern/base/block_pool.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace tern {
namespace {

using Body = std::expected<void, StreamError>;

void count(void* ends) {
  ++*static_cast<int*>(ends);
}

// An exchange whose head and content are in a buffer that is reused, as in a server.
class BufferExchange final : public Exchange {
public:
  BufferExchange(std::string_view target, std::string_view name, std::string_view value, std::string_view body = {})
      : size_(target.size() + name.size() + value.size() + body.size()), buffer_(new char[size_]) {
    char* out = buffer_.get();
    const auto put = [&out](std::string_view text) {
      char* const begin = out;
      out = std::copy(text.begin(), text.end(), out);
      return std::string_view(begin, text.size());
    };
    request_.head().target = put(target);
    request_.head().parts = split_target(request_.head().target);
    const std::string_view name_there = put(name);
    request_.head().fields.add(name_there, put(value));
    body_ = put(body);
  }
  // Ends the iteration.
  void forget_buffer() {
    std::fill_n(buffer_.get(), size_, '!');
    buffer_.reset();
  }
  using Exchange::give_scratch;
  using Exchange::recycle;
  StopState& stop_state() { return stop_; }
  void announce(std::uint64_t bytes) { announced_ = bytes; }

  void limit(const Limits& limits) override { limits_ = limits; }
  const Limits& limits() const noexcept override { return limits_; }
  bool has_received() override { return true; }
  void when_received(std::coroutine_handle<>) override { ADD_FAILURE() << "no wait expected"; }
  std::expected<std::string_view, StreamError> take_received() override { return std::exchange(body_, {}); }
  bool charge(std::size_t) override { return true; }
  void inform(Status, const Fields&) override {}
  void log(const http::LogLine&) override {}
  std::string_view remote() override { return ""; }
  std::uint16_t remote_port() override { return 0; }
  std::string_view scheme() override { return "http"; }
  const TlsFacts* tls() override { return nullptr; }

private:
  std::size_t size_;
  std::unique_ptr<char[]> buffer_;
  std::string_view body_;
  Limits limits_;
};

Body run(Task<Body> task) {
  EXPECT_TRUE(task.start(count, nullptr));
  return task.result();
}

TEST(Pin, moves_every_view_of_the_head_into_the_arena) {
  BufferExchange exchange("/a/b?c=d", "Host", "example.org");
  Request& request = exchange.request();
  const std::array<std::string, 2> names = {"raw", "decoded"};
  request.set_route("/{raw}/{decoded}", names, 0);
  request.parameter_values()[0] = request.path().substr(1, 1);
  const std::string_view decoded = exchange.arena().copy("decoded");
  request.parameter_values()[1] = decoded;
  request.set_parameter_count(2);
  EXPECT_FALSE(exchange.pinned());
  exchange.pin();
  EXPECT_TRUE(exchange.pinned());
  exchange.forget_buffer();
  EXPECT_EQ(request.target(), "/a/b?c=d");
  EXPECT_EQ(request.path(), "/a/b");
  EXPECT_EQ(request.query(), "c=d");
  EXPECT_EQ(request.parameter("raw"), "a");
  EXPECT_EQ(request.parameter("decoded")->data(), decoded.data());
  EXPECT_EQ(request.parameter("decoded"), "decoded");
  EXPECT_EQ(request.fields()[0].name, "Host");
  EXPECT_EQ(request.host(), "example.org");
}

TEST(Pin, moves_the_authority_of_an_absolute_target_and_leaves_its_literal_path) {
  BufferExchange exchange("http://example.org:8080", "Host", "x");
  exchange.pin();
  exchange.forget_buffer();
  EXPECT_EQ(exchange.request().host(), "example.org:8080");
  EXPECT_EQ(exchange.request().path(), "/");
}

TEST(Pin, moves_empty_views_at_the_end_of_the_target) {
  BufferExchange exchange("/files/?", "a", "");
  Request& request = exchange.request();
  const std::array<std::string, 1> names = {"rest"};
  request.set_route("/files/{rest...}", names, 0);
  request.parameter_values()[0] = request.path().substr(7);
  request.set_parameter_count(1);
  exchange.pin();
  exchange.forget_buffer();
  EXPECT_EQ(request.path(), "/files/");
  EXPECT_EQ(request.query(), "");
  EXPECT_EQ(request.parameter("rest"), "");
  EXPECT_EQ(request.field("a"), "");
}

TEST(Pin, does_nothing_the_second_time) {
  BufferExchange exchange("/a", "a", "b");
  exchange.pin();
  const char* place = exchange.request().path().data();
  const std::size_t footprint = exchange.arena().footprint();
  exchange.pin();
  EXPECT_EQ(exchange.request().path().data(), place);
  EXPECT_EQ(exchange.arena().footprint(), footprint);
}

TEST(Pin, takes_an_empty_head) {
  BufferExchange exchange("", "", "");
  exchange.pin();
  exchange.forget_buffer();
  EXPECT_EQ(exchange.request().target(), "");
}

TEST(Pin, moves_content_that_was_read_without_a_copy) {
  BufferExchange exchange("/", "a", "b", "content");
  ASSERT_TRUE(read_complete_body(exchange));
  exchange.pin();
  exchange.forget_buffer();
  EXPECT_EQ(exchange.request().body(), "content");
  ASSERT_TRUE(run(read_body(exchange)));  // a second reader gets the same content
  EXPECT_EQ(exchange.request().body(), "content");
}

TEST(Recycle, makes_the_exchange_as_good_as_new) {
  BufferExchange exchange("/a?b", "Host", "example.org", std::string(100'000, 'x'));
  Request& request = exchange.request();
  request.put(std::string("kept"));
  exchange.pin();
  ASSERT_TRUE(read_complete_body(exchange));
  const std::array<std::string, 1> names = {"a"};
  request.set_route("/{a}", names, 0);
  request.set_parameter_count(1);
  exchange.stop_state().stop();
  EXPECT_EQ(request.body().size(), 100'000U);
  EXPECT_GE(request.collected_body().capacity(), 100'000U);

  exchange.recycle();
  EXPECT_EQ(request.find<std::string>(), nullptr);
  EXPECT_FALSE(exchange.pinned());
  EXPECT_TRUE(exchange.body_complete());
  EXPECT_FALSE(exchange.stop().stop_requested());
  EXPECT_EQ(exchange.arena().footprint(), 0U);
  EXPECT_EQ(request.target(), "");
  EXPECT_EQ(request.path(), "");
  EXPECT_EQ(request.query(), "");
  EXPECT_EQ(request.host(), "");
  EXPECT_EQ(request.body(), "");
  EXPECT_EQ(request.route(), "");
  EXPECT_TRUE(request.fields().empty());
  EXPECT_TRUE(request.parameters().empty());
  EXPECT_EQ(request.collected_body(), "");
  EXPECT_LT(request.collected_body().capacity(), 100U);  // large buffers are released
}

TEST(Scratch, is_used_again_up_to_a_size) {
  BufferExchange exchange("/", "a", "b");
  EXPECT_EQ(exchange.take_scratch(), "");
  std::string used(1000, 'x');
  const char* memory = used.data();
  exchange.give_scratch(std::move(used));
  exchange.give_scratch(std::string(500, 'y'));      // smaller: discarded
  exchange.give_scratch(std::string(100'000, 'z'));  // too large
  const std::string taken = exchange.take_scratch();
  EXPECT_EQ(taken, "");
  EXPECT_EQ(taken.data(), memory);
  EXPECT_LT(exchange.take_scratch().capacity(), 100U);
}

TEST(ReadCompleteBody, takes_one_piece_without_a_copy) {
  MemoryExchange exchange(Method::Post, "/", {}, "content");
  exchange.set_budget(0);
  EXPECT_TRUE(exchange.body_complete());
  ASSERT_TRUE(read_complete_body(exchange));
  EXPECT_EQ(exchange.request().body(), "content");
  EXPECT_EQ(exchange.request().collected_body(), "");
  ASSERT_TRUE(read_complete_body(exchange));  // again
  EXPECT_EQ(exchange.request().body(), "content");
}

TEST(ReadCompleteBody, takes_no_content_at_all) {
  MemoryExchange exchange(Method::Get, "/");
  ASSERT_TRUE(read_complete_body(exchange));
  EXPECT_EQ(exchange.request().body(), "");
}

TEST(ReadCompleteBody, puts_pieces_together_pinned_or_not) {
  for (int pieces = 0; pieces < 5; ++pieces) {
    for (const bool pinned : {false, true}) {
      MemoryExchange exchange(Method::Post, "/", {}, "", true);
      EXPECT_FALSE(exchange.body_complete());
      std::string whole;
      for (int i = 0; i < pieces; ++i) {
        const std::string piece(static_cast<std::size_t>(i) + 1, static_cast<char>('a' + i));
        exchange.arrive(piece);
        whole += piece;
      }
      exchange.end();
      EXPECT_TRUE(exchange.body_complete());
      if (pinned) exchange.pin();
      ASSERT_TRUE(read_complete_body(exchange));
      EXPECT_EQ(exchange.request().body(), whole);
      ASSERT_TRUE(read_complete_body(exchange));
      EXPECT_EQ(exchange.request().body(), whole);
    }
  }
}

TEST(ReadCompleteBody, gives_what_was_put_together_away_as_it_is) {
  MemoryExchange exchange(Method::Post, "/", {}, {}, true);
  exchange.arrive(std::string(20'000, 'a'));
  exchange.arrive(std::string(30'000, 'b'));
  exchange.end();
  ASSERT_TRUE(read_complete_body(exchange));
  Request& request = exchange.request();
  const std::string_view all = request.body();
  ASSERT_EQ(all.size(), 50'000U);
  EXPECT_EQ(request.take_body(all.substr(1)), "");
  EXPECT_EQ(request.take_body("else"), "");
  const std::string taken = request.take_body(all);
  EXPECT_EQ(taken.data(), all.data());
  EXPECT_EQ(taken.size(), 50'000U);
  EXPECT_EQ(request.body(), "");
}

TEST(ReadCompleteBody, stops_at_the_limit_of_the_route) {
  for (const bool pinned : {false, true}) {
    for (const std::size_t limit : std::initializer_list<std::size_t>{6, 7}) {
      MemoryExchange exchange(Method::Post, "/", {}, "content");
      exchange.limit({.max_body_bytes = limit});
      if (pinned) exchange.pin();
      const Body body = read_complete_body(exchange);
      ASSERT_EQ(body.has_value(), limit == 7);
      if (body) continue;
      EXPECT_EQ(body.error(), StreamError::TooLarge);
      EXPECT_EQ(read_complete_body(exchange).error(), StreamError::TooLarge);  // not the end
    }
  }
}

TEST(ReadCompleteBody, counts_what_it_copies_against_the_budget) {
  for (const bool pinned : {false, true}) {
    for (const std::size_t budget : std::initializer_list<std::size_t>{5, 6}) {
      MemoryExchange exchange(Method::Post, "/", {}, "", true);
      exchange.arrive("abc");
      exchange.arrive("def");
      exchange.end();
      exchange.set_budget(budget);
      if (pinned) exchange.pin();
      const Body body = read_complete_body(exchange);
      ASSERT_EQ(body.has_value(), budget == 6);
      if (!body) {
        EXPECT_EQ(body.error(), StreamError::Overloaded);
      }
    }
  }
}

TEST(ReadBody, waits_for_every_piece_and_the_end) {
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  EXPECT_FALSE(exchange.content_was_asked_for());
  Task<Body> task = read_body(exchange);
  EXPECT_FALSE(exchange.content_was_asked_for());
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  EXPECT_TRUE(exchange.content_was_asked_for());
  EXPECT_TRUE(exchange.pinned());
  exchange.arrive("one ");
  exchange.arrive("");  // not the end
  exchange.arrive("two ");
  exchange.arrive(std::string(1000, 'x'));
  EXPECT_EQ(ends, 0);
  EXPECT_EQ(exchange.request().body(), "");
  exchange.end();
  EXPECT_EQ(ends, 1);
  ASSERT_TRUE(task.result());
  EXPECT_EQ(exchange.request().body(), "one two " + std::string(1000, 'x'));
}

TEST(ReadBody, makes_room_for_what_was_announced_in_proportion_to_what_has_come) {
  const std::string content(100'000, 'x');
  const auto room_for = [&content](std::string_view come, std::uint64_t announced) {
    BufferExchange exchange("/", "a", "b", content.substr(0, come.size()));
    exchange.announce(announced);
    EXPECT_TRUE(run(read_body(exchange)));
    EXPECT_EQ(exchange.request().body(), come);
    return exchange.request().collected_body().capacity();
  };
  // The standard library may round up to 16 bytes.
  EXPECT_EQ(room_for(content, 1'000'000) / 16, 1'000'000U / 16);
  EXPECT_EQ(room_for(content, 1'000'000'000'000) / 16, 1'600'000U / 16);
  EXPECT_LT(room_for(content, 0), 200'001U);
  EXPECT_LT(room_for(std::string_view(content).substr(0, 1000), 1'000'000), 2'001U);  // too little has arrived
}

TEST(ReadBody, does_not_wait_for_what_is_there) {
  MemoryExchange exchange(Method::Post, "/", {}, "content");
  ASSERT_TRUE(run(read_body(exchange)));
  EXPECT_EQ(exchange.request().body(), "content");
  ASSERT_TRUE(run(read_body(exchange)));
  EXPECT_EQ(exchange.request().body(), "content");
}

TEST(ReadBody, ends_with_the_error_that_comes_while_it_waits) {
  for (const StreamError error : {StreamError::Malformed, StreamError::TooSlow}) {
    MemoryExchange exchange(Method::Post, "/", {}, "", true);
    Task<Body> task = read_body(exchange);
    int ends = 0;
    EXPECT_FALSE(task.start(count, &ends));
    exchange.arrive("part");
    exchange.fail(error);
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(task.result().error(), error);
    EXPECT_EQ(exchange.request().body(), "");
  }
}

TEST(ReadBody, ends_when_the_client_goes_while_it_waits) {
  MemoryExchange exchange(Method::Post, "/", {}, "part", true);
  Task<Body> task = read_body(exchange);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  exchange.disconnect();
  EXPECT_EQ(ends, 1);
  EXPECT_TRUE(exchange.stop().stop_requested());
  EXPECT_EQ(task.result().error(), StreamError::Disconnected);
}

TEST(ReadBody, stops_at_the_limit_and_at_the_budget) {
  for (const bool limited : {true, false}) {
    MemoryExchange exchange(Method::Post, "/", {}, "", true);
    if (limited) exchange.limit({.max_body_bytes = 5});
    if (!limited) exchange.set_budget(5);
    Task<Body> task = read_body(exchange);
    int ends = 0;
    EXPECT_FALSE(task.start(count, &ends));
    exchange.arrive("abcde");
    EXPECT_EQ(ends, 0);
    exchange.arrive("f");
    EXPECT_EQ(ends, 1);
    EXPECT_EQ(task.result().error(), limited ? StreamError::TooLarge : StreamError::Overloaded);
  }
}

TEST(ReadBody, can_be_destroyed_while_it_waits) {
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  {
    Task<Body> task = read_body(exchange);
    EXPECT_FALSE(task.start(count, nullptr));
  }
  exchange.arrive("complete");
  Task<Body> again = read_body(exchange);
  int ends = 0;
  EXPECT_FALSE(again.start(count, &ends));
  exchange.end();
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(exchange.request().body(), "complete");
}

TEST(ReadBody, can_be_destroyed_by_the_stop_token_that_fires) {
  struct Cancels final : StopCallback {
    Cancels(StopToken token, Task<Body>& task_) : StopCallback(token), task(task_) {}
    void on_stop() noexcept override { task = Task<Body>(); }
    Task<Body>& task;
  };
  MemoryExchange exchange(Method::Post, "/", {}, "", true);
  Task<Body> task = read_body(exchange);
  const Cancels cancels(exchange.stop(), task);
  int ends = 0;
  EXPECT_FALSE(task.start(count, &ends));
  exchange.disconnect();
  EXPECT_FALSE(task);
  EXPECT_EQ(ends, 0);
}

TEST(StreamErrors, have_an_answer_each) {
  EXPECT_EQ(to_problem(StreamError::Disconnected).status, Status::BadRequest);
  EXPECT_EQ(to_problem(StreamError::TooLarge).status, Status::ContentTooLarge);
  EXPECT_EQ(to_problem(StreamError::Malformed).status, Status::BadRequest);
  const StreamError trailers(Status::RequestHeaderFieldsTooLarge, "too many trailers");
  EXPECT_EQ(trailers, StreamError::Malformed);
  EXPECT_EQ(to_problem(trailers).status, Status::RequestHeaderFieldsTooLarge);
  EXPECT_EQ(to_problem(trailers).detail, "too many trailers");
  EXPECT_EQ(to_problem(StreamError::TooSlow).status, Status::RequestTimeout);
  const Problem overloaded = to_problem(StreamError::Overloaded);
  EXPECT_EQ(overloaded.status, Status::ServiceUnavailable);
  EXPECT_EQ(overloaded.fields.find("retry-after"), "1");
}

}  // namespace
}  // namespace tern
