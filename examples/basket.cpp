// A shopping basket: what a session remembers of a browser, a login, messages that are shown once.
//
//   curl --cookie-jar jar --cookie jar --data item=tea http://localhost:8080/items --header 'Sec-Fetch-Site: none'
//   curl --cookie-jar jar --cookie jar http://localhost:8080/
#include <tern/tern.hpp>
#include <tern/web.hpp>

#include <string>
#include <utility>
#include <vector>

#include "flags.hpp"

namespace {

struct Basket {
  std::vector<std::string> items = {};
};

struct Page {
  std::string user;
  std::vector<std::string> items;
  std::vector<tern::Flash> messages;
  std::string csrf_token;
};

struct NewItem {
  std::string item;
};

struct Login {
  std::string name;
};

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.use(tern::Sessions<Basket>({.idle = tern::Seconds(3600), .plain_loopback = true}));

  app.get("/", [](tern::Session<Basket> session) {
    return Page{std::string(session.user()), session->items, session.take_flashes(), session.csrf_token()};
  });
  app.post("/items", [](tern::Session<Basket> session, tern::Form<NewItem> form) {
    // Two requests at the same time both add what they bring.
    session.update([](Basket& basket, const std::string& item) { basket.items.push_back(item); }, form->item);
    session.flash("success", form->item + " is in your basket");
    return tern::Response::redirect("/");
  });
  app.post("/login", [](tern::Session<Basket> session, tern::Form<Login> form) {
    session.login(form->name);  // after a password was checked; the basket stays
    return tern::Response::redirect("/");
  });
  app.post("/logout", [](tern::Session<Basket> session) {
    session.destroy();
    return tern::Response::redirect("/");
  });
  return app.run(examples::options(argc, argv));
}
