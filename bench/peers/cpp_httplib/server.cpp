// What bench/peers/README.md asks for, with cpp-httplib.   server PORT
#include "common.hpp"

#include <httplib.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <string>
#include <thread>

namespace {

constexpr const char* text = "text/plain";
constexpr const char* json_type = "application/json";

void greet(const httplib::Request& request, httplib::Response& response) {
  const nlohmann::json item = nlohmann::json::parse(request.body);
  const std::string name = item.at("name");
  const std::int64_t value = item.at("value");
  const nlohmann::json greeting = {{"greeting", "Hello, " + name + "!"},
                                   {"item", {{"name", name}, {"value", value}, {"double", 2 * value}}}};
  response.set_content(greeting.dump(), json_type);
}

void add_routes(httplib::Server& server) {
  using Request = httplib::Request;
  using Response = httplib::Response;
  server.Get("/", [](const Request&, Response& response) { response.set_content("Hello, World!", text); });
  server.Get("/json", [](const Request&, Response& response) {
    response.set_content(nlohmann::json{{"message", "Hello, World!"}}.dump(), json_type);
  });
  server.Post("/json", greet);
  server.Get("/user/([^/]+)",
             [](const Request& request, Response& response) { response.set_content(request.matches[1].str(), text); });
  server.Post("/echo", [](const Request& request, Response& response) { response.set_content(request.body, text); });
  server.Get("/calc", [](const Request& request, Response& response) {
    response.set_content(bench::calculated(request.get_param_value("value")), text);
  });
  for (int i = 0; i < 300; ++i) {
    server.Get("/route" + std::to_string(i) + "/([^/]+)/details", [](const Request& request, Response& response) {
      response.set_content(request.matches[1].str(), text);
    });
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  httplib::Server server;
  add_routes(server);
  server.new_task_queue = [] { return new httplib::ThreadPool(1024); };
  server.set_keep_alive_max_count(1'000'000'000);
  server.set_payload_max_length(20'000'000);
  server.set_tcp_nodelay(true);
  std::thread stopping([&] {
    int signal = 0;
    sigwait(&signals, &signal);
    server.stop();
  });
  const bool served = server.listen("127.0.0.1", bench::number<std::uint16_t>(argv[1]));
  stopping.join();
  return served ? 0 : 1;
}
