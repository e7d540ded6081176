// Uses the component observe of an installed Tern.
#include <tern/observe.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

int main() {
  tern::App app;
  const tern::Counter visits = app.metrics().counter("visits", "Visits.");
  app.admin({.port = 0}).check("always", [] {});
  tern::testing::Client client(app);
  visits.add(7);
  return client.at_listener("admin").get("/metrics").body.contains("\nvisits_total 7\n") ? 0 : 1;
}
