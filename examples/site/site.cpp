// A small site: pages from templates with a layout, a form that is shown again with its errors, and assets with the
// hash of their content in their names. Templates and assets are inside of the program.
//
//   site --templates examples/site/templates    for development: reloads the templates when they change
#include <tern/rules.hpp>
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <embedded/assets.hpp>
#include <embedded/templates.hpp>

#include "../flags.hpp"

#include <mutex>

namespace {

struct Season {
  std::string name;
  std::string months;
  std::optional<std::string> hours;
};
struct Home {
  std::vector<Season> seasons;
};

struct NewEntry {
  std::string name;
  int stars;
  std::string message;
};

}  // namespace

template <>
struct tern::Rules<NewEntry> {
  static constexpr auto list =
      tern::rules(tern::member<&NewEntry::name>(tern::length(1, 60)), tern::member<&NewEntry::stars>(tern::range(1, 5)),
                  tern::member<&NewEntry::message>(tern::length(1, 500)));
};

namespace {

struct Entry {
  std::string name;
  int stars;
  std::string message;
  std::vector<int> star_list;  // one element for each
};

struct GuestbookPage {
  tern::FormFields fields;
  bool has_errors = false;
  std::vector<Entry> entries;
};

struct MissingPage {
  std::string_view path;
};

// Shared by all loops. The last hundred entries.
class Guestbook {
public:
  void add(const NewEntry& entry) const {
    const std::lock_guard lock(mutex_);
    entries_.insert(entries_.begin(),
                    {entry.name, entry.stars, entry.message, std::vector<int>(static_cast<std::size_t>(entry.stars))});
    if (entries_.size() > 100) entries_.pop_back();
  }
  std::vector<Entry> entries() const {
    const std::lock_guard lock(mutex_);
    return entries_;
  }

private:
  mutable std::mutex mutex_;
  mutable std::vector<Entry> entries_;
};

auto home() {
  return tern::render("home", Home{{{"Summer", "May to September", "9:00 to 20:00"},
                                    {"Shoulder", "March, April, October", "10:00 to 16:00"},
                                    {"Winter", "November to February", std::nullopt}}});
}

auto show_guestbook(tern::State<Guestbook> guestbook) {
  return tern::render("guestbook", GuestbookPage{tern::empty_form<NewEntry>(), false, guestbook->entries()});
}

tern::Response sign(tern::Request& request, tern::FormResult<NewEntry> form, tern::State<Guestbook> guestbook) {
  if (!form) {
    return tern::render(request, "guestbook", GuestbookPage{form.fields(), true, guestbook->entries()})
        .status(tern::Status::UnprocessableContent);
  }
  guestbook->add(*form);
  return tern::Response::redirect("/guestbook");  // 303: a reload does not send the form again
}

// Browsers ask each time whether a page has changed; with an ETag, the answer is mostly 304.
tern::Reply ask_again(tern::Request&, tern::Next next) {
  return next().then([](tern::Response response) {
    if (!response.field("cache-control")) response.set("cache-control", "no-cache");
    return response;
  });
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  const tern::Options options = examples::options(argc, argv, {{"--templates", folder}});

  tern::App app;
  app.use(tern::Compress()).use(ask_again).use(tern::ETag());
  app.emplace_state<Guestbook>();
  app.files("/assets", embedded::assets);
  if (folder.empty()) {
    app.templates(embedded::templates, {.assets = {{"/assets", &embedded::assets}}});
  } else {
    app.templates(folder, {.reload = true, .assets = {{"/assets", &embedded::assets}}});
  }
  app.get("/", home);
  app.get("/guestbook", show_guestbook);
  app.post("/guestbook", sign);
  app.fallback([](tern::Request& request) {
    return tern::render(request, "missing", MissingPage{request.path()}).status(tern::Status::NotFound);
  });
  return app.run(options);
}
