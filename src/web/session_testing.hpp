// For tests: an app with sessions, browsers that keep its cookies, and a store that can fail.
#pragma once

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {

struct Visitor {
  std::string name = {};
  int visits = 0;
  std::vector<std::string> basket = {};
};

// A MemoryStore that can fail, wait like one of another process, and call something within its next write or erasure,
// as if another request came between.
class TestStore final : public Store {
public:
  Task<std::optional<StoreEntry>> read(std::string_view key) override {
    ++reads;
    co_await pass_time();
    if (fails) throw StoreError("the store is away");
    co_return co_await memory.read(key);
  }
  Task<std::optional<std::uint64_t>> write(std::string_view key, std::string_view value, Milliseconds lifetime,
                                           std::optional<std::uint64_t> expected = {}) override {
    ++writes;
    keys.emplace_back(key);
    co_await pass_time();
    if (fails || fails_to_write) throw StoreError("the store is away");
    if (const auto call = std::exchange(before_write, nullptr)) call();
    co_return co_await memory.write(key, value, lifetime, expected);
  }
  Task<bool> extend(std::string_view key, Milliseconds lifetime) override {
    co_await pass_time();
    if (fails) throw StoreError("the store is away");
    co_return co_await memory.extend(key, lifetime);
  }
  Task<bool> erase(std::string_view key, std::optional<std::uint64_t> expected = {}) override {
    co_await pass_time();
    if (fails) throw StoreError("the store is away");
    if (const auto call = std::exchange(before_erase, nullptr)) call();
    co_return co_await memory.erase(key, expected);
  }

  MemoryStore memory;
  std::function<void()> before_write;
  std::function<void()> before_erase;
  std::vector<std::string> keys;  // that were written
  int reads = 0;
  int writes = 0;
  bool fails = false;
  bool fails_to_write = false;
  bool waits = false;

private:
  Task<> pass_time() const {
    if (waits) co_await sleep_for(Milliseconds(1));
  }
};

class SessionApp : public ::testing::Test {
protected:
  static constexpr std::string_view cookie = "__Host-session";
  using FieldList = std::vector<std::pair<std::string, std::string>>;

  SessionApp() { options.store = &store; }

  testing::Client& client() {
    if (!client_) start();
    return *client_;
  }
  // A request with that value of the session's cookie (empty: none); unsafe ones say that they are of the same origin.
  testing::TestResponse send(Method method, std::string target, std::string_view session, FieldList fields = {},
                             std::string body = {}) {
    if (!session.empty()) fields.emplace_back("Cookie", std::string(cookie) + "=" + std::string(session));
    if (method == Method::Post && names_origin) fields.emplace_back("Sec-Fetch-Site", "same-origin");
    return client().send({method, std::move(target), std::move(fields), std::move(body)});
  }
  testing::TestResponse get(std::string target, std::string_view session = {}) {
    return send(Method::Get, std::move(target), session);
  }
  testing::TestResponse post(std::string target, std::string_view session = {}) {
    return send(Method::Post, std::move(target), session);
  }
  // The cookie of a new session.
  std::string log_in(std::string who, std::string_view before = {}) {
    return std::string(post("/login/" + who, before).cookie(cookie));
  }
  std::string name(std::string_view session) { return get("/name", session).body; }

  TestStore store;
  SessionOptions options;
  App app;
  std::optional<Sessions<Visitor>> sessions;
  bool names_origin = true;

private:
  void start();
  base::Box<testing::Client> client_;
};

inline void SessionApp::start() {
  using Visiting = Session<Visitor>;
  sessions.emplace(options);
  app.use(*sessions);
  app.get("/plain", [] { return "plain"; });
  app.post("/plain", [] { return "posted"; });
  app.get("/name", [](Visiting session) { return session->name + "/" + std::string(session.user()); });
  app.get("/visits", [](Visiting session) { return std::to_string(session->visits); });
  app.post("/visit", [](Visiting session) {
    session.update([](Visitor& visitor) { ++visitor.visits; });
    return std::to_string(session->visits);
  });
  app.post("/add/{what}", [](Visiting session, std::string what) {
    session.update([](Visitor& visitor, const std::string& added) { visitor.basket.push_back(added); }, what);
  });
  app.get("/basket", [](Visiting session) { return session->basket; });
  app.post("/set/{name}", [](Visiting session, std::string name) { session.set({.name = name}); });
  app.post("/login/{who}", [](Visiting session, std::string who) { session.login(who, {.name = who}); });
  app.post("/signin/{who}", [](Visiting session, std::string who) { session.login(who); });
  app.post("/rotate", [](Visiting session) { session.rotate(); });
  app.post("/logout", [](Visiting session) { session.destroy(); });
  app.post("/end/{who}", [this](std::string who) -> Task<> { co_await sessions->end_all(who); });
  app.post("/flash/{text}", [](Visiting session, std::string text) { session.flash("note", text); });
  app.get("/flashes", [](Visiting session) {
    std::string all;
    for (const Flash& flash : session.take_flashes()) all += flash.kind + ":" + flash.text + " ";
    return all;
  });
  app.post("/login-page/{who}", [](Visiting session, std::string who) {
    session.login(who);
    return session.csrf_token();
  });
  app.get("/token", [](Visiting session) { return session.csrf_token(); });
  client_ = base::make_box<testing::Client>(app);
  client_->print_reports(false);
}

}  // namespace tern::web
