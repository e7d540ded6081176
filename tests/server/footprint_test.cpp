// What a request costs in the steady state: allocations and system calls. A program of its own, since it replaces the
// allocator.
#include "server/running_server.hpp"

#include <tern/tern.hpp>

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<bool> counting = false;
std::atomic<std::size_t> allocations = 0;
thread_local bool exempt = false;  // the test's own thread

void count() noexcept {
  if (counting.load(std::memory_order_relaxed) && !exempt) allocations.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

// Everything ends in malloc: operator new, the block pool, the C library.
extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);

void* malloc(std::size_t size) {
  count();
  return __libc_malloc(size);
}
void* calloc(std::size_t items, std::size_t size) {
  count();
  return __libc_calloc(items, size);
}
void* realloc(void* memory, std::size_t size) {
  count();
  return __libc_realloc(memory, size);
}
}

namespace tern::testing {
namespace {

// Resumes at once, but by way of the loop's queue.
struct Yield {
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) const {
    Executor::current()->post([handle] { handle.resume(); });
  }
  void await_resume() const noexcept {}
};

struct Message {
  std::string_view message;
};

class Footprint : public ::testing::Test {
protected:
  Footprint() {
    app.get("/hello", [] { return "Hello, World!"; });
    app.get("/user/{id}", [](std::string_view id) { return id; });
    app.get("/json", [] { return Message{"Hello, World!"}; });
    app.get("/task", []() -> Task<Response> { co_return Response::borrowed(media::text, "Hello, World!"); });
    app.get("/later", []() -> Task<Response> {
      co_await Yield{};
      co_return Response::borrowed(media::text, "Hello, World!");
    });
    app.post("/echo", [](Body body) { return body; });
    auto group = app.group("/three");
    for (int i = 0; i < 3; ++i) group.use([](Request&, Next next) { return next(); });
    group.get("/hello", [] { return "Hello, World!"; });
  }

  // Allocations of `rounds` batches of `batch` such requests, after a few to warm up.
  static std::size_t allocations_of(RunningServer& running, const std::string& request, std::size_t batch = 1) {
    exempt = true;
    HttpClient client = running.client();
    std::string requests;
    for (std::size_t i = 0; i < batch; ++i) requests += request;
    const auto round = [&] {
      client.send(requests);
      for (std::size_t i = 0; i < batch; ++i) EXPECT_EQ(client.answer().status, 200);
    };
    for (int i = 0; i < 50; ++i) round();
    running.on_loop([] { allocations = 0; });
    counting = true;
    for (int i = 0; i < 200; ++i) round();
    counting = false;
    return allocations;
  }
  static std::string get(std::string_view path) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: test\r\nAccept: */*\r\n\r\n";
  }

  App app;
};

TEST_F(Footprint, the_counter_counts) {
  counting = true;
  allocations = 0;
  std::thread([] { delete new int(1); }).join();
  counting = false;
  EXPECT_GT(allocations, 0U);
}

TEST_F(Footprint, a_plain_request_allocates_nothing) {
  RunningServer running(app.service());
  EXPECT_EQ(allocations_of(running, get("/hello")), 0U);
  EXPECT_EQ(allocations_of(running, get("/hello"), 16), 0U);
}

TEST_F(Footprint, three_plain_middleware_add_nothing) {
  RunningServer running(app.service());
  EXPECT_EQ(allocations_of(running, get("/three/hello")), 0U);
}

TEST_F(Footprint, a_parameter_or_json_costs_nothing) {
  RunningServer running(app.service());
  EXPECT_EQ(allocations_of(running, get("/user/1234567890")), 0U);
  EXPECT_EQ(allocations_of(running, get("/json")), 0U);
  EXPECT_EQ(
      allocations_of(running, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x')),
      0U);
}

TEST_F(Footprint, an_asynchronous_handlers_frame_comes_from_the_pool) {
  RunningServer running(app.service());
  EXPECT_EQ(allocations_of(running, get("/task")), 0U);
  EXPECT_EQ(allocations_of(running, get("/later")), 0U);
}

TEST_F(Footprint, the_access_log_allocates_once_in_a_while) {
  LogOptions log = silent();
  log.access = AccessLog::Common;
  log.access_file = "/dev/null";
  RunningServer running(app.service(), {.access = AccessLog::Combined}, 1, log);
  EXPECT_LT(allocations_of(running, get("/hello")), 40U);  // for 200 requests: a batch of lines now and then
}

TEST_F(Footprint, a_batch_costs_one_receive_and_one_send) {
  RunningServer running(app.service());
  exempt = true;
  const auto& counters = running.counters();
  HttpClient client = running.client();
  std::string batch;
  for (int i = 0; i < 16; ++i) batch += get("/hello");
  client.send(get("/hello"));
  client.answer();
  const auto receives = counters.receives.value();
  const auto sends = counters.sends.value();
  const auto watches = counters.watches.value();
  for (int round = 0; round < 20; ++round) {
    client.send(batch);
    for (int i = 0; i < 16; ++i) ASSERT_EQ(client.answer().status, 200);
  }
  EXPECT_EQ(counters.receives.value() - receives, 20U);
  EXPECT_EQ(counters.sends.value() - sends, 20U);
  EXPECT_EQ(counters.watches.value() - watches, 0U);
}

TEST_F(Footprint, an_idle_connection_holds_less_than_a_kilobyte) {
  RunningServer running(app.service(), {.connections = 10'000});
  exempt = true;
  constexpr std::size_t count = 2000;
  std::vector<HttpClient> clients;
  clients.reserve(count + 1);
  clients.push_back(running.client());
  EXPECT_EQ(clients.back().ask("/hello").status, 200);
  const auto held = [&] { return running.on_loop([] { return ::mallinfo2().uordblks; }); };
  const std::size_t before = held();
  for (std::size_t i = 0; i < count; ++i) {
    clients.push_back(running.client());
    clients.back().get("/hello");
    ASSERT_EQ(clients.back().answer().status, 200);
  }
  const std::size_t each = (held() - before) / count;
  RecordProperty("bytes", std::to_string(each));
  std::printf("an idle connection: %zu bytes on the heap (the test's clients included)\n", each);
  EXPECT_LT(each, 1024U);
}

}  // namespace
}  // namespace tern::testing
