// Hello with cpp-httplib: measures the compile time of a user's file.
#include <httplib.h>

int main() {
  httplib::Server server;
  server.Get("/hello", [](const httplib::Request&, httplib::Response& response) {
    response.set_content("Hello, World!", "text/plain");
  });
  return server.listen("127.0.0.1", 8080) ? 0 : 1;
}
