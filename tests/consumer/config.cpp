// Uses the component config of an installed Tern: a setting of the command line reaches the server's options.
#include <tern/config.hpp>

int main() {
  const auto config = tern::read_config<tern::Options>({"--port", "8081", "--timeouts.idle=90s"}, {.name = "consumer"});
  return config && (*config)->port == 8081 && (*config)->timeouts.idle == tern::Seconds(90) ? 0 : 1;
}
