// FormResult: what was entered, and the errors, of forms that are valid or not.
#include <tern/rules.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace form_result_test {

struct Coupon {
  std::string code;
};

}  // namespace form_result_test

template <>
struct tern::Rules<form_result_test::Coupon> {
  static constexpr auto list = tern::rules(tern::member<&form_result_test::Coupon::code>(tern::pattern("[")));
};

namespace tern::testing {
namespace {

using form_result_test::Coupon;

struct Order {
  std::string name;
  int count;
  std::vector<int> sizes;
  std::string note = "none";
};

class FormResultTest : public ::testing::Test {
protected:
  FormResultTest() {
    app.post("/orders", [this](FormResult<Order> form) {
      seen = form.fields();
      others = form.other_errors().size();
      return std::string(form ? form->name + " " + std::to_string(form->count) : "invalid");
    });
  }
  TestResponse post(std::string content, std::string type = "application/x-www-form-urlencoded") {
    return Client(app).send({Method::Post, "/orders", {{"content-type", std::move(type)}}, std::move(content)});
  }

  App app;
  FormFields seen;
  std::size_t others = 0;
};

TEST_F(FormResultTest, of_a_valid_form_has_its_value) {
  EXPECT_EQ(post("name=A%26B&count=3&sizes=1&sizes=2").body, "A&B 3");
  EXPECT_EQ(seen["name"].value, "A&B");
  EXPECT_EQ(seen["count"].value, "3");
  EXPECT_EQ(seen["sizes"].values, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(seen["note"].value, "");
  EXPECT_EQ(seen["name"].error, "");
}

TEST_F(FormResultTest, of_an_invalid_form_has_what_was_entered_and_an_error_for_each_field) {
  const TestResponse response = post("name=%3Cb%3E&count=many");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "invalid");
  EXPECT_EQ(seen["name"].value, "<b>");
  EXPECT_EQ(seen["name"].error, "");
  EXPECT_EQ(seen["count"].value, "many");
  EXPECT_NE(seen["count"].error, "");
  EXPECT_EQ(others, 0U);
}

TEST_F(FormResultTest, has_the_messages_that_an_app_replaces) {
  app.on_violation([](const ProblemItem& violation, const Request& request) -> std::string {
    EXPECT_EQ(request.path(), "/orders");
    return violation.code == "missing" ? "fehlt" : "";
  });
  post("count=many");
  EXPECT_EQ(seen["name"].error, "fehlt");
  EXPECT_EQ(seen["count"].error, "expected an integer in range");
}

TEST_F(FormResultTest, is_documented_as_a_form) {
  const std::string document = app.openapi_document();
  EXPECT_NE(document.find("application/x-www-form-urlencoded"), std::string::npos) << document;
}

TEST_F(FormResultTest, with_a_malformed_pattern_fails_the_start) {
  app.post("/coupons", [](FormResult<Coupon>) { return "x"; });
  EXPECT_THROW(Client{app}, SetupError);
}

TEST_F(FormResultTest, of_an_empty_form_has_every_field) {
  EXPECT_EQ(post("").body, "invalid");
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_EQ(seen["name"].error, "missing");
  EXPECT_EQ(seen["note"].error, "");
}

TEST_F(FormResultTest, refuses_other_content_as_a_form_does) {
  EXPECT_EQ(post("{}", "application/json").status, 415);
}

TEST_F(FormResultTest, an_empty_form_has_the_names_of_the_members) {
  const FormFields fields = empty_form<Order>();
  EXPECT_EQ(fields.size(), 4U);
  EXPECT_TRUE(fields.contains("sizes"));
}

}  // namespace
}  // namespace tern::testing
