// Content that takes long to parse is read on the thread pool, whatever the other parameters of the handler are, and
// its values are destroyed there.
#include "coro/manual_executor.hpp"

#include <tern/async.hpp>
#include <tern/http/memory_exchange.hpp>
#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

struct AwaitedUser {
  std::string name;
};

}  // namespace

template <>
struct tern::Extract<AwaitedUser> {
  static Task<std::expected<AwaitedUser, Rejection>> from(Request&) { co_return AwaitedUser{"Ann"}; }
};

namespace tern {
namespace {

constexpr std::size_t large = 256 * 1024;

struct Numbers {
  std::vector<int> numbers;
};

struct Text {
  std::string_view text;
};

std::string numbers(std::size_t count) {
  std::string text = R"({"numbers":[0)";
  for (std::size_t i = 1; i < count; ++i) text += ",0";
  return text + "]}";
}

class LargeContent : public ::testing::Test {
protected:
  LargeContent() { loop.pool = &pool; }
  ~LargeContent() {
    while (pool.waiting != 0) pool.run_one();  // values to be destroyed
  }

  // A request whose content arrives behind its head.
  class Call {
  public:
    Call(App& app, std::string path, std::string type, std::string content)
        : exchange_(Method::Post, std::move(path), {{"content-type", std::move(type)}}, {}, true),
          reply_(app.service().serve(exchange_)) {
      ended_ = reply_.task().start([](void* call) { static_cast<Call*>(call)->ended_ = true; }, this);
      exchange_.arrive(std::move(content));
      exchange_.end();
    }
    bool ended() const { return ended_; }
    Response result() { return reply_.task().result(); }

  private:
    MemoryExchange exchange_;
    Reply reply_;
    bool ended_ = false;
  };
  std::string type = "application/json";

  void expect_on_pool(const std::string& path, const std::string& content, std::string_view answer, int jobs = 1) {
    Call call(app, path, type, content);
    for (int i = 0; i < jobs; ++i) {
      EXPECT_FALSE(call.ended()) << path << i;
      ASSERT_EQ(pool.waiting, 1U) << path << i;
      pool.run_one();
      loop.run();
    }
    ASSERT_TRUE(call.ended()) << path;
    EXPECT_EQ(call.result().content(), answer) << path;
  }
  void run_pool() {
    while (pool.waiting != 0) pool.run_one();
  }

  App app;
  coro::ManualExecutor loop;
  coro::ManualPool pool;
};

TEST_F(LargeContent, is_read_on_the_pool_beside_every_other_parameter) {
  app.post("/json", [](const Json<Numbers>& json) { return json->numbers.size(); });
  app.post("/optional", [](std::optional<Json<Numbers>> json) { return json ? (*json)->numbers.size() : 0; });
  app.post("/body", [](Body body, Json<Numbers> json) { return body.bytes.empty() ? 0 : json->numbers.size(); });
  app.post("/awaited", [](AwaitedUser, Json<Numbers> json) { return json->numbers.size(); });
  app.post("/maybe", [](AwaitedUser, Body, std::optional<Json<Numbers>> json) { return (*json)->numbers.size(); });
  app.post("/request", [](Request&, Json<Numbers> json) { return json->numbers.size(); });
  app.post("/task", [](Json<Numbers> json) -> Task<std::size_t> { co_return json->numbers.size(); });
  app.post("/twice", [](Json<Numbers> one, Json<Numbers> two) { return one->numbers.size() + two->numbers.size(); });
  const std::string content = numbers(large / 2);
  const std::string count = std::to_string(large / 2);
  for (const char* path : {"/json", "/optional", "/body", "/awaited", "/maybe", "/request", "/task"}) {
    expect_on_pool(path, content, count);
    run_pool();
  }
  expect_on_pool("/twice", content, std::to_string(large), 2);
}

TEST_F(LargeContent, a_form_is_decoded_on_the_pool) {
  type = "application/x-www-form-urlencoded";
  app.post("/form", [](Form<Text> form) { return std::to_string(form->text.size()); });
  app.post("/optional", [](std::optional<Form<Text>> form) -> Task<std::string> {
    co_return std::to_string((*form)->text.size());  // a view: it outlives the wait
  });
  std::string content = "text=";
  for (std::size_t i = 0; i < large / 3; ++i) content += "%41";
  expect_on_pool("/form", content, std::to_string(large / 3));
  expect_on_pool("/optional", content, std::to_string(large / 3));
}

TEST_F(LargeContent, is_read_for_all_parameters_to_list_every_violation) {
  app.post("/", [](Json<std::string> wrong, Json<Numbers>) { return wrong->size(); });
  Call call(app, "/", type, numbers(large));
  pool.run_one();
  loop.run();
  ASSERT_FALSE(call.ended());
  pool.run_one();
  loop.run();
  ASSERT_TRUE(call.ended());
  EXPECT_EQ(call.result().status(), Status::UnprocessableContent);
  EXPECT_EQ(pool.waiting, 0U);
}

TEST_F(LargeContent, is_refused_by_the_first_parameter_that_cannot_read_it) {
  app.post("/", [](Json<std::string> wrong, Json<Numbers>) { return wrong->size(); });
  Call call(app, "/", type, "[" + numbers(large));
  pool.run_one();
  loop.run();
  ASSERT_TRUE(call.ended());
  EXPECT_EQ(call.result().status(), Status::BadRequest);
  EXPECT_EQ(pool.waiting, 0U) << "the second is not read";
}

TEST_F(LargeContent, what_was_made_from_it_is_destroyed_on_the_pool) {
  app.post("/value", [](Json<Numbers> json) { return json->numbers.size(); });
  app.post("/optional", [](std::optional<Json<Numbers>> json) { return (*json)->numbers.size(); });
  app.post("/task", [](Json<Numbers> json) -> Task<std::size_t> { co_return json->numbers.size(); });
  app.post("/reference", [](const Json<Numbers>& json) { return json->numbers.size(); });
  app.post("/taken", [](Json<Numbers> json) { return std::vector(std::move(json->numbers)).size(); });
  const std::string content = numbers(large / 2);
  for (const char* path : {"/value", "/optional", "/task", "/reference", "/taken"}) {
    expect_on_pool(path, content, std::to_string(large / 2));  // the exchange has ended
    ASSERT_EQ(pool.waiting, 1U) << path;
    Job* const job = pool.take();
    EXPECT_EQ(job->place.priority, Priority::High);
    job->run();
  }
}

TEST_F(LargeContent, a_full_pool_leaves_it_to_the_loop) {
  coro::ManualPool small(1);
  loop.pool = &small;
  app.post("/", [](Json<Numbers> json) { return json->numbers.size(); });
  Call first(app, "/", type, numbers(large));
  Call second(app, "/", type, numbers(large));
  ASSERT_TRUE(second.ended());
  EXPECT_EQ(second.result().status(), Status::ServiceUnavailable);
  small.run_one();
  Call third(app, "/", type, numbers(large));
  loop.run();  // the value of the first goes while the third has the only place
  ASSERT_TRUE(first.ended());
  EXPECT_EQ(first.result().content(), std::to_string(large));
  EXPECT_EQ(small.waiting, 1U);
  small.take()->drop();
  loop.run();
  EXPECT_EQ(third.result().status(), Status::ServiceUnavailable);
}

TEST_F(LargeContent, small_content_is_read_on_the_loop) {
  app.post("/", [](AwaitedUser, std::optional<Json<Numbers>> json, Body) { return (*json)->numbers.size(); });
  Call call(app, "/", type, numbers(10));
  ASSERT_TRUE(call.ended());
  EXPECT_EQ(call.result().content(), "10");
  EXPECT_EQ(pool.waiting, 0U);
}

}  // namespace
}  // namespace tern
