// Route tables beside the app's own: those of listeners and those of hosts.
#include "app/core.hpp"
#include "http/authority.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <utility>

namespace tern::app {
namespace {

// uri-host [ ":" port ] without the port, and without the dot at the end of a fully qualified name.
std::string_view name_of(std::string_view host) noexcept {
  const std::size_t bracket = host.starts_with('[') ? host.find(']') : 0;
  if (bracket == std::string_view::npos) return {};
  host = host.substr(0, host.find(':', bracket));
  if (host.ends_with('.')) host.remove_suffix(1);
  return host;
}

bool is_wildcard(std::string_view pattern) noexcept {
  return pattern.starts_with("*.");
}

// "*.example.org" fits all names that end with ".example.org".
bool fits(std::string_view pattern, std::string_view name) noexcept {
  if (!is_wildcard(pattern)) return base::equals_ignoring_case(pattern, name);
  pattern.remove_prefix(1);
  return name.size() > pattern.size() && base::equals_ignoring_case(pattern, name.substr(name.size() - pattern.size()));
}

std::string_view fault_of(std::string_view pattern) noexcept {
  if (is_wildcard(pattern)) pattern.remove_prefix(2);
  if (pattern.empty() || !http::is_authority(pattern) || pattern.contains('*')) {
    return "a host is a name, an address, or '*.' and a name";
  }
  if (name_of(pattern) != pattern) return "a host has no port here, and no dot at its end";
  return {};
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), base::to_lower);
  return result;
}

}  // namespace

std::size_t Core::add_listener(std::string_view name, const std::source_location& place) {
  require_open("routes of a listener were registered");
  if (name.empty()) mistakes_.add(place, "listener(): the name of a listener is not empty");
  const auto known = std::ranges::find_if(
      tables_, [name](const RouteTable& table) { return table.host.empty() && table.listener == name; });
  if (known != tables_.end()) return known->root;
  const std::size_t root = add_group(0, {"", place});
  groups_[root].table = tables_.size();
  tables_.push_back({std::string(name), {}, root, place, {}});
  return root;
}

std::size_t Core::add_host(std::string_view name, const std::source_location& place) {
  require_open("routes of a host were registered");
  const std::string host = lower(name);
  const auto known = std::ranges::find(tables_, host, &RouteTable::host);
  if (!host.empty() && known != tables_.end()) return known->root;
  const std::size_t root = add_group(0, {"", place});
  if (const std::string_view fault = fault_of(host); !fault.empty()) {
    mistakes_.add(place, "host('" + std::string(name) + "'): " + std::string(fault));
    groups_[root].faulty = true;
    return root;
  }
  groups_[root].table = tables_.size();
  tables_.push_back({{}, host, root, place, {}});
  return root;
}

const RouteTable& Core::table_of(Exchange& exchange) const noexcept {
  if (&tables_.front() == &tables_.back()) [[likely]]
    return tables_.front();
  return table_of_host(exchange);
}

// A listener with routes of its own has these only. A host's own name precedes wildcards, and a longer wildcard a
// shorter one.
const RouteTable& Core::table_of_host(Exchange& exchange) const noexcept {
  const std::string_view listener = exchange.listener();
  std::optional<std::string_view> name;  // which an app without hosts does not look for
  const RouteTable* best = &tables_.front();
  for (const RouteTable& table : tables_) {
    if (table.host.empty()) {
      if (!table.listener.empty() && table.listener == listener) return table;
      continue;
    }
    if (!name) name = name_of(exchange.request().host());
    if (fits(table.host, *name)) {
      const bool precedes = !is_wildcard(table.host) ||
                            (best->host.size() < table.host.size() && (best->host.empty() || is_wildcard(best->host)));
      if (precedes) best = &table;
    }
  }
  return *best;
}

// Routes of a host precede those of the app, which are served at every host.
Core::Found Core::find(const RouteTable& table, RouteMethod method, std::string_view path, Exchange& exchange) const {
  auto& values = exchange.request().parameter_values();
  const Router& router = table.router;
  const Router::Match match = router.find(router.index_of(method), path, exchange.arena(), values);
  if (match.route) return {&routes_[*match.route], match.parameters, 0, 0};
  if (table.host.empty()) return {nullptr, 0, match.offered, 0};
  const Router& shared = tables_.front().router;
  const Router::Match other = shared.find(shared.index_of(method), path, exchange.arena(), values);
  if (other.route) return {&routes_[*other.route], other.parameters, 0, 0};
  return {nullptr, 0, match.offered, other.offered};
}

bool Core::knows_method(const RouteTable& table, const Request& request) const noexcept {
  if (request.method() != Method::Extension) return true;
  const RouteMethod method(request.method_name());
  if (table.router.index_of(method) != unknown_method) return true;
  return !table.host.empty() && tables_.front().router.index_of(method) != unknown_method;
}

// The methods of both tables: the masks of extension methods are the routers' own.
std::string Core::allow_value(const RouteTable& table, const Found& found) const {
  std::string list = table.router.allow_value(found.offered);
  if (found.offered_everywhere == 0) return list;
  std::string others = tables_.front().router.allow_value(found.offered_everywhere) + ", ";
  while (!others.empty()) {
    const std::size_t end = others.find(", ");
    const std::string method = others.substr(0, end);
    if (!(", " + list + ",").contains(", " + method + ",")) list.append(", ").append(method);
    others.erase(0, end + 2);
  }
  return list;
}

}  // namespace tern::app
