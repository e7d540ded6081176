// The token against cross-site request forgery in forms, however they arrive, and what their handlers get.
#include "web/form_token.hpp"
#include "app/multipart_testing.hpp"
#include "web/session_testing.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/multipart.hpp>

#include <gtest/gtest.h>

#include <string>

namespace tern::web {
namespace {

using testing::form_type;
using testing::FormText;
using testing::TestResponse;

struct Upload {
  std::string title = {};
  std::optional<UploadedFile> file;
};

class FormToken : public SessionApp {
protected:
  FormToken() {
    names_origin = false;
    app.post("/form", [](Multipart<Upload> form) -> Task<std::string> {
      std::string text = "-";
      if (form->file) text = co_await form->file->text();
      co_return form->title + ":" + text;
    });
    app.post("/parts", [](MultipartStream form) -> Task<std::string> {
      std::string text;
      while (const MultipartPart* part = co_await form.next_part()) {
        text += part->name + "=";
        while (const auto piece = co_await form.next()) text += *piece;
        text += ";";
      }
      co_return text;
    });
    app.post("/stream", [this](BodyStream body) -> Task<std::string> {
      ++begun;
      std::string all;
      while (const auto piece = co_await body.next()) all += *piece;
      co_return all;
    });
    app.post("/bytes", [](Request& request) { return std::string(request.body()); });
    app.post("/ignored", [] { return "done"; });
    session = log_in("anna");
    token = get("/token", session).body;
  }

  TestResponse submit(const std::string& target, const std::string& content) {
    return send(Method::Post, target, session, {{"Content-Type", std::string(form_type)}}, content);
  }
  MemoryExchange exchange(const std::string& target, bool late) {
    return {Method::Post,
            target,
            {{"content-type", std::string(form_type)}, {"cookie", std::string(cookie) + "=" + session}},
            {},
            late};
  }

  testing::TemporaryFolder folder;
  std::string session;
  std::string token;
  int begun = 0;
};

TEST_F(FormToken, is_in_front_of_the_files_of_a_form) {
  const std::string form =
      FormText().field("csrf_token", token).field("title", "t").file("file", "f", "xyz").complete();
  EXPECT_EQ(submit("/form", form).body, "t:xyz");
  EXPECT_EQ(submit("/parts", form).body, "csrf_token=" + token + ";title=t;file=xyz;");
  EXPECT_EQ(submit("/stream", form).body, form);
  EXPECT_EQ(submit("/bytes", form).body, form);
  EXPECT_EQ(submit("/ignored", form).body, "done");
  const std::string later = FormText().field("title", "t").field("csrf_token", token).file("file", "f", "x").complete();
  EXPECT_EQ(submit("/form", later).body, "t:x");
}

TEST_F(FormToken, that_is_wrong_missing_or_behind_a_file_is_refused) {
  const auto status = [this](const FormText& form) { return submit("/form", form.complete()).status; };
  EXPECT_EQ(status(FormText().field("title", "t")), 403);
  EXPECT_EQ(status(FormText().field("csrf_token", "").field("title", "t")), 403);
  EXPECT_EQ(status(FormText().field("csrf_token", token.substr(1))), 403);
  EXPECT_EQ(status(FormText().field("csrf_token", "x").field("csrf_token", token)), 403) << "the first counts";
  EXPECT_EQ(status(FormText().file("file", "f", "x").field("csrf_token", token)), 403);
  EXPECT_EQ(status(FormText().file("csrf_token", "f", token)), 403);
  EXPECT_EQ(status(FormText().field("CSRF_TOKEN", token)), 403);
  EXPECT_EQ(submit("/form", "no form").status, 403);
  EXPECT_EQ(submit("/form", "").status, 403);
  EXPECT_EQ(send(Method::Post, "/form", session, {{"Content-Type", "multipart/form-data"}},
                 FormText().field("csrf_token", token).complete())
                .status,
            403);
  EXPECT_EQ(begun, 0);
}

TEST_F(FormToken, is_found_however_the_form_arrives) {
  client();
  const std::string form = FormText().field("csrf_token", token).file("file", "f", "xyz").complete();
  for (std::size_t cut = 1; cut < form.size(); ++cut) {
    MemoryExchange request = exchange("/stream", true);
    Reply reply = app.service().serve(request);
    ASSERT_FALSE(reply.ready());
    ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
    request.arrive(form.substr(0, cut));
    request.arrive(form.substr(cut));
    request.end();
    EXPECT_EQ(reply.task().result().content(), form) << cut;
  }
}

TEST_F(FormToken, an_upload_is_streamed_behind_it) {
  client();
  MemoryExchange request = exchange("/stream", true);
  Reply reply = app.service().serve(request);
  ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
  EXPECT_EQ(begun, 0);
  request.arrive(FormText().field("csrf_token", token).open());
  EXPECT_EQ(begun, 0) << "the boundary behind the token has not arrived";
  request.arrive("--b\r\nContent-Disposition: form-data; name=file; filename=f\r\n\r\n");
  EXPECT_EQ(begun, 1);
  std::size_t sent = 0;
  for (int i = 0; i < 200; ++i, sent += 10'000) request.arrive(std::string(10'000, 'x'));
  EXPECT_LT(request.request().collected_body().capacity(), 64U * 1024) << "the file is not collected";
  request.arrive("\r\n--b--\r\n");
  request.end();
  EXPECT_GT(reply.task().result().content().size(), sent);
}

TEST_F(FormToken, is_not_searched_for_without_end) {
  client();
  MemoryExchange request = exchange("/stream", true);
  Reply reply = app.service().serve(request);
  ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
  request.arrive("--b\r\nContent-Disposition: form-data; name=title\r\n\r\n");
  for (int i = 0; i < 20; ++i) request.arrive(std::string(1000, 'x'));
  EXPECT_EQ(reply.task().result().status(), Status::Forbidden);
  EXPECT_EQ(begun, 0);
}

TEST_F(FormToken, in_the_field_lets_the_content_alone) {
  client();
  MemoryExchange request(Method::Post, "/stream",
                         {{"content-type", std::string(form_type)},
                          {"cookie", std::string(cookie) + "=" + session},
                          {"x-csrf-token", token}},
                         {}, true);
  Reply reply = app.service().serve(request);
  ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
  EXPECT_EQ(begun, 1) << "before any content";
  request.end();
  EXPECT_EQ(reply.task().result().content(), "");
}

TEST_F(FormToken, of_a_client_that_breaks_off_is_an_error) {
  client();
  MemoryExchange request = exchange("/stream", true);
  Reply reply = app.service().serve(request);
  ASSERT_FALSE(reply.task().start([](void*) {}, nullptr));
  request.arrive("--b\r\nContent-Disposition: form-data; name=csrf_token\r\n\r\n" + token.substr(0, 10));
  request.fail(StreamError::TooSlow);
  EXPECT_EQ(reply.task().result().status(), Status::RequestTimeout);
  EXPECT_EQ(begun, 0);
}

TEST_F(FormToken, in_encoded_content_is_not_seen) {
  const TestResponse response =
      send(Method::Post, "/form", session, {{"Content-Type", std::string(form_type)}, {"Content-Encoding", "gzip"}},
           FormText().field("csrf_token", token).complete());
  EXPECT_EQ(response.status, 403);
}

}  // namespace
}  // namespace tern::web
