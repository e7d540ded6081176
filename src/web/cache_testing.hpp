// For tests: an app with one cached route, which counts its calls.
#pragma once

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace tern::web {

using FieldPairs = std::vector<std::pair<std::string, std::string>>;

class CachedRoute : public ::testing::Test {
protected:
  testing::Client& start() {
    cache = Cache(options);
    app.use(cache);
    app.get("/{path...}", [this](Request& request) {
      ++calls;
      return handler(request);
    });
    client_ = base::make_box<testing::Client>(app);
    return *client_;
  }
  testing::Client& client() { return client_ ? *client_ : start(); }
  testing::TestResponse get(std::string target = "/", FieldPairs fields = {}, Method method = Method::Get) {
    return client().send({method, std::move(target), std::move(fields)});
  }
  void advance(std::int64_t milliseconds) { client().advance(Milliseconds(milliseconds)); }
  // Whether a second request with the same fields is served from the cache.
  bool is_stored(FieldPairs fields = {}) {
    const int before = calls;
    get("/", fields);
    get("/", fields);
    return calls == before + 1;
  }

  CacheOptions options{.ttl = Seconds(10)};
  std::function<Response(Request&)> handler = [this](Request&) { return Response::text(std::to_string(calls)); };
  int calls = 0;
  Cache cache;
  App app;

private:
  base::Box<testing::Client> client_;
};

}  // namespace tern::web
