// Where Redis is: the addresses of a host, and its name in messages.
#pragma once

#include "redis/tls.hpp"

#include <tern/coro/task.hpp>
#include <tern/redis/options.hpp>

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

namespace tern::redis {

// Or the fault.
using Addresses = std::expected<std::vector<std::string>, std::string>;

// Whether it is an IPv4 or IPv6 address, and needs no look-up.
bool is_address(const std::string& host);
// Blocks.
Addresses resolve(const std::string& host);
// The addresses of the host; on the pool, if it is a name. Throws Overloaded. The options outlive the task.
Task<Addresses> find_addresses(const RedisOptions& options);

// "Redis at 127.0.0.1:6379"
std::string name_of(const RedisOptions& options);
// "5.0 s"
std::string format_duration(std::uint64_t milliseconds);
// "no answer for 5.0 s"
std::string no_answer(Milliseconds time);

// Throws std::invalid_argument, with `who` in front, for options that every user of Redis has and that are invalid.
void check_options(const RedisOptions& options, const std::string& who);
// The same; then what connections need for TLS, or null if they are without.
std::unique_ptr<const TlsContext> make_tls(const RedisOptions& options, const std::string& who);

}  // namespace tern::redis
