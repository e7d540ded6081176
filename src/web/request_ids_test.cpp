#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <tern/http/memory_exchange.hpp>

#include <gmock/gmock.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using testing::TestRequest;

constexpr const char* uuid7 = "[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}";

class RequestIdsTest : public ::testing::Test {
protected:
  Client& serve(RequestIdOptions options = {}) {
    app_.use(RequestIds(std::move(options)));
    app_.get("/", [](RequestId id) { return std::string(*id); });
    app_.get("/fails", []() -> std::string { throw std::runtime_error("no"); });
    return client_.emplace(app_).print_reports(false);
  }
  static TestRequest with_id(std::string id, bool from_proxy) {
    return {.fields = {{"X-Request-Id", std::move(id)}}, .from_trusted_proxy = from_proxy};
  }

  App app_;
  std::optional<Client> client_;
};

TEST_F(RequestIdsTest, a_new_id_is_a_uuid_by_time) {
  Client& client = serve();
  const auto response = client.get("/");
  EXPECT_THAT(response.body, MatchesRegex(uuid7));
  EXPECT_EQ(response.field("x-request-id"), response.body);
  std::set<std::string> ids;
  for (int i = 0; i < 10'000; ++i) ids.insert(client.get("/").body);
  EXPECT_EQ(ids.size(), 10'000U);
}

TEST_F(RequestIdsTest, a_new_id_begins_with_the_time_in_milliseconds) {
  Client& client = serve();
  const auto now = [] { return std::chrono::system_clock::now().time_since_epoch() / std::chrono::milliseconds(1); };
  const auto before = now();
  std::string id = client.get("/").body;
  const auto after = now();
  id.erase(8, 1);
  std::int64_t time = 0;
  std::from_chars(id.data(), id.data() + 12, time, 16);
  EXPECT_LE(before, time);
  EXPECT_LE(time, after);
}

TEST_F(RequestIdsTest, only_ids_of_trusted_proxies_are_accepted) {
  Client& client = serve();
  EXPECT_EQ(client.send(with_id("edge-7", true)).body, "edge-7");
  EXPECT_THAT(client.send(with_id("edge-7", false)).body, MatchesRegex(uuid7));
}

TEST_F(RequestIdsTest, ids_of_all_clients_may_be_accepted) {
  Client& client = serve({.accept = RequestIdsFrom::AllClients});
  EXPECT_EQ(client.send(with_id("mine", false)).body, "mine");
}

TEST_F(RequestIdsTest, all_incoming_ids_may_be_refused) {
  Client& client = serve({.accept = RequestIdsFrom::None});
  EXPECT_THAT(client.send(with_id("mine", true)).body, MatchesRegex(uuid7));
}

TEST_F(RequestIdsTest, ids_that_could_do_harm_in_a_log_or_a_page_are_replaced) {
  Client& client = serve({.accept = RequestIdsFrom::AllClients});
  for (const std::string& id :
       {std::string("a b"), std::string("<script>"), std::string("a\"b"), std::string("${jndi}"), std::string("a;b"),
        std::string("\xc3\xa9"), std::string("a%0d%0ab"), std::string(129, 'a')}) {
    EXPECT_THAT(client.send(with_id(id, true)).body, MatchesRegex(uuid7)) << id;
  }
  EXPECT_EQ(client.send(with_id(std::string(128, 'a'), true)).body, std::string(128, 'a'));
}

TEST_F(RequestIdsTest, errors_and_their_reports_have_the_id) {
  Client& client = serve();
  const auto failed = client.get("/fails");
  EXPECT_EQ(failed.status, 500);
  EXPECT_THAT(client.reports().back(), EndsWith("request_id=" + std::string(failed.field("x-request-id"))));
  const auto missing = client.get("/missing");
  EXPECT_EQ(missing.status, 404);
  EXPECT_TRUE(missing.has("x-request-id"));
}

TEST_F(RequestIdsTest, the_field_has_any_name_or_is_left_out) {
  Client& client = serve({.field = "X-Correlation-Id", .accept = RequestIdsFrom::AllClients, .in_response = false});
  const auto response = client.send({.fields = {{"x-correlation-id", "c-1"}}});
  EXPECT_EQ(response.body, "c-1");
  EXPECT_FALSE(response.has("x-correlation-id"));
}

TEST(RequestIds, a_field_that_no_response_has_is_a_setup_error) {
  for (const char* field : {"", "a b", "Content-Length", "a\r\nb"}) {
    EXPECT_THROW(RequestIds({.field = field}), SetupError) << field;
  }
}

TEST(RequestIds, a_handler_without_the_middleware_is_a_reported_error) {
  App app;
  app.get("/", [](RequestId id) { return std::string(*id); });
  Client client(app);
  client.print_reports(false);
  EXPECT_EQ(client.get("/").status, 500);
  EXPECT_THAT(client.reports().back(), HasSubstr("app.use(tern::RequestIds())"));
}

TEST(RequestIdRefusal, a_response_in_place_of_the_handlers_has_the_id) {
  App app;
  app.use(RequestIds());
  app.get("/", []() -> Task<std::string> { co_return "late"; });
  MemoryExchange exchange(Method::Get, "/");
  Reply reply = app.service().serve(exchange);
  ASSERT_FALSE(reply.ready());
  EXPECT_FALSE(exchange.request().id().empty());
  const Response response = app.service().refuse_instead({Status::ServiceUnavailable, "too long", {}, {}}, exchange);
  EXPECT_EQ(response.fields().find("x-request-id").value_or(""), exchange.request().id());
}

}  // namespace
}  // namespace tern::web
