// Forms with files: what arrives, what is refused, and that nothing is left of it however it ends.
#include "app/multipart_testing.hpp"
#include "server/app_test.hpp"
#include "transports/transport_test.hpp"

#include <tern/multipart.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

struct Parcel {
  std::string name;
  std::vector<UploadedFile> file;
};

class Forms : public TransportTest {
protected:
  Forms() {
    app.post("/form", [](const Multipart<Parcel>& parcel) {
      std::string text = parcel->name;
      for (const UploadedFile& file : parcel->file) text += " " + file.file_name() + ":" + std::to_string(file.size());
      return text;
    });
    app.post("/text", [](Multipart<Parcel> parcel) -> Task<std::string> {
      std::string text;
      for (const UploadedFile& file : parcel->file) text += co_await file.text(64 * 1024 * 1024);
      co_return text;
    });
  }
  // The server may be about to close them on its pool.
  bool all_closed() {
    return all_ended() && running().eventually([this] { return folder.open_files() == 0; });
  }
  static FieldPairs fields(std::size_t size = 0) {
    FieldPairs all = {{"content-type", "multipart/form-data; boundary=b"}};
    if (size != 0) all.emplace_back("content-length", std::to_string(size));
    return all;
  }
  static void post(Caller& caller, std::string_view path, std::string_view form) { caller.post(path, form, fields()); }

  const std::string small = FormText().field("name", "x").file("file", "f", "content").complete();
  const std::string large = FormText().field("name", "x").file("file", "f", pattern(200'000)).complete();
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Over, Forms, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Forms, arrive_whole_whatever_their_size) {
  Caller caller = this->caller();
  for (const std::size_t size : {0UL, 1UL, 65'535UL, 65'536UL, 65'537UL, 200'000UL, 3'000'000UL}) {
    post(caller, "/text", FormText().field("name", "x").file("file", "f", pattern(size)).complete());
    EXPECT_TRUE(caller.answer().content == pattern(size)) << size;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, arrive_byte_by_byte) {
  Caller caller = this->caller();
  caller.begin("/form", {}, fields());
  for (const char c : small) caller.send({&c, 1});
  caller.end();
  EXPECT_EQ(caller.answer().content, "x f:7");
}

TEST_P(Forms, are_held_to_the_limit_for_whole_contents_and_that_of_the_route) {
  settings.limits.body = 100'000;
  app.post("/large", [](Multipart<Parcel> parcel) { return parcel->file.size(); }).limits({.body = 300'000});
  Caller first = caller();
  first.begin("/form", {}, fields(large.size()));
  EXPECT_EQ(first.answer().status, 413);
  Caller second = caller();
  post(second, "/large", large);
  EXPECT_EQ(second.answer().content, "1");
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, that_end_before_they_are_complete_are_refused) {
  for (const std::size_t length : {0UL, 3UL, 40UL, 90'000UL, large.size() - 5}) {
    Caller caller = this->caller();  // shorter than its boundary says
    post(caller, "/form", large.substr(0, length));
    EXPECT_EQ(caller.answer().status, 400) << length;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, whose_client_stops_sending_are_given_up) {
  settings.grace = Milliseconds(30);
  for (const std::size_t length : {0UL, 100UL, 150'000UL}) {
    Caller caller = this->caller();
    caller.begin("/form", large.substr(0, length), fields(large.size()));
    EXPECT_EQ(caller.answer().status, 408) << length;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, whose_client_goes_leave_nothing) {
  for (const Going how : {Going::Cancel, Going::Reset}) {
    for (std::size_t length = 0; length < large.size(); length += 1 + large.size() / 10) {
      Caller caller = this->caller();
      caller.begin("/form", large.substr(0, length), fields(large.size()));
      ASSERT_TRUE(in_use(1)) << length;
      go(caller, how);
      ASSERT_TRUE(all_closed()) << length;
      EXPECT_EQ(folder.names(), 0U);
    }
  }
  EXPECT_EQ(running().worker().shared().memory.used(), 0U);
}

TEST_P(Forms, whose_client_does_not_wait_for_the_answer_leave_nothing) {
  for (int i = 0; i < 10; ++i) {
    Caller caller = this->caller();
    post(caller, "/text", large);
    go(caller, i % 2 == 0 ? Going::Cancel : Going::Reset);
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, a_handler_that_does_not_ask_for_more_holds_the_client_up) {
  app.post("/stream", [this](MultipartStream form) -> Task<std::string> {
    std::size_t total = 0;
    static_cast<void>(co_await form.next_part());
    static_cast<void>(co_await form.next());
    co_await gate.pass();
    while (const auto piece = co_await form.next()) total += piece->size();
    static_cast<void>(co_await form.next_part());
    co_return total > 1'000'000 ? "all" : "too little";
  });
  Caller caller = this->caller();
  post(caller, "/stream", FormText().file("file", "f", pattern(12'000'000)).complete());
  ASSERT_TRUE(gate.await());
  settle();
  const auto receives = running().counters().receives.value();
  settle();
  EXPECT_LE(running().counters().receives.value(), receives + 2);
  gate.open();
  EXPECT_EQ(caller.answer().content, "all");
}

TEST_P(Forms, a_full_pool_is_a_503) {
  settings.pool_threads = 1;
  settings.pool_queue = 1;
  Holder holder;
  app.get("/busy", holder.handler());
  Caller first = caller();
  first.get("/busy");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  Caller second = caller();
  second.get("/busy");
  ASSERT_TRUE(in_use(2));
  Caller third = caller();
  post(third, "/form", small);
  EXPECT_EQ(third.answer().status, 503);
  EXPECT_EQ(third.so_far().field("retry-after"), "1");
  holder.let_go();
  EXPECT_EQ(first.answer().status, 200);
  EXPECT_EQ(second.answer().status, 200);
  post(third, "/form", small);
  EXPECT_EQ(third.answer().content, "x f:7");
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, files_are_saved_from_blocking_handlers_and_coroutines) {
  std::thread::id loop;
  std::atomic<bool> elsewhere = false;
  app.post("/save", blocking([&](Multipart<Parcel> parcel) {
             elsewhere = std::this_thread::get_id() != loop;
             return parcel->file.at(0).save_as_now(folder.path() + "/" + parcel->name);
           }));
  app.post("/move", [this](Multipart<Parcel> parcel) -> Task<bool> {
    co_return co_await parcel->file.at(0).save_as(folder.path() + "/" + parcel->name);
  });
  loop = running().on_loop([] { return std::this_thread::get_id(); });
  Caller caller = this->caller();
  post(caller, "/save", small);
  EXPECT_EQ(caller.answer().content, "true");
  EXPECT_TRUE(elsewhere);
  post(caller, "/move", FormText().field("name", "two").file("file", "f", "content").complete());
  EXPECT_EQ(caller.answer().content, "true");
  post(caller, "/move", small);
  EXPECT_EQ(caller.answer().content, "false") << "the name is taken";
  EXPECT_TRUE(all_closed());
  EXPECT_EQ(folder.names(), 2U);
}

}  // namespace
}  // namespace tern::testing
