// Pages from templates, a form, and assets, all inside of the program.
#include "app.hpp"

#include <tern/rules.hpp>
#include <tern/web.hpp>

#include <embedded/assets.hpp>
#include <embedded/templates.hpp>

namespace {

struct NewEntry {
  std::string name;
  std::string message;
};

}  // namespace

template <>
struct tern::Rules<NewEntry> {
  static constexpr auto list = tern::rules(tern::member<&NewEntry::name>(tern::length(1, 60)),
                                           tern::member<&NewEntry::message>(tern::length(1, 500)));
};

namespace {

struct HomePage {
  std::vector<NewEntry> entries;
  tern::FormFields fields;
};

// All loops share it, so it is behind a mutex.
using Entries = tern::Shared<std::vector<NewEntry>>;

auto show(tern::State<Entries> entries) {
  return tern::render("home", HomePage{*entries->lock(), tern::empty_form<NewEntry>()});
}

tern::Response sign(tern::Request& request, tern::State<Entries> entries, tern::FormResult<NewEntry> form) {
  if (!form) {  // the form again, with what was entered and what is wrong
    return tern::render(request, "home", HomePage{*entries->lock(), form.fields()})
        .status(tern::Status::UnprocessableContent);
  }
  entries->lock()->push_back(*form);
  return tern::Response::redirect("/");  // 303: a reload does not send the form again
}

}  // namespace

void add_routes(tern::App& app) {
  app.use(tern::Compress()).use(tern::SecurityHeaders()).use(tern::CrossOriginProtection());
  app.state(Entries());
  app.files("/assets", embedded::assets);
  app.templates(embedded::templates, {.assets = {{"/assets", &embedded::assets}}});
  app.get("/", show);
  app.post("/", sign);
}
