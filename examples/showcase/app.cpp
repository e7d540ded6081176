#include "app.hpp"

#include "iso_codes.hpp"
#include "notes.hpp"
#include "showcase/page.hpp"  // made from page.html when this is built

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace showcase {
namespace {

struct RouteLine {
  std::string_view method;
  std::string pattern;
  std::string name;
};

tern::Response start_page() {
  auto page = tern::Response::static_content(tern::media::html, page_html);
  page.set("content-security-policy",
           "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; "
           "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'");
  page.set("x-content-type-options", "nosniff");
  return page;
}

}  // namespace

tern::App make_app(const std::string& iso_codes, examples::Database database) {
  tern::App app;
  app.get("/", start_page)
      .name("this page")
      .description("The page on which the data can be looked through.")
      .tags({"Service"})
      .response(tern::Status::Ok, "A page", "text/html");
  add_iso_routes(app, load_iso_codes(iso_codes));
  add_note_routes(app, std::move(database));

  // The list contains this route, so it is filled after the registration.
  const auto lines = std::make_shared<std::vector<RouteLine>>();
  app.get("/routes", [lines] { return *lines; }).name("all routes").description("All routes.").tags({"Service"});
  for (tern::RouteInfo& route : app.routes()) {
    lines->push_back({route.method_name(), std::move(route.pattern), std::move(route.name)});
  }
  app.openapi({
      .title = "Showcase",
      .description = "Codes of countries, languages, currencies and scripts, and a small notebook.",
      .contact_name = "Tern",
      .contact_url = "https://example.org/tern",
      .servers = {{"/", "This server"}},
      .tags = {{"Countries", "Countries and their parts (ISO 3166)"},
               {"Languages", "Languages (ISO 639-3)"},
               {"Currencies", "Currencies (ISO 4217)"},
               {"Scripts", "Scripts (ISO 15924)"},
               {"Notes", "A small collection that clients change"},
               {"Service", "About the service itself"}},
      .docs = "/docs",
  });
  return app;
}

}  // namespace showcase
