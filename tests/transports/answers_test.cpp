// Responses, and the request data of handlers and logs.
#include "transports/transport_test.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

using Answers = TransportTest;
INSTANTIATE_TEST_SUITE_P(Over, Answers, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Answers, come_one_after_the_other_on_the_same_connection) {
  TransportClient client = make_client();
  for (int i = 0; i < 5; ++i) {
    const ClientResponse& answer = client.answer_of("/hello");
    EXPECT_EQ(answer.status, 200);
    EXPECT_EQ(answer.content, "Hello, World!");
    EXPECT_EQ(answer.field("content-type"), "text/plain; charset=utf-8");
    EXPECT_EQ(answer.field("content-length"), "13");
    EXPECT_EQ(answer.field("connection"), "");
    EXPECT_EQ(answer.field("date").size(), 29U);
  }
  EXPECT_EQ(client.answer_of("/user/caf%C3%A9").content, "caf\xC3\xA9");
  EXPECT_EQ(running().counters().accepts.value(), 1U);
  EXPECT_TRUE(all_ended());
}

TEST_P(Answers, to_head_are_those_to_get_without_the_content) {
  TransportClient client = make_client();
  for (const auto& [path, status, length] :
       {std::tuple("/hello", 200, "13"), std::tuple("/large/100000", 200, "100000")}) {
    client.ask({.method = "HEAD", .path = path});
    EXPECT_EQ(client.answer().status, status);
    EXPECT_EQ(client.response_so_far().field("content-length"), length);
    EXPECT_EQ(client.response_so_far().content, "");
  }
  client.ask({.method = "HEAD", .path = "/nothing"});
  EXPECT_EQ(client.answer().status, 404);
  EXPECT_EQ(client.answer_of("/hello").content, "Hello, World!");
}

TEST_P(Answers, of_any_size_arrive_complete) {
  TransportClient client = make_client();
  for (const std::size_t size : {16'383UL, 16'384UL, 16'385UL, 262'144UL, 1'000'000UL, 5'000'000UL}) {
    EXPECT_TRUE(client.answer_of("/large/" + std::to_string(size)).content == pattern(size)) << size;
  }
}

TEST_P(Answers, that_are_large_and_late_arrive_complete_at_a_slow_reader) {
  TransportClient client = this->make_client(64 * 1024);
  client.get("/late-large/5000000");
  ASSERT_TRUE(gate.await());
  gate.open();
  settle();
  EXPECT_TRUE(client.answer().content == pattern(5'000'000));
  EXPECT_EQ(client.answer_of("/hello").content, "Hello, World!");
}

// A view that a handler returns may be of its request, which ends before all of the response was sent.
TEST_P(Answers, that_are_views_arrive_whole_at_a_client_that_reads_late) {
  static const std::string static_content = pattern(3'000'000);
  app.post("/view", [](Body body) { return std::string_view(body.bytes); });
  app.post("/part", [](Body body) { return Body(std::string_view(body.bytes).substr(1)); });
  app.post("/borrowed", [](Body body) { return Response::borrowed(media::bytes, body.bytes); });
  app.get("/static_content", [] { return Response::static_content(media::bytes, static_content); });
  const std::string content = pattern(3'000'000);
  for (const std::string_view path : {"/view", "/part", "/borrowed", "/static_content"}) {
    TransportClient client = this->make_client(64 * 1024);
    path == "/static_content" ? client.get(path) : client.post(path, content);
    settle();
    EXPECT_TRUE(client.answer().content == (path == "/part" ? content.substr(1) : content)) << path;
    EXPECT_EQ(client.answer_of("/hello").content, "Hello, World!");
  }
  EXPECT_TRUE(all_ended());
}

// The answer of one exchange may be written while another connection's bytes are being handled.
TEST_P(Answers, that_another_handler_releases_go_to_their_own_client) {
  app.get("/release", [this] {
    gate.open_here();
    return "released";
  });
  TransportClient waiting = make_client();
  waiting.get("/late/mine");
  ASSERT_TRUE(gate.await());
  TransportClient other = make_client();
  EXPECT_EQ(other.answer_of("/release").content, "released");
  EXPECT_EQ(other.answer_of("/user/3").content, "3");
  EXPECT_EQ(waiting.answer().content, "mine");
  EXPECT_EQ(waiting.answer_of("/hello").status, 200);
}

TEST_P(Answers, that_have_no_content_by_their_status_have_none) {
  app.get("/204", [] { return Response(Status::NoContent).content("must not be sent"); });
  app.get("/304", [] { return Response(Status::NotModified).content(pattern(100'000)); });
  TransportClient client = make_client();
  for (const int status : {204, 304}) {
    EXPECT_EQ(client.answer_of("/" + std::to_string(status)).status, status);
    EXPECT_EQ(client.response_so_far().content, "");
  }
  EXPECT_EQ(client.answer_of("/hello").content, "Hello, World!");
}

TEST_P(Answers, with_a_status_that_is_no_final_one_become_500) {
  app.get("/100", [] { return Response(Status::Continue); });
  app.get("/999", [] { return Response(static_cast<Status>(999)); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/100").status, 500);
  EXPECT_EQ(client.answer_of("/999").status, 500);
}

TEST_P(Answers, keep_the_fields_of_the_handler) {
  app.get("/", [] { return Response::text("x").set("X-One", "1").add("Set-Cookie", "a=1").add("Set-Cookie", "b=2"); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/").field("x-one"), "1");
  FieldPairs cookies;
  for (const auto& field : client.response_so_far().fields) {
    if (field.first == "set-cookie") cookies.push_back(field);
  }
  EXPECT_EQ(cookies, (FieldPairs{{"set-cookie", "a=1"}, {"set-cookie", "b=2"}}));
}

// --- Errors ---

TEST_P(Answers, to_what_a_handler_throws_leak_nothing) {
  TransportClient client = make_client();
  const ClientResponse& answer = client.answer_of("/throws");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.field("content-type"), "application/problem+json");
  EXPECT_FALSE(answer.content.contains("secret"));
}

TEST_P(Answers, to_what_is_not_there_are_problems) {
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/nothing").status, 404);
  EXPECT_EQ(client.response_so_far().field("content-type"), "application/problem+json");
  client.ask({.method = "DELETE", .path = "/hello"});
  EXPECT_EQ(client.answer().status, 405);
  EXPECT_TRUE(client.response_so_far().field("allow").contains("GET"));
  EXPECT_EQ(client.answer_of("/hello").status, 200);
}

TEST_P(Answers, to_a_path_that_climbs_out_are_400) {
  TransportClient client = make_client();
  for (const char* path : {"/..", "/../x", "/a/../..", "/%2e%2e/x", "/a/%2E./b"}) {
    EXPECT_EQ(client.answer_of(path).status, 400) << path;
  }
}

TEST_P(Answers, to_query_and_extension_methods_come_from_their_routes) {
  app.query("/search", [](Body body) { return "found " + std::string(body.bytes); });
  app.on("BREW", "/pot", [](const Request& request) -> Task<std::string> {
    co_await sleep_for(Milliseconds(1));
    co_return std::string(request.method_name()) + " " + std::string(request.body());
  });
  TransportClient client = make_client();
  for (int i = 0; i < 3; ++i) {
    client.ask({.method = "BREW", .path = "/pot", .content = "tea"});
    EXPECT_EQ(client.answer().content, "BREW tea");
    client.ask({.method = "BREW", .path = "/pot"});
    EXPECT_EQ(client.answer().content, "BREW ");
  }
  client.ask({.method = "QUERY", .path = "/search", .fields = {{"content-type", "text/plain"}}, .content = "x"});
  EXPECT_EQ(client.answer().content, "found x");
  client.ask({.method = "BREW", .path = "/hello"});
  EXPECT_EQ(client.answer().status, 405);
  EXPECT_EQ(client.response_so_far().field("allow"), "GET, HEAD, OPTIONS");
  client.ask({.method = "UNKNOWN", .path = "/hello"});
  EXPECT_EQ(client.answer().status, 501);
  EXPECT_EQ(client.answer_of("/hello").status, 200);
}

TEST_P(Answers, to_heads_that_are_refused_are_problems) {
  const std::vector<std::pair<ClientRequest, int>> refused = {
      {{.path = "/a%00b"}, 400},
      {{.path = "/%zz"}, 400},
      {{.method = "BREW"}, 501},
      {{.path = "/hello", .fields = FieldPairs(101, {"x", "y"})}, 431},
      {{.path = "/hello", .fields = {{"x", std::string(45'000, 'x')}, {"y", std::string(45'000, 'y')}}}, 431},
      {{.method = "POST", .path = "/echo", .fields = {{"expect", "something"}}}, 417},
  };
  for (const auto& [request, status] : refused) {
    TransportClient client = make_client();
    client.ask(request);
    EXPECT_EQ(client.answer().status, status) << request.path;
    EXPECT_EQ(client.response_so_far().field("content-type"), "application/problem+json");
  }
  const std::string long_path = "/" + std::string(9'000, 'x');
  EXPECT_EQ(make_client().answer_of(long_path).status, 414);
  EXPECT_TRUE(all_ended());
}

// --- Data of a request ---

TEST_P(Answers, may_tell_what_the_request_came_by) {
  app.get("/", [](Request& request) {
    return std::string(request.version() == Version::Http2 ? "2 " : "1.1 ") + std::string(request.host()) + " " +
           std::string(request.scheme()) + " " + std::string(request.remote());
  });
  const std::string expected =
      std::string(over_http2() ? "2" : "1.1") + " a " + (is_secure(GetParam()) ? "https" : "http") + " 127.0.0.1";
  EXPECT_EQ(make_client().answer_of("/").content, expected);
}

TEST_P(Answers, are_those_of_the_listener_that_the_request_arrives_at) {
  listener_name = "admin";
  app.listener("admin").get("/metrics", [](Request& request) { return request.listener(); });
  TransportClient client = make_client();
  EXPECT_EQ(client.answer_of("/metrics").content, "admin");
  EXPECT_EQ(client.answer_of("/hello").status, 404);
}

TEST_P(Answers, may_tell_what_trusted_proxies_say) {
  settings.trusted = {*net::Network::parse("127.0.0.1")};
  app.get("/", [this](Request& request) -> Task<std::string> {
    co_await gate.pass();
    co_return std::string(request.remote()) + ' ' + std::to_string(request.remote_port()) + ' ' +
        std::string(request.scheme());
  });
  TransportClient client = make_client();
  client.get("/", {{"x-forwarded-for", "203.0.113.9:4711"}, {"x-forwarded-proto", "https"}});
  ASSERT_TRUE(gate.await());
  gate.open();
  EXPECT_EQ(client.answer().content, "203.0.113.9 4711 https");
}

TEST_P(Answers, are_logged) {
  const auto file = std::filesystem::temp_directory_path() /
                    ("tern-log-" + std::string(name_of(GetParam())) + std::to_string(::getpid()));
  settings.access = AccessLog::Json;
  app.get("/stream", [] {
    return Response::stream("text/plain", [](Writer& writer) -> Task<> { co_await writer.write("twelve bytes"); });
  });
  {
    LogOptions log;
    log.access = AccessLog::Common;
    log.access_file = file;
    serve(1, log);
    TransportClient client = make_client();
    EXPECT_EQ(client.answer_of("/hello").status, 200);
    EXPECT_EQ(client.answer_of("/nothing").status, 404);
    EXPECT_EQ(client.answer_of("/stream").content, "twelve bytes");
    client.post("/echo", pattern(1000));
    EXPECT_EQ(client.answer().status, 200);
    EXPECT_TRUE(all_ended());
    client.close();
    end_server();
  }
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  std::filesystem::remove(file);
  std::vector<std::string> lines;
  std::istringstream in(text.str());
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 4U) << text.str();
  EXPECT_TRUE(lines[0].contains("/hello") && lines[0].contains("200") && lines[0].contains("13")) << lines[0];
  EXPECT_TRUE(lines[1].contains("/nothing") && lines[1].contains("404")) << lines[1];
  EXPECT_TRUE(lines[2].contains("/stream") && lines[2].contains("12")) << lines[2];
  EXPECT_TRUE(lines[3].contains("POST") && lines[3].contains("1000")) << lines[3];
  EXPECT_TRUE(lines[3].contains(over_http2() ? "HTTP/2" : "HTTP/1.1")) << lines[3];
}

TEST_P(Answers, are_right_when_several_loops_serve_many_threads) {
  serve(3);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([this, thread] {
      for (int connection = 0; connection < 4; ++connection) {
        TransportClient client = make_client();
        for (int i = 0; i < 10; ++i) {
          const std::string id = std::to_string(thread * 10'000 + connection * 100 + i);
          EXPECT_EQ(client.answer_of("/user/" + id).content, id);
          client.post("/echo", id);
          EXPECT_EQ(client.answer().content, id);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tern::testing
