// Testing an application in process: requests go through routing, middleware, binding and serialisation, without a
// socket, a thread or a port.
#pragma once

#include <tern/app/app.hpp>
#include <tern/base/box.hpp>
#include <tern/base/duration.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::testing {

struct Answer {
  int status = 0;
  std::string body;
  std::vector<std::pair<std::string, std::string>> fields;

  // The value of the first field of that name, in any case of letters; empty when there is none.
  std::string_view field(std::string_view name) const noexcept;
  bool has(std::string_view name) const noexcept;
  // Whether the status is 2xx.
  bool ok() const noexcept { return status / 100 == 2; }
  // The value of the cookie of that name that the answer sets; empty when it sets none.
  std::string_view cookie(std::string_view name) const noexcept;

  // The content as JSON of type T. Throws std::runtime_error, saying what is wrong, when it is not.
  template <class T>
  T json() const {
    auto value = json::read<T>(body);
    if (!value) throw_not_json(value.error().to_string());
    return std::move(*value);
  }

private:
  [[noreturn]] static void throw_not_json(const std::string& why);
};

struct Question {
  RouteMethod method = Method::Get;
  std::string target = "/";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string body = {};
  std::string remote = "127.0.0.1";
  std::vector<std::pair<std::string, std::string>> trailers = {};
};

// A part of multipart/form-data: a file where it has a file name.
struct Part {
  std::string name;
  std::string content;
  std::string file_name = {};
  std::string content_type = {};  // empty: none is said
};

class TestLoop;

// Used by one thread. The application must outlive it, and is started by it as far as registration goes: nothing can be
// registered afterwards. Throws std::runtime_error for a request that is not HTTP, and for a handler that waits for
// something that only a server has.
//
// Nothing depends on threads or on real time. The client has a clock of its own, which goes on when a handler waits for
// time to pass, and then at once; what a handler offloads is called on the spot. Background tasks and work after the
// response run during send() as far as they can without time; advance() gives them that. The client's end stops them.
class Client {
public:
  explicit Client(App& app);
  // Stops, as stop() does.
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Runs the on_start hooks, and from then on every(), which advance() gives its time. What a hook throws is thrown on.
  Client& start();
  // Runs the on_stop hooks, the last registered first, if start() was called; what they throw is reported.
  void stop();

  // Another value for State<T>, in place of the one that the app was given, until the end of the client. Throws
  // SetupError when it was given none.
  template <class T>
  Client& override_state(T value) {
    replace({&http::type_key<T>, new T(std::move(value)), [](void* dead) noexcept { delete static_cast<T*>(dead); }},
            app::type_name<T>());
    return *this;
  }

  Answer get(std::string_view target) { return send({Method::Get, std::string(target)}); }
  Answer head(std::string_view target) { return send({Method::Head, std::string(target)}); }
  Answer del(std::string_view target) { return send({Method::Delete, std::string(target)}); }
  Answer options(std::string_view target) { return send({Method::Options, std::string(target)}); }
  // `content_type` is JSON unless it is said otherwise.
  Answer post(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer put(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer patch(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer post_form(std::string_view target, const std::vector<Part>& parts);  // multipart/form-data
  Answer send(const Question& question);

  // A field of every request from now on.
  Client& with(std::string name, std::string value);
  // Sends the cookies back that answers have set, to any path, until an answer deletes them by Max-Age.
  Client& keep_cookies();

  // Lets time pass for what runs in the background.
  Client& advance(Milliseconds time);

  // What the application wrote to the error log so far. It goes to standard error, too, unless that is turned off.
  const std::vector<std::string>& reports() const noexcept;
  Client& print_reports(bool print);

private:
  void replace(app::SharedState state, std::string_view type);
  void keep_cookies_of(const Answer& answer);

  const Service* service_;
  app::Core* core_;
  base::Box<TestLoop> loop_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<std::pair<std::string, std::string>> cookies_;
  std::vector<app::SharedState> replaced_;  // what the app was given
  bool keeps_cookies_ = false;
  bool started_ = false;
};

}  // namespace tern::testing
