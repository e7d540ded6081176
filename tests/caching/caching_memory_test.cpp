// Every allocation fails in turn: of a loop that serves cached responses and files, and of the file code on the pool.
#include "server/allocation_sweep.hpp"
#include "web/file_service.hpp"
#include "web/folder_source.hpp"

#include "base/test_folder.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <new>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

class AllocationSweepCaching : public ::testing::TestWithParam<const char*> {
protected:
  AllocationSweepCaching() {
    std::ofstream(folder.path / "index.html") << "<p>home";
    std::ofstream(folder.path / "large.bin") << std::string(200'000, 'x');
  }

  base::TestFolder folder;
};

void ask(std::uint16_t port, std::string_view path, const std::string& fields = {}) {
  HttpClient client(port);
  client.get(path, "Connection: close\r\n" + fields);
  while (!client.receive_some().empty()) {
  }
}

TEST_P(AllocationSweepCaching, a_request_ends_and_nothing_else) {
  const auto routes = [this](App& app, exchange::Settings&) {
    const Cache cache = tern::cache({.ttl = Seconds(100), .vary = {"x-kind"}, .stale_if_error = Seconds(10)});
    app.get("/cached",
            []() -> Task<Response> {
              co_await yield();
              co_return Response::text("page").set("vary", "Origin");
            })
        .use(cache);
    app.get("/tagged", [] { return std::string(1000, 'x'); }).use(ETag());
    app.files("/files", folder.path.string(), {.fallback = "index.html"});
  };
  sweep_allocations(routes, [](std::uint16_t port) {
    ask(port, GetParam());                                     // from the handler or the disk
    ask(port, GetParam(), "If-None-Match: \"1\", \"2\"\r\n");  // from the cache
    ask(port, GetParam(), "Range: bytes=0-1\r\n");
  });
}

INSTANTIATE_TEST_SUITE_P(paths, AllocationSweepCaching,
                         ::testing::Values("/cached", "/tagged", "/files/", "/files/large.bin", "/files/missing"));

// Without an executor, the service does at once what otherwise the pool does.
void serve_with_failures(const std::string& folder, const Service& app, const char* path) {
  allocations_of_this_thread_may_fail();
  bool failed = true;
  bool was_served = false;
  std::int64_t n = 1;
  for (; failed && n < 300; ++n) {
    SCOPED_TRACE(n);
    const FileOptions options{.fallback = "index.html"};
    web::FileService files(base::Box<web::FileSource>(new web::FolderSource(folder, options)), options);
    const auto serve = [&]() -> int {
      MemoryExchange exchange(Method::Get, path);
      exchange.set_service(app);
      exchange.request().parameter_values()[0] = exchange.request().path().substr(1);
      exchange.request().set_parameter_count(1);
      Reply reply = files.serve(exchange.request());
      if (reply.ready()) return code(reply.response().status());
      if (!reply.task().start([](void*) {}, nullptr)) return 0;
      return code(reply.task().result().status());
    };
    fail_allocation(n);
    try {
      was_served = serve() == 200;
    } catch (const std::bad_alloc&) {
      was_served = false;
    }
    failed = stop_failing();
    EXPECT_EQ(serve(), 200) << path;
  }
  EXPECT_TRUE(was_served);
  EXPECT_GT(n, 5);
}

TEST_F(AllocationSweepCaching, a_file_is_found_or_the_request_fails) {
  App app;
  const Service& service = app.service();
  for (const char* path : {"/", "/large.bin", "/missing/path"}) {
    std::thread([&] { serve_with_failures(folder.path.string(), service, path); }).join();
  }
}

}  // namespace
}  // namespace tern::testing
