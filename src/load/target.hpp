// What a load is sent to: the parts of an http or https URL, and its address.
#pragma once

#include <sys/socket.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// The addresses of the host, at least one. Blocks. Throws std::runtime_error.
std::vector<Address> resolve(const Target& target);

// The first one that accepts a connection: "localhost" is ::1 before 127.0.0.1, and a server may be at one of them
// only. The first of all if none does, or if there is no other. Blocks, two seconds for each at most.
Address choose(const std::vector<Address>& addresses);

// A socket that connects without waiting; -1 and errno if it cannot.
int connect_to(const Address& address) noexcept;

}  // namespace tern::load
