// Resource classes: the member functions get, post, put, … are the methods of one path, and every request gets a new
// object. Members therefore belong to one request; shared data is tern::State.
//
//   curl http://127.0.0.1:8080/hello/Ada
//   curl --request POST http://127.0.0.1:8080/counter
//   curl http://127.0.0.1:8080/counter
#include <tern/tern.hpp>

#include "flags.hpp"

#include <atomic>

namespace {

// Logs each request to standard error.
class Logged {
protected:
  void log(const tern::Request& request, std::string_view remark) {
    const std::string_view method = tern::method_name(request.method());
    const std::string_view path = request.path();
    std::fprintf(stderr, "%.*s %.*s: %.*s, step %d of this object\n", static_cast<int>(method.size()), method.data(),
                 static_cast<int>(path.size()), path.data(), static_cast<int>(remark.size()), remark.data(), ++steps_);
  }

private:
  int steps_ = 0;
};

class Hello : Logged {
public:
  std::string get(tern::Request& request, std::string_view name) {
    log(request, "saying hello");
    return "Hello, " + std::string(name) + "!";
  }
};

// Shared by all requests and all loops: const for them, so mutable members must synchronise themselves.
struct Count {
  mutable std::atomic<int> value = 0;
};

class Counter : Logged {
public:
  int get(tern::Request& request, tern::State<Count> count) {
    log(request, "reading");
    return count->value.load();
  }
  int post(tern::Request& request, tern::State<Count> count) {
    log(request, "adding one");
    return count->value.fetch_add(1) + 1;
  }
  void del(tern::Request& request, tern::State<Count> count) {
    log(request, "starting again");
    count->value.store(0);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const tern::RoutingMap routes = {
      {"/hello/{name}", tern::resource<Hello>},
      {"/counter", tern::resource<Counter>},
  };

  tern::App app;
  app.emplace_state<Count>();
  app.resources(routes);
  return app.run(examples::options(argc, argv));
}
