// Requests through proxies: the client's address.
#include "server/app_test.hpp"

#include <string>

namespace tern::testing {
namespace {

class Proxies : public ::testing::Test {
protected:
  Proxies() {
    app.get("/who", [](Request& request) {
      return std::string(request.remote()) + ' ' + std::to_string(request.remote_port()) + ' ' +
             std::string(request.scheme());
    });
    app.get("/proxy", [](Request& request) { return request.from_trusted_proxy() ? "yes" : "no"; });
    app.get("/late", [this](Request& request) -> Task<std::string> {
      co_await gate.pass();
      co_return std::string(request.remote()) + ' ' + std::string(request.scheme());
    });
  }
  RunningServer& running(const char* trusted, ForwardedBy field = ForwardedBy::XForwarded, bool proxied = false) {
    settings.trusted = {*net::Network::parse(trusted)};
    settings.forwarded = field;
    transport::ListenerConfig listening = on_any_port();
    listening.proxied = proxied;
    running_ = std::make_unique<RunningServer>(app.service(), settings, 1, silent(), std::vector{listening});
    return *running_;
  }

  App app;
  Gate gate;
  exchange::Settings settings;

private:
  std::unique_ptr<RunningServer> running_;
};

constexpr std::string_view said = "X-Forwarded-For: 203.0.113.9:4711\r\nX-Forwarded-Proto: https\r\n";

TEST_F(Proxies, that_are_trusted_are_believed) {
  HttpClient client = running("127.0.0.1").client();
  client.get("/who", said);
  EXPECT_EQ(client.answer().body, "203.0.113.9 4711 https");
  client.get("/who", "X-Forwarded-For: 198.51.100.1\r\n");
  EXPECT_EQ(client.answer().body.substr(0, 15), "198.51.100.1 0 ") << "the next request has its own";
  client.get("/who", "Forwarded: for=203.0.113.9\r\n");
  EXPECT_EQ(client.answer().body.substr(0, 10), "127.0.0.1 ") << "not by this field";
}

TEST_F(Proxies, that_are_not_are_not) {
  HttpClient client = running("10.0.0.0/8").client();
  client.get("/who", said);
  EXPECT_EQ(client.answer().body.substr(0, 10), "127.0.0.1 ");
}

TEST_F(Proxies, differ_from_clients) {
  HttpClient client = running("127.0.0.1").client();
  client.get("/proxy", said);
  EXPECT_EQ(client.answer().body, "yes");
  HttpClient other = running("10.0.0.0/8").client();
  other.get("/proxy", "X-Forwarded-For: 10.0.0.1\r\n");
  EXPECT_EQ(other.answer().body, "no");
}

TEST_F(Proxies, of_the_proxy_protocol_do_not_speak_for_their_clients) {
  RunningServer& server = running("127.0.0.1", ForwardedBy::XForwarded, true);
  HttpClient client(server.port(), 0, false);
  client.send("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\r\nGET /proxy HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "no");
}

TEST_F(Proxies, by_the_standard_field) {
  HttpClient client = running("127.0.0.0/8", ForwardedBy::Forwarded).client();
  client.get("/who", "Forwarded: for=\"[2001:db8::1]:80\";proto=https\r\n");
  EXPECT_EQ(client.answer().body, "2001:db8::1 80 https");
}

TEST_F(Proxies, name_their_client_before_the_connection_begins) {
  RunningServer& server = running("127.0.0.1", ForwardedBy::XForwarded, true);
  HttpClient client(server.port(), 0, false);
  client.send("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\r\nGET /who HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().body, "203.0.113.9 4711 http");
  client.get("/who", "X-Forwarded-For: 1.2.3.4\r\n");
  EXPECT_EQ(client.answer().body, "203.0.113.9 4711 http") << "the client is no proxy";
  HttpClient slow(server.port(), 0, false);
  slow.send_bytewise("PROXY TCP6 2001:db8::1 ::1 4711 80\r\nGET /who HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(slow.answer().body, "2001:db8::1 4711 http");
  HttpClient other(server.port(), 0, false);
  other.get("/who");
  EXPECT_EQ(other.answer().status, 0) << "no header";
  HttpClient gone(server.port(), 0, false);
  gone.send("PROXY TCP4 ");
  gone.peer().shutdown_write();
  EXPECT_EQ(gone.answer().status, 0);
}

TEST_F(Proxies, of_others_have_no_say_at_the_beginning) {
  RunningServer& server = running("10.0.0.1", ForwardedBy::XForwarded, true);
  HttpClient client(server.port(), 0, false);
  client.send("PROXY TCP4 203.0.113.9 10.0.0.1 4711 80\r\nGET /who HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_EQ(client.answer().status, 0);
}

}  // namespace
}  // namespace tern::testing
