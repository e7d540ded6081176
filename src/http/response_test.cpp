#include <tern/http/response.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace tern {
namespace {

TEST(Response, is_an_empty_ok_at_first) {
  const Response response;
  EXPECT_EQ(response.status(), Status::Ok);
  EXPECT_EQ(response.content(), "");
  EXPECT_TRUE(response.fields().empty());
  EXPECT_TRUE(response.literal_type().empty());
  EXPECT_FALSE(response.field("content-type"));
  EXPECT_FALSE(response.closes());
  EXPECT_EQ(Response(Status::NotFound).status(), Status::NotFound);
}

TEST(Response, keeps_the_type_of_its_kind_without_a_field) {
  EXPECT_EQ(Response::text("a").field("Content-Type"), media::text);
  EXPECT_EQ(Response::html("a").field("content-type"), media::html);
  const Response json = Response::json("{}");
  EXPECT_EQ(json.literal_type(), media::json);
  EXPECT_TRUE(json.fields().empty());
  EXPECT_EQ(json.content(), "{}");
}

TEST(Response, has_one_content_type_however_it_is_set) {
  Response response = Response::text("a");
  response.set("CONTENT-TYPE", "text/csv");
  EXPECT_EQ(response.literal_type(), "");
  EXPECT_EQ(response.field("content-type"), "text/csv");
  response.add("Content-Type", "text/css");
  EXPECT_EQ(response.fields().text(), "Content-Type: text/css\r\n");
  response.remove("content-type");
  EXPECT_FALSE(response.field("content-type"));
  response = Response::text("a");
  response.remove("Content-type");
  EXPECT_EQ(response.literal_type(), "");
}

TEST(Response, keeps_its_type_when_the_new_one_is_refused) {
  Response response = Response::text("a");
  EXPECT_THROW(response.set("content-type", "a\r\nb"), std::invalid_argument);
  EXPECT_EQ(response.field("content-type"), media::text);
}

TEST(Response, takes_its_fields_and_its_type_from_another) {
  Response rendered = Response::bytes("text/csv", "a");
  rendered.set("etag", "\"1\"");
  Response response = Response::text("b");
  response.set("x-old", "1");
  response.set_fields(rendered.fields());
  EXPECT_EQ(response.fields().text(), rendered.fields().text());
  EXPECT_EQ(response.field("content-type"), "text/csv");
  response.set_fields({});
  EXPECT_FALSE(response.field("content-type"));
}

TEST(Response, copies_a_type_that_is_no_literal) {
  std::string type = "image/png";
  const Response response = Response::bytes(type, "x");
  type = "overwritten";
  EXPECT_EQ(response.field("content-type"), "image/png");
}

TEST(Response, takes_names_and_values_that_are_views_of_its_own_fields) {
  Response response = Response::bytes("image/png", "x");
  const Field own = *response.fields().begin();
  response.set(own.name, own.value);  // Content-Type, through a view that moves
  EXPECT_EQ(response.fields().text(), "content-type: image/png\r\n");
  response.set("x-type", *response.field("content-type"));
  EXPECT_EQ(response.field("x-type"), "image/png");
  response.remove(response.fields().begin()->name);
  EXPECT_FALSE(response.field("content-type"));
  EXPECT_EQ(response.field("x-type"), "image/png");
  Response literal = Response::text("a");
  literal.set("content-type", *literal.field("content-type"));
  EXPECT_EQ(literal.field("content-type"), media::text);
}

TEST(Response, redirects_with_see_other_unless_told_otherwise) {
  const Response response = Response::redirect("/next");
  EXPECT_EQ(response.status(), Status::SeeOther);
  EXPECT_EQ(response.field("location"), "/next");
  EXPECT_EQ(Response::redirect("/a b/ä?q=\"x\"#f").field("location"), "/a%20b/%C3%A4?q=%22x%22#f");
  EXPECT_EQ(Response::redirect("/", Status::PermanentRedirect).status(), Status::PermanentRedirect);
  EXPECT_THROW(Response::redirect("/", Status::Ok), std::invalid_argument);
  EXPECT_THROW(Response::redirect("/", Status::BadRequest), std::invalid_argument);
  EXPECT_THROW(Response::redirect("/\r\nset-cookie: a=b"), std::invalid_argument);
}

TEST(Response, borrows_a_literal_without_a_copy) {
  static constexpr std::string_view literal = "literal";
  Response response = Response::borrowed(media::text, literal);
  EXPECT_TRUE(response.borrows());
  EXPECT_EQ(response.content().data(), literal.data());
  EXPECT_EQ(response.take_owned(), "");
  const Response moved = std::move(response);
  EXPECT_EQ(moved.content().data(), literal.data());
}

TEST(Response, copies_what_it_borrowed_once_more_is_written) {
  Response response = Response::borrowed(media::html, "<p>");
  response << "text";
  EXPECT_FALSE(response.borrows());
  EXPECT_EQ(response.content(), "<p>text");
  EXPECT_EQ(response.field("content-type"), media::html);
  response = Response::borrowed(media::text, "borrowed");
  response.content("owned");
  EXPECT_EQ(response.content(), "owned");
  response = Response::static_content(media::text, "static_content");
  EXPECT_TRUE(response.is_static());
  response << " no more";
  EXPECT_FALSE(response.is_static());
}

TEST(Response, is_written_to_like_a_stream_and_becomes_text) {
  Response response;
  response << "s=" << std::string("a") << ' ' << 'c' << ' ' << true << ' ' << -5 << ' '
           << std::uint64_t{18446744073709551615U} << ' ' << 0.1;
  EXPECT_EQ(response.content(), "s=a c true -5 18446744073709551615 0.1");
  EXPECT_EQ(response.field("content-type"), media::text);
}

TEST(Response, keeps_the_type_it_has_when_it_is_written_to) {
  Response field;
  field.set("content-type", "text/csv");
  field << "a,b";
  EXPECT_EQ(field.literal_type(), "");
  EXPECT_EQ(field.field("content-type"), "text/csv");
  Response literal = Response::json("[");
  literal << 1 << ']';
  EXPECT_EQ(literal.content(), "[1]");
  EXPECT_EQ(literal.literal_type(), media::json);
}

TEST(Response, takes_its_own_content_as_text) {
  Response response = Response::text(std::string(20, 'x'));
  for (int i = 0; i < 5; ++i) response << response.content();
  EXPECT_EQ(response.content(), std::string(640, 'x'));
}

TEST(Response, gives_its_memory_away) {
  Response response = Response::text(std::string(100, 'x'));
  const char* memory = response.content().data();
  const std::string taken = response.take_owned();
  EXPECT_EQ(taken.data(), memory);
  EXPECT_EQ(response.content(), "");
}

TEST(Response, sets_several_cookies) {
  Response response;
  SetCookie cookie;
  cookie.name = "a";
  response.set_cookie(cookie);
  cookie.name = "b";
  response.set_cookie(cookie);
  EXPECT_EQ(response.fields().text(),
            "set-cookie: a=; Path=/; Secure; HttpOnly; SameSite=Lax\r\n"
            "set-cookie: b=; Path=/; Secure; HttpOnly; SameSite=Lax\r\n");
  cookie.name = "c d";
  EXPECT_THROW(response.set_cookie(cookie), std::invalid_argument);
}

TEST(Response, is_independent_of_its_copy) {
  Response response = Response::text("one");
  response.set("a", "1").close();
  Response copy = response;
  copy << "two";
  copy.set("a", "2");
  EXPECT_EQ(response.content(), "one");
  EXPECT_EQ(response.field("a"), "1");
  EXPECT_EQ(copy.content(), "onetwo");
  EXPECT_TRUE(copy.closes());
}

// A temporary response that is changed and returned is moved: its owned objects cannot be copied.
TEST(Response, is_made_in_one_expression) {
  SetCookie cookie;
  cookie.name = "a";
  Response response = Response::text("one")
                          .after([] {})
                          .status(Status::Created)
                          .set("a", "1")
                          .add("b", "2")
                          .remove("b")
                          .set_cookie(cookie)
                          .content("two")
                          .close()
                      << "three" << 4 << '5' << true << 6.5 << 7.5F << std::string("eight");
  EXPECT_EQ(response.status(), Status::Created);
  EXPECT_EQ(response.content(), "twothree45true6.57.5eight");
  EXPECT_EQ(response.field("a"), "1");
  EXPECT_FALSE(response.field("b"));
  EXPECT_TRUE(response.closes());
  EXPECT_TRUE(response.take_after());
}

TEST(Response, gives_away_its_work_in_the_order_in_which_it_was_added) {
  std::string order;
  Response response;
  EXPECT_FALSE(response.take_after());
  response.after([&order] { order += "a"; }).after([&order, n = 0]() mutable { order += std::to_string(++n); });
  response.after([&order]() -> Task<> {
    order += "b";
    co_return;
  });
  const auto work = response.take_after();
  EXPECT_FALSE(response.take_after());
  for (coro::Work* each = work.get(); each != nullptr; each = each->next.get()) {
    Task<> task = each->run();
    EXPECT_TRUE(task.start(nullptr, nullptr));
  }
  EXPECT_EQ(order, "a1b");
}

TEST(Response, destroys_work_that_is_not_taken) {
  const auto value = std::make_shared<int>();
  {
    Response response = Response::text("x").after([value] {}).after([value] {});
    EXPECT_EQ(value.use_count(), 3);
    Response moved = std::move(response);
    EXPECT_EQ(value.use_count(), 3);
    moved = Response();
    EXPECT_EQ(value.use_count(), 1);
    moved.after([value] {});
  }
  EXPECT_EQ(value.use_count(), 1);
}

TEST(ResponseDeathTest, with_work_is_not_copied) {
  const Response response = Response::text("x").after([] {});
  EXPECT_DEATH(Response{response}, "cannot be copied");
}

static_assert(sizeof(Response) <= 104);

TEST(Status, has_a_reason_for_each_registered_code_and_none_for_others) {
  int named = 0;
  for (int number = 100; number < 600; ++number) {
    if (!reason(static_cast<Status>(number)).empty()) ++named;
  }
  EXPECT_EQ(named, 57);
  EXPECT_EQ(reason(Status::NotFound), "Not Found");
  EXPECT_EQ(reason(static_cast<Status>(299)), "");
  EXPECT_EQ(code(static_cast<Status>(299)), 299);
}

TEST(Status, forbids_content_where_rfc_9110_does) {
  for (int number = 100; number < 600; ++number) {
    const bool forbidden = number < 200 || number == 204 || number == 304;
    EXPECT_EQ(forbids_content(static_cast<Status>(number)), forbidden) << number;
  }
}

}  // namespace
}  // namespace tern
