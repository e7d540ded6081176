// Testing an application in process: requests pass routing, middleware, binding and serialisation, without a socket,
// thread or port.
#pragma once

#include <tern/app/app.hpp>
#include <tern/app/identity.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>
#include <tern/base/function.hpp>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {
class MemoryExchange;
namespace openapi {
class Checker;
}
}  // namespace tern

namespace tern::testing {

// A response that the contract of its route does not allow; see Client::check_contract().
class ContractError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

struct TestResponse {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;

  // The value of the first field of that name (case-insensitive); empty if there is none.
  std::string_view field(std::string_view name) const noexcept;
  bool has(std::string_view name) const noexcept;
  // Whether the status is 2xx.
  bool ok() const noexcept { return status / 100 == 2; }
  // The value of the cookie of that name that the response sets; empty if it sets none.
  std::string_view cookie(std::string_view name) const noexcept;

  // The content as JSON of type T. Throws std::runtime_error with the reason if it is not.
  template <class T>
  T json() const {
    auto value = json::read<T>(body);
    if (!value) throw_not_json(value.error().to_string());
    return std::move(*value);
  }

private:
  [[noreturn]] static void throw_not_json(const std::string& why);
};

struct TestRequest {
  RouteMethod method = Method::Get;
  std::string target = "/";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
  std::string remote = "127.0.0.1";
  std::vector<std::pair<std::string, std::string>> trailers = {};
  std::string listener = {};        // the receiving listener; empty: that of Client::at_listener()
  bool from_trusted_proxy = false;  // see Request::from_trusted_proxy()
};

// A part of multipart/form-data: a file if it has a file name.
struct Part {
  std::string name;
  std::string content;
  std::string file_name = {};
  std::string content_type = {};  // empty: none is sent
};

class TestLoop;
class TestSocket;
class TestSockets;

// The client's end of a WebSocket of the test client. Destroyed before the client; the destructor of an open one drops
// the connection (1006). If the handshake was refused, everything but answer() and is_open() throws std::runtime_error.
class TestWebSocket {
public:
  TestWebSocket(TestWebSocket&& other) noexcept;
  TestWebSocket& operator=(TestWebSocket&& other) = delete;
  ~TestWebSocket();

  // The response to the handshake: 101, or the refusal.
  const TestResponse& answer() const noexcept { return answer_; }
  // The negotiated subprotocol; empty: none.
  std::string_view protocol() const;

  // The handler runs during the call, as far as it can without time (Client::advance). No effect if the WebSocket is
  // closed. Throws std::invalid_argument for text that is not UTF-8.
  void send(std::string_view text);
  void send_binary(std::string_view bytes);
  // The next message that the handler has sent so far; nothing if there is none.
  std::optional<Message> receive();
  // The same; throws std::runtime_error if there is none, or it is not text.
  std::string receive_text();
  template <class T>
  T receive_json() {
    auto value = json::read<T>(receive_text());
    if (!value)
      throw std::runtime_error("the message is not the JSON that the test expects: " + value.error().to_string());
    return std::move(*value);
  }

  // 1005: without a code; 1006: without a close frame.
  void close(std::uint16_t code = 1000, std::string_view reason = {});
  bool is_open() const noexcept;
  // Of the close by either side; 0 while it is open. Messages that were sent before can still be received.
  std::uint16_t close_code() const;
  std::string_view close_reason() const;

private:
  friend class Client;
  TestWebSocket(TestResponse answer, base::Box<TestSocket> socket);
  TestSocket& opened() const;
  void send_message(Message message);

  TestResponse answer_;
  base::Box<TestSocket> socket_;  // null: refused
};

// Used by one thread. The application must outlive it; the client ends its registration phase. Throws
// std::runtime_error for a request that is not HTTP, and for a handler that waits for something that only a server
// provides.
//
// Tests do not depend on threads or real time: the client has its own clock, which advances immediately when a handler
// waits for time; offloaded functions are called directly. Background tasks and work after the response run during
// send() as far as they can without time; advance() provides that. The client's destructor stops them.
class Client {
public:
  explicit Client(App& app);
  // Calls stop().
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Runs the on_start hooks, and starts every(), whose time comes from advance(). Rethrows exceptions of hooks.
  Client& start();
  // Runs the on_stop hooks, the last registered first, if start() was called; reports their exceptions.
  void stop();

  // Runs a task to its end, and returns its result: for what a test prepares, such as the tables of a database. Throws
  // what the task throws, and std::runtime_error if it waits for something that only a server provides.
  template <class T>
  T run(Task<T> task) {
    std::optional<T> result;
    const auto take = [&]() -> Task<> { result.emplace(co_await std::move(task)); };
    run(take());
    return std::move(*result);
  }
  void run(Task<> task);

  // Replaces the value of State<T> until the end of the client. Throws SetupError if the app has none.
  template <class T>
  Client& override_state(T value) {
    replace({&http::type_key<T>, new T(std::move(value)), [](void* dead) noexcept { delete static_cast<T*>(dead); }},
            app::type_name<T>());
    return *this;
  }

  TestResponse get(std::string_view target) { return send({Method::Get, std::string(target)}); }
  TestResponse head(std::string_view target) { return send({Method::Head, std::string(target)}); }
  TestResponse del(std::string_view target) { return send({Method::Delete, std::string(target)}); }
  TestResponse options(std::string_view target) { return send({Method::Options, std::string(target)}); }
  // `content_type` is JSON by default.
  TestResponse post(std::string_view target, std::string body, std::string_view content_type = media::json);
  TestResponse put(std::string_view target, std::string body, std::string_view content_type = media::json);
  TestResponse patch(std::string_view target, std::string body, std::string_view content_type = media::json);
  TestResponse post_form(std::string_view target, const std::vector<Part>& parts);  // multipart/form-data
  TestResponse send(const TestRequest& question);

  // Opens a WebSocket, with the routing, middleware and binding of requests. Publications (App::publish,
  // WebSocket::publish) reach the WebSockets of this client. There are no pings, full queues or compression.
  TestWebSocket websocket(std::string_view target, std::vector<std::pair<std::string, std::string>> fields = {});

  // Adds a field to every later request.
  Client& with(std::string name, std::string value);
  // Gives each later request this identity, without credentials: an authenticator of a User lets it pass.
  template <class User>
  Client& as(User user) {
    identify_ = [user = std::move(user)](Request& request) { identify(request, user, "test"); };
    return *this;
  }
  // Ends as().
  Client& anonymous();
  // Compares each later response with the OpenAPI document of the app, which need not be served: its status, media type
  // and JSON. send() throws ContractError for one that its operation does not have. Responses to paths without a route
  // and to hidden routes are not compared. Throws SetupError if the document cannot be made.
  Client& check_contract();
  // Sets the listener of later requests, for App::listener().
  Client& at_listener(std::string name);
  // Like a browser: sends cookies that responses have set, to any path, until a response deletes them by Max-Age; and
  // requests say that they come from a page of the app (Sec-Fetch-Site), unless they have that field or Origin.
  Client& keep_cookies();

  // Advances the clock for background tasks.
  Client& advance(Milliseconds time);

  // The lines of the error log so far. They also go to standard error, unless that is disabled.
  const std::vector<std::string>& reports() const noexcept;
  Client& print_reports(bool print);

private:
  struct Exchanged;
  base::Box<Exchanged> exchange(const TestRequest& question);
  void agree(Exchanged& exchanged);
  TestResponse finish(Exchanged& exchanged);
  void compare(MemoryExchange& exchange, const TestResponse& answer);
  void settle(Exchanged& exchanged, const TestResponse& answer);
  void replace(app::SharedState state, std::string_view type);
  void keep_cookies_of(const TestResponse& answer);

  const Service* service_;
  app::Core* core_;
  base::Box<TestLoop> loop_;
  base::Box<TestSockets> sockets_;  // once there is a WebSocket
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<std::pair<std::string, std::string>> cookies_;
  std::vector<app::SharedState> replaced_;  // the app's values
  std::string listener_;
  base::Function<void(Request&)> identify_;            // empty: requests have no identity at first
  std::vector<base::Box<openapi::Checker>> checkers_;  // for each route table; empty: responses are not compared
  bool keeps_cookies_ = false;
  bool started_ = false;
};

}  // namespace tern::testing
