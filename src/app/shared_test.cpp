// Shared: values behind a mutex, as states.
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

namespace tern {
namespace {

using testing::Client;
using Names = std::map<int, std::string>;

TEST(Shared, is_changed_by_handlers_as_a_state) {
  App app;
  app.state(Shared(Names{{1, "one"}}));
  app.put("/names/{id}", [](State<Shared<Names>> names, int id, Body text) {
    const auto locked = names->lock();
    locked->insert_or_assign(id, std::string(text));
    return locked->size();
  });
  app.get("/names/{id}", [](State<Shared<Names>> names, int id) -> std::optional<std::string> {
    const auto locked = names->lock();
    const auto found = locked->find(id);
    if (found == locked->end()) return std::nullopt;
    return found->second;
  });
  Client client(app);
  EXPECT_EQ(client.get("/names/1").body, "one");
  EXPECT_EQ(client.get("/names/2").status, 404);
  EXPECT_EQ(client.put("/names/2", "two", "text/plain").body, "2");
  EXPECT_EQ(client.get("/names/2").body, "two");
}

TEST(Shared, lets_one_thread_at_a_time_have_its_value) {
  const Shared<int> count;
  const auto add = [&count] {
    for (int i = 0; i < 10'000; ++i) ++*count.lock();
  };
  std::thread other(add);
  add();
  other.join();
  EXPECT_EQ(*count.lock(), 20'000);
}

TEST(Shared, holds_what_cannot_be_copied_or_is_made_in_place) {
  Shared<std::unique_ptr<int>> pointer(std::make_unique<int>(7));
  const Shared<std::unique_ptr<int>> moved(std::move(pointer));
  EXPECT_EQ(**moved.lock(), 7);
  const Shared<std::string> text(std::in_place, 3, 'x');
  EXPECT_EQ(*text.lock(), "xxx");
}

}  // namespace
}  // namespace tern
