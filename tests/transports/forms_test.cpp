// Forms with files: accepted and rejected ones, and that no temporary file is left.
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

struct FormUpload {
  std::string name;
  std::vector<UploadedFile> file;
};

class Forms : public TransportTest {
protected:
  Forms() {
    app.post("/form", [](const Multipart<FormUpload>& parcel) {
      std::string text = parcel->name;
      for (const UploadedFile& file : parcel->file) text += " " + file.file_name() + ":" + std::to_string(file.size());
      return text;
    });
    app.post("/text", [](Multipart<FormUpload> parcel) -> Task<std::string> {
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
  static void post(TransportClient& client, std::string_view path, std::string_view form) {
    client.post(path, form, fields());
  }

  const std::string small = FormText().field("name", "x").file("file", "f", "content").complete();
  const std::string large = FormText().field("name", "x").file("file", "f", pattern(200'000)).complete();
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Over, Forms, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Forms, arrive_whole_whatever_their_size) {
  TransportClient client = make_client();
  for (const std::size_t size : {0UL, 1UL, 65'535UL, 65'536UL, 65'537UL, 200'000UL, 3'000'000UL}) {
    post(client, "/text", FormText().field("name", "x").file("file", "f", pattern(size)).complete());
    EXPECT_TRUE(client.answer().content == pattern(size)) << size;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, arrive_byte_by_byte) {
  TransportClient client = make_client();
  client.begin("/form", {}, fields());
  for (const char c : small) client.send({&c, 1});
  client.end();
  EXPECT_EQ(client.answer().content, "x f:7");
}

TEST_P(Forms, are_held_to_the_limit_for_whole_contents_and_that_of_the_route) {
  settings.limits.max_body_bytes = 100'000;
  app.post("/large", [](Multipart<FormUpload> parcel) { return parcel->file.size(); })
      .limits({.max_body_bytes = 300'000});
  TransportClient first = make_client();
  first.begin("/form", {}, fields(large.size()));
  EXPECT_EQ(first.answer().status, 413);
  TransportClient second = make_client();
  post(second, "/large", large);
  EXPECT_EQ(second.answer().content, "1");
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, that_end_before_they_are_complete_are_refused) {
  for (const std::size_t length : {0UL, 3UL, 40UL, 90'000UL, large.size() - 5}) {
    TransportClient client = make_client();  // shorter than its boundary says
    post(client, "/form", large.substr(0, length));
    EXPECT_EQ(client.answer().status, 400) << length;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, whose_client_stops_sending_are_given_up) {
  settings.grace = Milliseconds(30);
  for (const std::size_t length : {0UL, 100UL, 150'000UL}) {
    TransportClient client = make_client();
    client.begin("/form", large.substr(0, length), fields(large.size()));
    EXPECT_EQ(client.answer().status, 408) << length;
  }
  EXPECT_TRUE(all_closed());
}

TEST_P(Forms, whose_client_goes_leave_nothing) {
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    for (std::size_t length = 0; length < large.size(); length += 1 + large.size() / 10) {
      TransportClient client = make_client();
      client.begin("/form", large.substr(0, length), fields(large.size()));
      ASSERT_TRUE(in_use(1)) << length;
      go(client, how);
      ASSERT_TRUE(all_closed()) << length;
      EXPECT_EQ(folder.names(), 0U);
    }
  }
  EXPECT_EQ(running().worker().context().shared().memory.used(), 0U);
}

TEST_P(Forms, whose_client_does_not_wait_for_the_answer_leave_nothing) {
  for (int i = 0; i < 10; ++i) {
    TransportClient client = make_client();
    post(client, "/text", large);
    go(client, i % 2 == 0 ? Disconnection::Cancel : Disconnection::Reset);
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
  TransportClient client = make_client();
  post(client, "/stream", FormText().file("file", "f", pattern(12'000'000)).complete());
  ASSERT_TRUE(gate.await());
  settle();
  const auto receives = running().counters().receives.value();
  settle();
  EXPECT_LE(running().counters().receives.value(), receives + 2);
  gate.open();
  EXPECT_EQ(client.answer().content, "all");
}

TEST_P(Forms, a_full_pool_is_a_503) {
  settings.pool_threads = 1;
  settings.pool_queue = 1;
  Holder holder;
  app.get("/busy", holder.handler());
  TransportClient first = make_client();
  first.get("/busy");
  ASSERT_TRUE(running().eventually([&] { return holder.begun() == 1; }));
  TransportClient second = make_client();
  second.get("/busy");
  ASSERT_TRUE(in_use(2));
  TransportClient third = make_client();
  post(third, "/form", small);
  EXPECT_EQ(third.answer().status, 503);
  EXPECT_EQ(third.response_so_far().field("retry-after"), "1");
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
  app.post("/save", blocking([&](Multipart<FormUpload> parcel) {
             elsewhere = std::this_thread::get_id() != loop;
             return parcel->file.at(0).save_as_now(folder.path() + "/" + parcel->name);
           }));
  app.post("/move", [this](Multipart<FormUpload> parcel) -> Task<bool> {
    co_return co_await parcel->file.at(0).save_as(folder.path() + "/" + parcel->name);
  });
  loop = running().on_loop([] { return std::this_thread::get_id(); });
  TransportClient client = make_client();
  post(client, "/save", small);
  EXPECT_EQ(client.answer().content, "true");
  EXPECT_TRUE(elsewhere);
  post(client, "/move", FormText().field("name", "two").file("file", "f", "content").complete());
  EXPECT_EQ(client.answer().content, "true");
  post(client, "/move", small);
  EXPECT_EQ(client.answer().content, "false") << "the name is taken";
  EXPECT_TRUE(all_closed());
  EXPECT_EQ(folder.names(), 2U);
}

}  // namespace
}  // namespace tern::testing
