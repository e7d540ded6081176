// expect: tern: the function of Session::update captures nothing
#include <tern/web/session.hpp>

struct Visitor {
  int visits = 0;
};

void visit(tern::Session<Visitor> session, int more) {
  session.update([&more](Visitor& visitor) { visitor.visits += more; });
}
