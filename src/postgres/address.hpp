// Where a PostgreSQL is: the addresses of the hosts of a connection string, and the parameters of a connection.
#pragma once

#include <tern/base/duration.hpp>

#include <expected>
#include <string>
#include <utility>
#include <vector>

namespace tern::postgres {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// One attempt to connect.
struct Endpoint {
  std::string host;     // empty: libpq's default
  std::string address;  // of the host; empty for a Unix socket
  std::string port;

  // "db.example.org:5432 (10.0.0.7)"
  std::string name() const;
};

struct Destination {
  Parameters parameters;  // without those of Endpoint, and without target_session_attrs
  std::vector<Endpoint> endpoints;
  std::vector<std::string> session_attributes;  // tried one after the other, each on all endpoints
  Milliseconds connect_timeout{0};              // of the connection string; zero: none
};

// Throws std::invalid_argument for a string that libpq does not take.
void check_url(const std::string& url);

// Resolves the names of hosts; blocks. Or the fault.
std::expected<Destination, std::string> resolve(const std::string& url);

}  // namespace tern::postgres
