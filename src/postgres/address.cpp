#include "postgres/address.hpp"

#include <tern/base/number.hpp>

#include <libpq-fe.h>
#include <netdb.h>
#include <sys/socket.h>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace tern::postgres {
namespace {

using Options = std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)>;

Options parse(const std::string& url) {
  char* fault = nullptr;
  Options options(PQconninfoParse(url.c_str(), &fault), &PQconninfoFree);
  if (options) return options;
  std::string text = fault == nullptr ? "no memory" : fault;
  PQfreemem(fault);
  while (text.ends_with('\n')) text.pop_back();
  throw std::invalid_argument("PostgreSQL: " + text);
}

// The value of a keyword; empty if it is not set.
std::string value_of(const PQconninfoOption* options, std::string_view keyword) {
  for (; options->keyword != nullptr; ++options) {
    if (options->keyword == keyword && options->val != nullptr) return options->val;
  }
  return {};
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = list.find(',', begin);
    parts.push_back(list.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

bool is_unix(const std::string& host) {
  return host.empty() || host.starts_with('/') || host.starts_with('@');
}

// The numeric addresses of a host, or the fault.
std::expected<std::vector<std::string>, std::string> look_up(const std::string& host) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0) {
    return std::unexpected(host + ": " + ::gai_strerror(error));
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

// False, with the fault, if no host has an address.
bool add_endpoints(const std::string& hosts, const std::string& addresses, const std::string& ports,
                   std::vector<Endpoint>& endpoints, std::string& fault) {
  const std::vector<std::string> names = split(hosts);
  const std::vector<std::string> numeric = split(addresses);
  const std::vector<std::string> numbers = split(ports);
  const std::size_t count = std::max(names.size(), numeric.size());
  const auto item = [](const std::vector<std::string>& list, std::size_t index) {
    return index < list.size() ? list[index] : list.size() == 1 ? list[0] : std::string();
  };
  for (std::size_t i = 0; i < count; ++i) {
    const std::string host = i < names.size() ? names[i] : std::string();
    const std::string address = i < numeric.size() ? numeric[i] : std::string();
    if (!address.empty() || is_unix(host)) {
      endpoints.push_back({host, address, item(numbers, i)});
      continue;
    }
    const auto found = look_up(host);
    if (!found) fault = found.error();
    for (const std::string& one : found.value_or(std::vector<std::string>())) {
      endpoints.push_back({host, one, item(numbers, i)});
    }
  }
  if (endpoints.empty() && fault.empty()) fault = "the names have no address";
  return !endpoints.empty();
}

bool is_of_endpoint(std::string_view keyword) {
  return keyword == "host" || keyword == "hostaddr" || keyword == "port" || keyword == "target_session_attrs";
}

}  // namespace

std::string Endpoint::name() const {
  std::string text = host.empty() ? address.empty() ? "the local socket" : address : host;
  if (!port.empty()) text += ':' + port;
  if (!address.empty() && address != host && !host.empty()) text += " (" + address + ')';
  return text;
}

void check_url(const std::string& url) {
  parse(url);
}

std::expected<Destination, std::string> resolve(const std::string& url) {
  const Options given = parse(url);
  const Options defaults(PQconndefaults(), &PQconninfoFree);
  if (!defaults) return std::unexpected("the service file or the environment is invalid");
  // A service has its own hosts, which libpq reads.
  const bool has_service = !value_of(given.get(), "service").empty();
  const auto effective = [&](std::string_view keyword) {
    std::string value = value_of(given.get(), keyword);
    return value.empty() && !has_service ? value_of(defaults.get(), keyword) : value;
  };
  Destination destination;
  for (const PQconninfoOption* option = given.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr && !is_of_endpoint(option->keyword)) {
      destination.parameters.emplace_back(option->keyword, option->val);
    }
  }
  destination.parameters.emplace_back("client_encoding", "UTF8");
  destination.parameters.emplace_back("fallback_application_name", "tern");
  if (effective("gssencmode").empty() || effective("gssencmode") == "prefer") {
    destination.parameters.emplace_back("gssencmode", "disable");
  }
  const auto seconds = base::parse_integer<std::uint16_t>(effective("connect_timeout"));
  destination.connect_timeout = Seconds(seconds.value_or(0));
  const std::string attributes = effective("target_session_attrs");
  if (attributes == "prefer-standby") {
    destination.session_attributes = {"standby", "any"};
  } else {
    destination.session_attributes = {attributes.empty() ? "any" : attributes};
  }
  std::string fault;
  if (!add_endpoints(effective("host"), effective("hostaddr"), effective("port"), destination.endpoints, fault)) {
    return std::unexpected(fault);
  }
  return destination;
}

}  // namespace tern::postgres
