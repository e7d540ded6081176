// Several methods of one path, chained, and responses written with <<.
//
//   curl http://127.0.0.1:8080/hello
//   curl --data Ada http://127.0.0.1:8080/hello
//   curl http://127.0.0.1:8080/table/7
#include <tern/tern.hpp>

#include "flags.hpp"

namespace {

tern::Response greet() {
  tern::Response response;
  response << "Hello, "
           << "World!\n";
  return response;
}

// Numbers, characters, bools and text can be mixed.
tern::Response table(int n) {
  tern::Response response;
  for (int i = 1; i <= 10; ++i) response << i << " * " << n << " = " << std::int64_t{i} * n << '\n';
  response << "half of " << n << " is " << n / 2.0 << "; even: " << (n % 2 == 0) << '\n';
  return response;
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;

  app.route("/hello")
      .get(greet)
      .post([](tern::Body name) {
        tern::Response response(tern::Status::Created);
        response << "Hello, " << name << "!\n";
        return response;
      })
      .del([] { return tern::Status::NoContent; });

  app.route("/table/{n}").get(table);

  return app.run(examples::options(argc, argv));
}
