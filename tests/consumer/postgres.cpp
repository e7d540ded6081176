// Uses the component postgres of an installed Tern.
#include <tern/postgres.hpp>
#include <tern/tern.hpp>

#include <stdexcept>

int main() {
  try {
    const tern::Postgres db("host=");
    const tern::Postgres wrong("no such thing");
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return 1;
}
