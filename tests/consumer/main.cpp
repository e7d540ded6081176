// A program outside of Tern's tree, built against the installed library: serves one request of its own and ends.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

struct Sum {
  int a = 0;
  int b = 0;
};

int main() {
  tern::App app;
  app.get("/sum", [](tern::Query<Sum> sum) { return sum->a + sum->b; });
  app.start({.port = 0});
  const bool served = app.port() != 0;
  app.stop();
  tern::testing::Client client(app);
  return served && client.get("/sum?a=2&b=3").body == "5" ? 0 : 1;
}
