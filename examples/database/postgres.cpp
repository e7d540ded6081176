#include "open.hpp"

#include <tern/postgres.hpp>

namespace examples {
namespace {

// Without user, password and options.
std::string_view place_of(std::string_view url) {
  url.remove_prefix(url.find("//") + 2);
  url = url.substr(0, url.find('?'));
  return url.substr(url.rfind('@') + 1);
}

}  // namespace

Database open_postgres(const std::string& address) {
  return {std::make_shared<tern::Postgres>(address), "PostgreSQL, " + std::string(place_of(address)), true};
}

}  // namespace examples
