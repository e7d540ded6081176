// Uses the component web of an installed Tern.
#include <tern/tern.hpp>
#include <tern/web.hpp>

int main() {
  tern::App app;
  app.use(tern::Compress());
  app.use(tern::Decompress());
  app.files("/", ".");
  app.get("/source", [] { return tern::File("web.cpp"); });
  app.service();
  return tern::to_field_value(tern::CacheControl{.max_age = tern::Seconds(60)}) == "max-age=60" ? 0 : 1;
}
