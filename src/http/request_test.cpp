#include <tern/http/memory_exchange.hpp>
#include <tern/http/request.hpp>

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tern {
namespace {

TEST(Request, tells_its_head) {
  MemoryExchange exchange(Method::Put, "/a%20b?c=d", {{"Host", "example.org"}, {"X", "1"}, {"x", "2"}});
  const Request& request = exchange.request();
  EXPECT_EQ(request.method(), Method::Put);
  EXPECT_EQ(request.version(), Version::Http11);
  EXPECT_EQ(request.target(), "/a%20b?c=d");
  EXPECT_EQ(request.path(), "/a%20b");
  EXPECT_EQ(request.query(), "c=d");
  EXPECT_EQ(request.field("X"), "1");
  EXPECT_EQ(request.fields().count("x"), 2U);
  EXPECT_FALSE(request.field("y"));
  EXPECT_EQ(request.body(), "");
  EXPECT_EQ(request.route(), "");
  EXPECT_TRUE(request.parameters().empty());
  EXPECT_EQ(&request.exchange(), &exchange);
}

TEST(Request, takes_its_host_from_the_target_before_the_field) {
  EXPECT_EQ(MemoryExchange(Method::Get, "/", {{"host", "field.example:8080"}}).request().host(), "field.example:8080");
  EXPECT_EQ(MemoryExchange(Method::Get, "http://target.example/", {{"host", "field.example"}}).request().host(),
            "target.example");
  EXPECT_EQ(MemoryExchange(Method::Connect, "target.example:443", {{"host", "x"}}).request().host(),
            "target.example:443");
  EXPECT_EQ(MemoryExchange(Method::Get, "/").request().host(), "");
}

TEST(Request, finds_its_cookies) {
  MemoryExchange exchange(Method::Get, "/", {{"cookie", "a=1"}, {"Cookie", "b=2"}});
  EXPECT_EQ(exchange.request().cookie("b"), "2");
  EXPECT_FALSE(exchange.request().cookie("c"));
}

TEST(Request, knows_its_parameters_by_name_and_in_order) {
  MemoryExchange exchange(Method::Get, "/users/7/posts/9");
  Request& request = exchange.request();
  const std::array<std::string, 2> names = {"user", "post"};
  request.set_route("/users/{user}/posts/{post}", names, 0);
  EXPECT_FALSE(request.parameter("user"));  // not set yet
  request.parameter_values()[0] = request.path().substr(7, 1);
  request.parameter_values()[1] = request.path().substr(15, 1);
  request.set_parameter_count(2);
  EXPECT_EQ(request.route(), "/users/{user}/posts/{post}");
  EXPECT_EQ(request.parameter("user"), "7");
  EXPECT_EQ(request.parameter("post"), "9");
  EXPECT_FALSE(request.parameter("use"));
  ASSERT_EQ(request.parameters().size(), 2U);
  EXPECT_EQ(request.parameters()[1], "9");
}

TEST(Request, asks_its_exchange_for_the_connection) {
  MemoryExchange exchange(Method::Get, "/");
  exchange.set_remote("192.0.2.7");
  const Request& request = exchange.request();
  EXPECT_EQ(request.remote(), "192.0.2.7");
  EXPECT_EQ(request.remote_port(), 0);
  EXPECT_EQ(request.scheme(), "http");
  EXPECT_EQ(&request.arena(), &exchange.arena());
  EXPECT_FALSE(request.stop().stop_requested());
  exchange.disconnect();
  EXPECT_TRUE(request.stop().stop_requested());
}

TEST(Request, has_an_id_that_names_it_in_the_log) {
  MemoryExchange exchange(Method::Get, "/a");
  Request& request = exchange.request();
  EXPECT_EQ(request.id(), "");
  {
    std::string id = "a-7";
    request.set_id(id);
  }
  EXPECT_EQ(request.id(), "a-7");
  request.log(LogLevel::Info, "sold", {{"id", 7}});
  EXPECT_EQ(exchange.reports().back(), "GET /a: sold id=7 request_id=a-7");
}

TEST(Request, refuses_ids_that_would_forge_a_line_of_the_log) {
  MemoryExchange exchange(Method::Get, "/");
  for (const std::string& id : {std::string(), std::string("a b"), std::string("a\r\nb"), std::string("a\0b", 3),
                                std::string("\xc3\xa9"), std::string(129, 'a')}) {
    EXPECT_THROW(exchange.request().set_id(id), std::invalid_argument) << id;
  }
  EXPECT_EQ(exchange.request().id(), "");
}

struct User {
  std::string name;
};

TEST(Request, keeps_one_value_of_each_type) {
  MemoryExchange exchange(Method::Get, "/");
  Request& request = exchange.request();
  EXPECT_EQ(request.find<User>(), nullptr);
  User& user = request.put(User{"ada"});
  request.put(7);
  request.put(7L);
  EXPECT_EQ(request.find<User>(), &user);
  EXPECT_EQ(request.find<User>()->name, "ada");
  EXPECT_EQ(*request.find<int>(), 7);
  EXPECT_EQ(request.find<short>(), nullptr);
}

TEST(Request, hides_a_value_behind_a_later_one_of_its_type) {
  MemoryExchange exchange(Method::Get, "/");
  Request& request = exchange.request();
  User& first = request.put(User{"ada"});
  request.put(User{"grace"});
  EXPECT_EQ(request.find<User>()->name, "grace");
  EXPECT_EQ(first.name, "ada");  // stays valid
}

TEST(Request, keeps_a_copy_of_what_is_no_temporary) {
  MemoryExchange exchange(Method::Get, "/");
  User user{"ada"};
  exchange.request().put(user);
  user.name = "changed";
  const User constant{"grace"};
  EXPECT_EQ(exchange.request().find<User>()->name, "ada");
  exchange.request().put(constant);
  EXPECT_EQ(exchange.request().find<User>()->name, "grace");
  exchange.request().put("literal");
  EXPECT_STREQ(*exchange.request().find<const char*>(), "literal");
}

TEST(Request, destroys_its_values_with_the_exchange_the_last_first) {
  struct Noted {
    Noted(std::vector<int>& log_, int number_) : log(&log_), number(number_) {}
    Noted(Noted&& other) noexcept : log(std::exchange(other.log, nullptr)), number(other.number) {}
    Noted(const Noted&) = delete;
    Noted& operator=(const Noted&) = delete;
    ~Noted() {
      if (log != nullptr) log->push_back(number);
    }
    std::vector<int>* log;
    int number;
  };
  std::vector<int> log;
  {
    MemoryExchange exchange(Method::Get, "/");
    exchange.request().put(Noted(log, 1));
    exchange.request().put(std::make_unique<Noted>(log, 2));
    exchange.request().put(Noted(log, 3));
    EXPECT_TRUE(log.empty());
  }
  EXPECT_EQ(log, (std::vector{3, 2, 1}));
}

TEST(Request, has_values_that_may_watch_its_stop_token_to_the_end) {
  struct Watches final : StopCallback {
    Watches(StopToken token, int& calls_) : StopCallback(token), calls(calls_) {}
    void on_stop() noexcept override { ++calls; }
    int& calls;
  };
  int calls = 0;
  {
    MemoryExchange exchange(Method::Get, "/");
    exchange.arena().make<Watches>(exchange.stop(), calls);
    exchange.arena().make<Watches>(exchange.stop(), calls);
    exchange.disconnect();
    exchange.arena().make<Watches>(exchange.stop(), calls);
  }
  EXPECT_EQ(calls, 2);
  {
    MemoryExchange exchange(Method::Get, "/");
    exchange.arena().make<Watches>(exchange.stop(), calls);
  }
  EXPECT_EQ(calls, 2);
}

TEST(Method, reads_back_every_name_it_writes) {
  for (std::size_t i = 0; i < method_count; ++i) {
    const auto method = static_cast<Method>(i);
    EXPECT_FALSE(method_name(method).empty());
    EXPECT_EQ(parse_method(method_name(method)), method) << method_name(method);
  }
  EXPECT_EQ(method_name(Method::Query), "QUERY");  // the last one: none is missing in between
  EXPECT_EQ(method_name(Method::MkCol), "MKCOL");
}

TEST(Method, of_an_extension_is_in_the_request) {
  MemoryExchange exchange(Method::Extension, "/");
  exchange.set_extension_method("BREW");
  EXPECT_EQ(exchange.request().method_name(), "BREW");
  exchange.pin();
  EXPECT_EQ(exchange.request().method_name(), "BREW");
  EXPECT_EQ(MemoryExchange(Method::Put, "/").request().method_name(), "PUT");
}

TEST(Method, minds_the_case_and_the_whole_token) {
  for (const char* token : {"", "get", "Get", "GE", "GETS", " GET", "GET ", "BREW"}) {
    EXPECT_FALSE(parse_method(token)) << token;
  }
}

}  // namespace
}  // namespace tern
