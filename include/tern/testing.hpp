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

class TestLoop;

// Used by one thread. The application must outlive it, and is started by it as far as registration goes: nothing can be
// registered afterwards, and the hooks of the start and the end, and every(), are not run. Throws std::runtime_error
// for a request that is not HTTP, and for a handler that waits for something that only a server has.
//
// Nothing depends on threads or on real time. The client has a clock of its own, which goes on when a handler waits for
// time to pass, and then at once; what a handler offloads is called on the spot. Background tasks and work after the
// response run during send() as far as they can without time; advance() gives them that. The client's end stops them.
class Client {
public:
  explicit Client(App& app);

  Answer get(std::string_view target) { return send({Method::Get, std::string(target)}); }
  Answer head(std::string_view target) { return send({Method::Head, std::string(target)}); }
  Answer del(std::string_view target) { return send({Method::Delete, std::string(target)}); }
  Answer options(std::string_view target) { return send({Method::Options, std::string(target)}); }
  // `content_type` is JSON unless it is said otherwise.
  Answer post(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer put(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer patch(std::string_view target, std::string body, std::string_view content_type = media::json);
  Answer send(const Question& question);

  // A field of every request from now on.
  Client& with(std::string name, std::string value);

  // Lets time pass for what runs in the background.
  Client& advance(Milliseconds time);

  // What the application wrote to the error log so far.
  const std::vector<std::string>& reports() const noexcept;

private:
  const Service* service_;
  base::Box<TestLoop> loop_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace tern::testing
