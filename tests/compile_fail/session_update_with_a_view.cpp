// expect: tern: an argument of Session::update is a view or pointer
#include <tern/web/session.hpp>

#include <string>
#include <string_view>

struct Visitor {
  std::string name;
};

void rename(tern::Session<Visitor> session, std::string_view name) {
  session.update([](Visitor& visitor, std::string_view given) { visitor.name = given; }, name);
}
