// What a load is sent to: the parts of an http or https URL, and its address.
#pragma once

#include <sys/socket.h>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::load {

struct Target {
  bool tls = false;
  std::string host;    // without brackets
  std::string port;    // of the URL, or of its scheme
  std::string origin;  // "example.org:8080", for Host
  std::string path;    // with the query
};

// Throws std::invalid_argument, naming the fault. "http://" may be left out.
Target parse_target(std::string_view url);

struct Address {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

// The first address of the host. Blocks. Throws std::runtime_error.
Address resolve(const Target& target);

// A socket that connects without waiting; -1 and errno if it cannot.
int connect_to(const Address& address) noexcept;

}  // namespace tern::load
