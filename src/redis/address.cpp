#include "redis/address.hpp"

#include <tern/coro/offload.hpp>

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>

namespace tern::redis {
namespace {

constexpr std::size_t one_gibibyte = 1024 * 1024 * 1024;  // hiredis counts in int

}  // namespace

bool is_address(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> bytes;
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

Addresses resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    return std::unexpected(std::string(::gai_strerror(error)));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
  std::vector<std::string> addresses;
  for (const addrinfo* one = found; one != nullptr; one = one->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(one->ai_addr, one->ai_addrlen, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0) {
      addresses.emplace_back(text.data());
    }
  }
  return addresses;
}

Task<Addresses> find_addresses(const RedisOptions& options) {
  if (!options.unix_path.empty() || is_address(options.host)) co_return std::vector{options.host};
  const auto look_up = [&options] { return resolve(options.host); };
  co_return co_await offload(look_up);
}

std::string name_of(const RedisOptions& options) {
  if (!options.unix_path.empty()) return "Redis at " + options.unix_path;
  const bool is_v6 = options.host.find(':') != std::string::npos;
  return "Redis at " + (is_v6 ? '[' + options.host + ']' : options.host) + ':' + std::to_string(options.port);
}

std::string format_duration(std::uint64_t milliseconds) {
  if (milliseconds < 1000) return std::to_string(milliseconds) + " ms";
  return std::to_string(milliseconds / 1000) + '.' + std::to_string(milliseconds % 1000 / 100) + " s";
}

std::string no_answer(Milliseconds time) {
  return "no answer for " + format_duration(static_cast<std::uint64_t>(time.count()));
}

void check_options(const RedisOptions& options, const std::string& who) {
  const auto refuse = [&who](const char* why) { throw std::invalid_argument(who + ": " + why); };
  if (options.prefix.empty()) refuse("prefix is empty: by what would servers that belong together be known?");
  if (options.unix_path.empty() && (options.host.empty() || options.port == 0)) refuse("host or port is missing");
  if (!options.username.empty() && options.password.empty()) refuse("username is set, but password is not");
  if (options.unix_path.size() >= sizeof(sockaddr_un::sun_path)) refuse("unix_path is longer than the kernel takes");
  if (options.max_queued == 0 || options.max_queued > one_gibibyte) refuse("max_queued is from 1 byte to 1 GiB");
  if (options.max_reply == 0 || options.max_reply > one_gibibyte) refuse("max_reply is from 1 byte to 1 GiB");
  if (options.timeout.count() <= 0 || options.retry.count() <= 0) refuse("timeout and retry are longer than zero");
  const RedisTls& tls = options.tls;
  const bool has_tls_options = !tls.ca_file.empty() || !tls.server_name.empty() || !tls.certificate_file.empty();
  if (has_tls_options && !tls.enabled) refuse("options of tls are set, but it is not enabled");
  if (tls.enabled && !options.unix_path.empty()) refuse("a Unix socket has no TLS");
  if (tls.certificate_file.empty() != tls.key_file.empty()) {
    refuse("certificate_file and key_file are set together");
  }
}

std::unique_ptr<const TlsContext> make_tls(const RedisOptions& options, const std::string& who) {
  check_options(options, who);
  return options.tls.enabled ? std::make_unique<const TlsContext>(options, who) : nullptr;
}

}  // namespace tern::redis
