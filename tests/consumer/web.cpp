// Uses the component web of an installed Tern.
#include <tern/web.hpp>

int main() {
  return tern::to_field_value(tern::CacheControl{.max_age = tern::Seconds(60)}) == "max-age=60" ? 0 : 1;
}
