// What can go wrong before a server serves, said so that a person can act on it.
#pragma once

#include <cstdint>
#include <string>

namespace tern::net {

enum class Fault : std::uint8_t {
  BadAddress,    // neither an IPv4 nor an IPv6 address nor "localhost", or a path that no socket can have
  AddressInUse,  // another process listens there
  NotPermitted,  // a port below 1024, a directory that may not be written to
  System,        // anything else; `message` has the cause
};

struct Error {
  Fault fault = Fault::System;
  int number = 0;       // errno, where there is one
  std::string message;  // names the address and the cause: "address already in use: 127.0.0.1:8080"
};

}  // namespace tern::net
