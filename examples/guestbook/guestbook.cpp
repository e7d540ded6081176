// A guestbook with accounts: sign up, sign in, sessions, forms that other sites cannot send, pictures, and moderators.
// The first account is a moderator. Templates and assets are inside of the program.
//
//   guestbook                                             everything is in memory
//   guestbook --database guestbook.db                     accounts, entries, pictures and sessions are in SQLite
//   guestbook --templates examples/guestbook/templates    for development: reloads the templates when they change
#include "book.hpp"
#include "picture_type.hpp"

#include <tern/app/multipart.hpp>
#include <tern/rules.hpp>
#include <tern/sql.hpp>
#include <tern/web.hpp>

#include <embedded/assets.hpp>
#include <embedded/templates.hpp>

#include "../flags.hpp"

#include <algorithm>

namespace {

using guestbook::Account;
using guestbook::Book;
using guestbook::Entry;
using guestbook::Picture;

// What a session remembers, and the identity of its requests.
struct User {
  std::string name;
  std::vector<std::string> roles;

  bool is_moderator() const { return std::ranges::find(roles, "moderator") != roles.end(); }
};

using Session = tern::Session<User>;

struct Credentials {
  std::string name;
  std::string password;
};
struct NewAccount {
  std::string name;
  std::string password;
};

struct NewEntry {
  std::string message;
  std::optional<tern::UploadedFile> picture;

  static constexpr tern::FormLimits form_limits = {.files = 1, .file_bytes = 1024 * 1024};
};

}  // namespace

template <>
struct tern::Rules<NewAccount> {
  static constexpr auto list =
      tern::rules(tern::member<&NewAccount::name>(tern::length(2, 30), tern::pattern("^[A-Za-z0-9_-]*$")),
                  tern::member<&NewAccount::password>(tern::length(10, 200)));
};
template <>
struct tern::Rules<NewEntry> {
  static constexpr auto list = tern::rules(tern::member<&NewEntry::message>(tern::length(1, 500)));
};

namespace {

// What every page shows.
struct Shell {
  std::optional<User> viewer;
  std::string csrf_token;  // empty without a session, which needs none
  std::vector<tern::Flash> flashes;
};
struct HomePage {
  Shell shell;
  std::vector<Entry> entries;
  bool may_moderate;
};
struct AccountPage {
  Shell shell;
  std::string title;
  std::string action;
  std::string autocomplete;
  std::string notice;
  tern::FormFields fields;
};
struct ProblemPage {
  Shell shell;
  std::string title;
  std::string detail;
};

Shell shell_of(Session session) {
  Shell shell;
  if (session.user().empty()) return shell;
  shell.viewer = *session;
  shell.csrf_token = session.csrf_token();
  shell.flashes = session.take_flashes();
  return shell;
}

AccountPage sign_up_page(Session session) {
  return {shell_of(session), "Sign up", "/sign-up", "new-password", {}, tern::empty_form<NewAccount>()};
}
AccountPage sign_in_page(Session session) {
  return {shell_of(session), "Sign in", "/sign-in", "current-password", {}, tern::empty_form<Credentials>()};
}
tern::Response shown_again(const tern::Request& request, const AccountPage& page) {
  return tern::render(request, "account", page).status(tern::Status::UnprocessableContent);
}

tern::Task<tern::Rendered<HomePage>> home(Session session, tern::State<std::unique_ptr<Book>> book) {
  std::vector<Entry> entries = co_await (*book)->latest();
  Shell shell = shell_of(session);
  const bool may_moderate = shell.viewer && shell.viewer->is_moderator();
  co_return tern::render("home", HomePage{std::move(shell), std::move(entries), may_moderate});
}

tern::Task<tern::Response> sign_up(tern::Request& request, Session session, tern::FormResult<NewAccount> form,
                                   tern::State<std::unique_ptr<Book>> book, tern::State<tern::Passwords> passwords) {
  AccountPage page = sign_up_page(session);
  if (form) {
    std::string hash = co_await passwords->hash(form->password);
    Account account{form->name, std::move(hash), {}};
    const std::optional<Account> added = co_await (*book)->add(std::move(account));
    if (added) {
      session.login(added->name, User{added->name, added->roles});
      session.flash("welcome", "Welcome to the hut, " + added->name + ".");
      co_return tern::Response::redirect("/");
    }
    form.add_error("name", "is taken");
  }
  page.fields = form.fields();
  page.fields["password"].value.clear();
  co_return shown_again(request, page);
}

tern::Task<tern::Response> sign_in(tern::Request& request, Session session, tern::FormResult<Credentials> form,
                                   tern::State<std::unique_ptr<Book>> book, tern::State<tern::Passwords> passwords) {
  if (form) {
    const std::optional<Account> account = co_await (*book)->find(form->name);
    std::optional<std::string_view> stored;
    if (account) stored = account->password_hash;
    const tern::PasswordCheck check = co_await passwords->verify(form->password, stored);
    if (account && check != tern::PasswordCheck::Wrong) {
      if (check == tern::PasswordCheck::Outdated) {
        std::string hash = co_await passwords->hash(form->password);
        co_await (*book)->set_password(account->name, std::move(hash));
      }
      session.login(account->name, User{account->name, account->roles});
      session.flash("welcome", "Welcome back, " + account->name + ".");
      co_return tern::Response::redirect("/");
    }
  }
  AccountPage page = sign_in_page(session);
  page.fields["name"].value = form.fields().find("name")->second.value;
  page.notice = "The name or the password is wrong.";
  co_return shown_again(request, page);
}

tern::Response sign_out(Session session) {
  session.destroy();
  return tern::Response::redirect("/");
}

tern::Task<tern::Response> sign(tern::Identity<User> user, Session session, tern::Multipart<NewEntry> entry,
                                tern::State<std::unique_ptr<Book>> book) {
  std::optional<Picture> picture;
  if (entry->picture) {
    std::string content = co_await entry->picture->text(NewEntry::form_limits.file_bytes);
    const std::optional<std::string_view> type = guestbook::picture_type(content);
    if (!type) {
      throw tern::HttpError(tern::Status::UnprocessableContent, "The picture is not a PNG, JPEG, GIF or WebP.");
    }
    picture = Picture{std::string(*type), std::move(content)};
  }
  co_await (*book)->sign(user->name, std::move(entry->message), std::move(picture));
  session.flash("thanks", "Thank you. Safe travels.");
  co_return tern::Response::redirect("/");
}

tern::Task<tern::Response> remove_entry(std::int64_t id, Session session, tern::State<std::unique_ptr<Book>> book) {
  const bool was_there = co_await (*book)->remove(id);
  session.flash("removed", was_there ? "The entry was removed." : "There is no such entry any more.");
  co_return tern::Response::redirect("/");
}

// Sandboxed, so that nothing in an upload can run even if it is opened by itself.
tern::Task<std::optional<tern::Response>> show_picture(std::int64_t id, tern::State<std::unique_ptr<Book>> book) {
  std::optional<Picture> picture = co_await (*book)->picture(id);
  if (!picture) co_return std::nullopt;
  co_return tern::Response::bytes(picture->media_type, std::move(picture->content))
      .set("cache-control", "private, max-age=86400")
      .set("content-security-policy", "default-src 'none'; sandbox");
}

// Pages for browsers, JSON for others.
tern::Response problem_page(const tern::Problem& problem, const tern::Request* request) {
  if (request == nullptr || request->accepts({"application/problem+json", "text/html"}) != "text/html") {
    return tern::Response::bytes("application/problem+json", to_json(problem));
  }
  std::string detail = problem.detail;
  for (const tern::ProblemItem& item : problem.errors) detail += " " + item.pointer + ": " + item.detail + ".";
  return tern::render(*request, "problem", ProblemPage{{}, std::string(reason(problem.status)), std::move(detail)});
}

// The pages, and what protects them. Without a store, sessions are in memory.
void add_routes(tern::App& app, tern::Store* sessions) {
  app.use(tern::Compress());
  app.use(tern::SecurityHeaders({.policy = tern::ContentSecurityPolicy()
                                               .allow("default-src", {"'self'"})
                                               .allow("object-src", {"'none'"})
                                               .allow("base-uri", {"'none'"})
                                               .allow("form-action", {"'self'"})
                                               .allow("frame-ancestors", {"'none'"})}));
  app.use(tern::Sessions<User>({.store = sessions, .plain_loopback = true})).use(tern::SessionIdentity<User>());
  app.on_problem(problem_page);
  app.on_error(tern::sql_problem);
  app.files("/assets", embedded::assets);

  app.get("/", home);
  app.get("/sign-up", [](Session session) { return tern::render("account", sign_up_page(session)); });
  app.post("/sign-up", sign_up).use(tern::RateLimit({.limit = 20}));
  app.get("/sign-in", [](Session session) { return tern::render("account", sign_in_page(session)); });
  app.post("/sign-in", sign_in).use(tern::RateLimit({.limit = 5, .counts = tern::RateCount::Failures}));
  app.post("/sign-out", sign_out);
  app.post("/entries", sign);
  app.post("/entries/{id}/remove", remove_entry).use(tern::require_role("moderator"));
  app.get("/pictures/{id}", show_picture);
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder;
  std::string path;
  const tern::Options options = examples::options(argc, argv, {{"--templates", folder}, {"--database", path}});
  try {
    std::optional<tern::Sqlite> database;
    std::optional<tern::SqlStore> sessions;
    if (!path.empty()) sessions.emplace(database.emplace(tern::SqliteOptions{.path = path}));

    tern::App app;
    app.state(database ? guestbook::book_in(*database) : guestbook::book_in_memory()).state(tern::Passwords());
    if (database) app.on_start([&database] { return guestbook::migrate(*database); });
    if (folder.empty()) {
      app.templates(embedded::templates, {.assets = {{"/assets", &embedded::assets}}});
    } else {
      app.templates(folder, {.reload = true, .assets = {{"/assets", &embedded::assets}}});
    }
    add_routes(app, sessions ? &*sessions : nullptr);
    return app.run(options);
  } catch (const tern::SqlError& error) {
    std::fprintf(stderr, "guestbook: %s\n", error.what());
    return 1;
  }
}
