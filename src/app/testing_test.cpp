// The test client itself: what it sends, and what it makes of the answer.
#include <tern/multipart.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <coroutine>
#include <stdexcept>
#include <string>

namespace tern {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestRequest;
using testing::TestResponse;

struct Point {
  int x;
  int y;
};

// An app that says what it was asked.
App mirror() {
  App app;
  app.use([](Request& request, Next next) {
    std::string fields;
    for (const Field& field : request.fields()) fields.append(field.name).append("=").append(field.value).append(";");
    return next().then([fields](Response response) {
      response.set("x-fields", fields);
      return response;
    });
  });
  const auto handler = [](const Request& request) {
    return std::string(method_name(request.method())) + " " + std::string(request.target()) + " " +
           std::string(request.remote()) + " " + std::string(request.body());
  };
  app.route("/x").get(handler).post(handler).put(handler).patch(handler).del(handler).on(Method::Search, handler);
  return app;
}

TEST(TestClient, sends_each_method_with_its_content) {
  App app = mirror();
  Client client(app);
  EXPECT_EQ(client.get("/x?a=b").body, "GET /x?a=b 127.0.0.1 ");
  EXPECT_EQ(client.del("/x").body, "DELETE /x 127.0.0.1 ");
  EXPECT_EQ(client.post("/x", "content").body, "POST /x 127.0.0.1 content");
  EXPECT_EQ(client.put("/x", "content").body, "PUT /x 127.0.0.1 content");
  EXPECT_EQ(client.patch("/x", "content").body, "PATCH /x 127.0.0.1 content");
  EXPECT_EQ(client.send({Method::Search, "/x", {}, "q", "192.0.2.1"}).body, "SEARCH /x 192.0.2.1 q");
  EXPECT_EQ(client.head("/x").body, "");
  EXPECT_EQ(client.options("/x").status, 204);
}

TEST(TestClient, sends_fields_of_one_request_and_of_all) {
  App app = mirror();
  Client client(app);
  client.with("x-all", "1").with("x-all", "2");
  const TestResponse answer = client.send({Method::Get, "/x", {{"X-One", "3"}}});
  EXPECT_EQ(answer.field("X-Fields"), "X-One=3;x-all=1;x-all=2;host=localhost;");
  EXPECT_THAT(std::string(client.get("/x").field("x-fields")), Not(HasSubstr("X-One")));
  EXPECT_EQ(Client(app).with("Host", "example.org").get("/x").field("x-fields"), "Host=example.org;");
}

TEST(TestClient, sends_trailers) {
  App app;
  app.post("/", [](const Request& request) {
    return std::string(request.body()) + " " + std::string(request.trailers().find("X-Sum").value_or("none"));
  });
  Client client(app);
  EXPECT_EQ(client.send({.method = Method::Post, .target = "/", .body = "x", .trailers = {{"x-sum", "7"}}}).body,
            "x 7");
  EXPECT_EQ(client.post("/", "x").body, "x none");
}

TEST(TestClient, takes_content_of_any_size_and_bytes) {
  App app;
  app.post("/", [](Body body) { return body; });
  Client client(app);
  std::string content(300'000, 'x');
  content[7] = '\0';
  content += "\r\n\r\n";
  const TestResponse answer = client.post("/", content, "application/octet-stream");
  EXPECT_EQ(answer.body, content);
  EXPECT_EQ(answer.field("content-length"), std::to_string(content.size()));
  EXPECT_EQ(client.post("/", std::string(11 * 1024 * 1024, 'x')).status, 413);
}

TEST(TestClient, reads_the_answer_as_a_client_would) {
  App app;
  app.get("/x", [] { return Response::text("x").add("set-cookie", "a=1").set("X-Empty", ""); });
  app.get("/nothing", [] {});
  const TestResponse answer = Client(app).get("/x");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.field("Content-Type"), media::text);
  EXPECT_TRUE(answer.has("SET-COOKIE"));
  EXPECT_TRUE(answer.has("x-empty"));
  EXPECT_EQ(answer.field("x-empty"), "");
  EXPECT_FALSE(answer.has("x-other"));
  EXPECT_EQ(answer.field("x-other"), "");
  EXPECT_EQ(Client(app).get("/nothing").body, "");
}

TEST(TestClient, reads_json_into_structs) {
  App app;
  app.get("/point", [] { return Point{1, 2}; });
  Client client(app);
  EXPECT_EQ(client.get("/point").json<Point>().y, 2);
  try {
    (void)client.get("/none").json<Point>();
    FAIL() << "a problem is no point";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("the answer is not the JSON that the test expects: "));
    EXPECT_THAT(error.what(), HasSubstr("/x: missing"));
  }
}

TEST(TestClient, gets_the_answer_of_the_protocol_for_what_is_no_request) {
  App app = mirror();
  app.on_problem([](const Problem& problem) { return Response::text("problem " + problem.detail); });
  Client client(app);
  EXPECT_EQ(client.get("no-slash").status, 400);
  EXPECT_EQ(client.get("/a b").status, 400);
  EXPECT_EQ(client.get("/%zz").status, 400);
  EXPECT_THAT(client.get("/%zz").body, HasSubstr("problem "));
  EXPECT_EQ(client.send({Method::Get, "/x", {{"bad name", "x"}}}).status, 400);
  EXPECT_EQ(client.send({Method::Get, "/x", {{"content-length", "-1"}}}).status, 400);
}

TEST(TestClient, says_when_a_handler_waits_for_what_only_a_server_has) {
  App app;
  bool destroyed = false;
  struct Guard {
    bool* destroyed;
    ~Guard() { *destroyed = true; }
  };
  app.get("/", [&destroyed]() -> Task<std::string> {
    const Guard guard{&destroyed};
    co_await std::suspend_always();
    co_return "never";
  });
  Client client(app);
  EXPECT_THROW((void)client.get("/"), std::runtime_error);
  EXPECT_TRUE(destroyed);
}

TEST(TestClient, throws_setup_errors_when_it_is_made) {
  App app;
  app.get("/", [](State<int> state) { return *state; });
  EXPECT_THROW(Client client(app), SetupError);
}

TEST(TestClient, runs_hooks_and_every_between_start_and_stop) {
  std::string told;
  App app;
  app.on_start([&told]() -> Task<> {
    co_await sleep_for(Seconds(1));
    told += "start ";
  });
  app.every(Seconds(10), [&told] { told += "tick "; });
  app.on_stop([&told] { told += "last"; });
  app.on_stop([&told] { told += "stop "; });
  {
    Client client(app);
    EXPECT_EQ(told, "");
    client.start().advance(Seconds(25));
    EXPECT_EQ(told, "start tick tick ");
  }
  EXPECT_EQ(told, "start tick tick stop last");
  Client(app).advance(Seconds(25));  // not started
  EXPECT_EQ(told, "start tick tick stop last");
}

TEST(TestClient, throws_on_what_a_start_hook_throws) {
  App app;
  app.on_start([] { throw std::runtime_error("no database"); });
  EXPECT_THROW(Client(app).start(), std::runtime_error);
}

TEST(TestClient, replaces_states_until_its_end) {
  App app;
  app.state(std::string("real"));
  app.get("/", [](State<std::string> state) { return *state; });
  {
    Client client(app);
    client.override_state<std::string>("first").override_state<std::string>("fake");
    EXPECT_EQ(client.get("/").body, "fake");
    EXPECT_THROW(client.override_state<int>(1), SetupError);
  }
  EXPECT_EQ(Client(app).get("/").body, "real");
}

TEST(TestClient, keeps_cookies_by_choice) {
  App app;
  app.get("/in",
          [] { return Response().set_cookie({.name = "id", .value = "7"}).set_cookie({.name = "b", .value = ""}); });
  app.get("/out", [] { return Response().set_cookie({.name = "id", .value = "", .max_age = Seconds(0)}); });
  app.get("/", [](const Request& request) { return std::string(request.field("cookie").value_or("none")); });
  Client client(app);
  client.keep_cookies();
  const TestResponse answer = client.get("/in");
  EXPECT_EQ(answer.cookie("id"), "7");
  EXPECT_EQ(answer.cookie("other"), "");
  EXPECT_EQ(client.get("/").body, "id=7; b=");
  EXPECT_TRUE(client.get("/out").ok());
  EXPECT_EQ(client.get("/").body, "b=");
  EXPECT_EQ(Client(app).get("/").body, "none");
}

TEST(TestClient, that_keeps_cookies_names_its_origin_like_a_browser) {
  App app;
  app.get("/", [](const Request& request) {
    return std::string(request.field("sec-fetch-site").value_or("none")) + " " +
           std::string(request.field("origin").value_or("none"));
  });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "none none");
  client.keep_cookies();
  EXPECT_EQ(client.get("/").body, "same-origin none");
  EXPECT_EQ(client.send({Method::Get, "/", {{"Origin", "https://evil.example"}}}).body, "none https://evil.example");
  EXPECT_EQ(client.send({Method::Get, "/", {{"Sec-Fetch-Site", "cross-site"}}}).body, "cross-site none");
}

TEST(TestClient, sends_forms_with_files) {
  struct Form {
    std::string title;
    UploadedFile file;
  };
  App app;
  app.post("/", [](Multipart<Form> form) {
    return form->title + " " + std::string(form->file.file_name()) + " " + std::to_string(form->file.size());
  });
  Client client(app);
  EXPECT_EQ(client.post_form("/", {{"title", "Tern"}, {"file", "a\r\nb", "a.txt", "text/plain"}}).body, "Tern a.txt 4");
}

TEST(TestClient, prints_reports_to_standard_error) {
  App app;
  app.get("/", []() -> std::string { throw std::runtime_error("why"); });
  Client client(app);
  ::testing::internal::CaptureStderr();
  (void)client.get("/");
  client.print_reports(false);
  (void)client.get("/");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "tern: GET /: why\n");
  EXPECT_EQ(client.reports().size(), 2U);
}

TEST(TestClient, keeps_what_the_application_reported) {
  App app;
  app.get("/{n}", [](int n) -> std::string { throw std::runtime_error("error " + std::to_string(n)); });
  Client client(app);
  EXPECT_EQ(client.get("/1").status, 500);
  EXPECT_EQ(client.get("/2").status, 500);
  EXPECT_THAT(client.reports(), ::testing::ElementsAre("GET /{n}: error 1", "GET /{n}: error 2"));
}

}  // namespace
}  // namespace tern
