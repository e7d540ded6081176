// Multipart<T>: forms with files as structs, in process.
#include "app/multipart_testing.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/multipart.hpp>
#include <tern/tern.hpp>
#include <tern/testing.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sys/resource.h>
#include <csignal>
#include <string>
#include <vector>

// Only AddressSanitizer has it.
extern "C" [[gnu::weak]] void __asan_init();

namespace tern {
namespace {

using testing::Client;
using testing::form_type;
using testing::FormText;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::TestResponse;
using namespace std::string_literals;

enum class Size { small, large };

struct Order {
  std::string name;
  int count = 1;
  std::optional<Size> size;
  std::vector<std::string> tag;
  std::string_view note = "none";
};
struct Album {
  std::string title;
  UploadedFile cover;
  std::optional<UploadedFile> booklet;
  std::vector<UploadedFile> track;
};
struct Narrow {
  static constexpr FormLimits form_limits = {.files = 2, .file_bytes = 10, .text_bytes = 20, .parts = {.parts = 4}};
  std::vector<std::string> text;
  std::vector<UploadedFile> file;
};

std::string describe(const UploadedFile& file) {
  return file.file_name() + "(" + file.content_type() + " " + std::to_string(file.size()) + ":" + file.text_now() + ")";
}

class MultipartForm : public ::testing::Test {
protected:
  MultipartForm() {
    app.post("/order", [](Multipart<Order> order) {
      std::string text = order->name + "|" + std::to_string(order->count) + "|" + std::string(order->note);
      if (order->size) text += *order->size == Size::large ? "|large" : "|small";
      for (const std::string& tag : order->tag) text += "|" + tag;
      return text;
    });
    app.post("/album", [](const Multipart<Album>& album) {
      std::string text = album->title + " " + describe(album->cover);
      if (album->booklet) text += " " + describe(*album->booklet);
      for (const UploadedFile& track : album->track) text += " " + describe(track);
      return text;
    });
    app.post("/narrow", [](Multipart<Narrow> form) { return form->text.size() * 10 + form->file.size(); });
    app.post("/maybe", [](std::optional<Multipart<Order>> order) { return order ? (*order)->name : "none"s; });
  }
  TestResponse post(std::string_view path, const std::string& content, std::string_view type = form_type) {
    return client().post(path, content, type);
  }
  Client& client() {
    if (!client_) client_.emplace(app);
    return *client_;
  }

  testing::TemporaryFolder folder;
  App app;

private:
  std::optional<Client> client_;
};

TEST_F(MultipartForm, members_are_bound_as_those_of_any_form) {
  EXPECT_EQ(post("/order", FormText().field("name", "tea").complete()).body, "tea|1|none");
  EXPECT_EQ(post("/order", FormText()
                               .field("tag", "green")
                               .field("name", "tea")
                               .field("count", "3")
                               .field("note", "a\r\nb")
                               .field("size", "large")
                               .field("unknown", "x")
                               .field("tag", "")
                               .complete())
                .body,
            "tea|3|a\r\nb|large|green|");
}

TEST_F(MultipartForm, every_bad_member_is_named) {
  const TestResponse answer = post("/order", FormText()
                                                 .field("count", "many")
                                                 .field("size", "huge")
                                                 .field("note", "once")
                                                 .field("note", "twice")
                                                 .file("tag", "a.txt", "x")
                                                 .complete());
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"missing","pointer":"name")"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"expected an integer in range","pointer":"count")"));
  EXPECT_THAT(answer.body, HasSubstr(R"("pointer":"size")"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"given more than once","pointer":"note")"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"expected text, not a file","pointer":"tag")"));
}

TEST_F(MultipartForm, files_are_there_with_what_the_client_said_of_them) {
  EXPECT_EQ(post("/album", FormText()
                               .field("title", "Songs")
                               .file("track", "1.ogg", "first", "audio/ogg")
                               .file("cover", "me.png", "\x89PNG"s, "image/png")
                               .file("track", "2.ogg", "")
                               .complete())
                .body,
            "Songs me.png(image/png 4:\x89PNG) 1.ogg(audio/ogg 5:first) 2.ogg(application/octet-stream 0:)");
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(MultipartForm, of_files_every_bad_one_is_named) {
  const TestResponse answer = post("/album", FormText()
                                                 .field("title", "Songs")
                                                 .file("booklet", "a", "1")
                                                 .file("booklet", "b", "2")
                                                 .field("track", "no file")
                                                 .complete());
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"missing","pointer":"cover")"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"given more than once","pointer":"booklet")"));
  EXPECT_THAT(answer.body, HasSubstr(R"({"detail":"expected a file","pointer":"track")"));
  EXPECT_THAT(answer.body, Not(HasSubstr(R"("pointer":"title")")));
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(MultipartForm, a_file_input_that_was_left_empty_is_missing) {
  const auto album = [](const FormText& cover) {
    return FormText(cover).field("title", "t").file("booklet", "", "").file("track", "", "").complete();
  };
  EXPECT_EQ(post("/album", album(FormText().file("cover", "c", ""))).body, "t c(application/octet-stream 0:)");
  const TestResponse answer = post("/album", album(FormText().file("cover", "", "")));
  EXPECT_EQ(answer.status, 422);
  EXPECT_THAT(answer.body, HasSubstr(R"([{"detail":"missing","pointer":"cover","in":"form","code":"missing"}])"));
  EXPECT_EQ(post("/album", album(FormText().file("cover", "", "content"))).body,
            "t (application/octet-stream 7:content)")
      << "content without a name is a file";
  EXPECT_EQ(post("/album", album(FormText().file("cover", "c", "1").file("cover", "", ""))).status, 200)
      << "an empty input beside a file is no second one";
}

TEST_F(MultipartForm, a_file_name_is_never_a_path) {
  const auto name = [this](std::string_view sent) {
    const TestResponse answer = post("/album", FormText().field("title", "").file("cover", sent, "x").complete());
    return answer.status == 200 ? answer.body.substr(1, answer.body.find('(') - 1) : std::to_string(answer.status);
  };
  EXPECT_EQ(name("../../etc/passwd"), "passwd");
  EXPECT_EQ(name("C:\\Users\\me\\a.txt"), "a.txt");
  EXPECT_EQ(name("/"), "");
  EXPECT_EQ(name(".."), "");
  EXPECT_EQ(name("a\\\"b%22c"), "a\"b\"c");
  EXPECT_EQ(name("a\0b"s), "400");
  EXPECT_EQ(name("a%0Ab"), "400");
}

TEST_F(MultipartForm, may_be_optional_but_not_wrong) {
  EXPECT_EQ(client().send({Method::Post, "/maybe"}).body, "none");
  EXPECT_EQ(post("/maybe", FormText().field("name", "tea").complete()).body, "tea");
  EXPECT_EQ(post("/maybe", FormText().complete()).status, 422);
  EXPECT_EQ(post("/maybe", "x", "text/plain").status, 415);
}

TEST_F(MultipartForm, is_refused_when_it_is_something_else_or_malformed) {
  EXPECT_EQ(post("/order", "name=tea", "application/x-www-form-urlencoded").status, 415);
  EXPECT_EQ(client().send({Method::Post, "/order"}).status, 415);
  for (const char* type : {"text/plain", ""}) {
    EXPECT_EQ(post("/order", "name=tea", type).field("accept"), "multipart/form-data");
  }
  EXPECT_EQ(post("/order", "x", "multipart/form-data").status, 400);
  EXPECT_EQ(post("/order", "x", "multipart/form-data; boundary=" + std::string(71, 'b')).status, 400);
  EXPECT_EQ(post("/order", FormText().field("name", "tea").open()).status, 400) << "the last boundary is missing";
  EXPECT_EQ(post("/order", "").status, 400);
  EXPECT_EQ(post("/album", FormText().file("cover", "c", std::string(100'000, 'x')).open()).status, 400);
  EXPECT_EQ(folder.open_files(), 0U);
  EXPECT_TRUE(client().reports().empty());
}

TEST_F(MultipartForm, is_held_to_the_limits_of_its_struct) {
  const auto texts = [this](std::size_t count, std::size_t size) {
    FormText form;
    for (std::size_t i = 0; i < count; ++i) form.field("text", std::string(size, 'x'));
    return post("/narrow", form.complete());
  };
  EXPECT_EQ(texts(2, 6).body, "20");  // with their names: 20 bytes
  EXPECT_EQ(texts(2, 7).status, 413);
  EXPECT_EQ(texts(1, 17).status, 413);
  EXPECT_EQ(texts(4, 1).body, "40");
  EXPECT_EQ(texts(5, 1).status, 413) << "the parts";
  const auto files = [this](std::size_t count, std::size_t size) {
    FormText form;
    for (std::size_t i = 0; i < count; ++i) form.file("file", "f", std::string(size, 'x'));
    return post("/narrow", form.file("file", "", "").complete());
  };
  EXPECT_EQ(files(2, 10).body, "2");
  EXPECT_EQ(files(1, 11).status, 413);
  EXPECT_EQ(files(3, 1).status, 413);
  EXPECT_EQ(post("/narrow", FormText().file("unknown", "f", std::string(100, 'x')).complete()).body, "0")
      << "what is not kept is not counted";
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(MultipartForm, text_counts_against_what_all_contents_may_hold) {
  MemoryExchange exchange(Method::Post, "/order", {{"content-type", std::string(form_type)}},
                          FormText().field("name", std::string(1000, 'x')).complete());
  exchange.set_budget(1000);
  Reply reply = app.service().serve(exchange);
  ASSERT_TRUE(reply.task().start([](void*) {}, nullptr));
  EXPECT_EQ(reply.task().result().status(), Status::ServiceUnavailable);
  MemoryExchange other(Method::Post, "/narrow", {{"content-type", std::string(form_type)}},
                       FormText().file("file", "f", "x").complete());
  other.set_budget(1000);
  Reply refused = app.service().serve(other);
  ASSERT_TRUE(refused.task().start([](void*) {}, nullptr));
  EXPECT_EQ(refused.task().result().status(), Status::ServiceUnavailable) << "so does the buffer of a file";
}

TEST_F(MultipartForm, a_full_disk_is_a_507_with_details_in_the_log_only) {
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{.rlim_cur = 1000, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const TestResponse answer = post("/album", FormText().file("cover", "c", std::string(2000, 'x')).complete());
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(answer.status, 507);
  EXPECT_THAT(answer.body, Not(HasSubstr("arge")));
  ASSERT_EQ(client().reports().size(), 1U);
  EXPECT_THAT(client().reports()[0], HasSubstr("POST /album: storing an uploaded file: File too large"));
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(MultipartForm, without_descriptors_is_a_503) {
  if (&__asan_init != nullptr) GTEST_SKIP() << "the sanitizer's checks need descriptors themselves";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 3, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const TestResponse answer = post("/album", FormText().file("cover", "c", "x").complete());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.field("retry-after"), "1");
  ASSERT_EQ(client().reports().size(), 1U);
}

TEST_F(MultipartForm, a_folder_that_is_not_there_is_a_500_that_says_nothing) {
  ::setenv("TMPDIR", "/nonexistent-folder", 1);
  const TestResponse answer = post("/album", FormText().file("cover", "c", "x").complete());
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, Not(HasSubstr("o such file")));
  ASSERT_EQ(client().reports().size(), 1U);
  EXPECT_THAT(client().reports()[0], HasSubstr("No such file"));
}

TEST_F(MultipartForm, goes_to_blocking_handlers_and_coroutines) {
  app.post("/blocking", blocking([](Multipart<Album> album) { return describe(album->cover); }));
  app.post("/task", [](Multipart<Album> album) -> Task<std::string> { co_return co_await album->cover.text(); });
  app.post("/moved", [](Multipart<Album> album) -> Task<std::string> {
    const UploadedFile cover = std::move(album->cover);
    co_return co_await cover.text();
  });
  const std::string content = FormText().field("title", "t").file("cover", "c", "x").complete();
  EXPECT_EQ(post("/blocking", content).body, "c(application/octet-stream 1:x)");
  EXPECT_EQ(post("/task", content).body, "x");
  EXPECT_EQ(post("/moved", content).body, "x");
  EXPECT_EQ(folder.open_files(), 0U);
}

}  // namespace
}  // namespace tern
