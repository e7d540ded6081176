// App::templates() and render(): templates of a folder, as pages of an app.
#include "web/file_testing.hpp"

#include <embedded/sample.hpp>

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::HasSubstr;

struct Home {
  std::string title;
  std::vector<std::string> items = {};
};

class TemplatesTest : public FolderTest {
protected:
  std::string mistake(const TemplateOptions& options = {}) {
    App other;
    other.templates(folder.string(), options);
    try {
      other.service();
    } catch (const SetupError& error) {
      return error.what();
    }
    return "no mistake";
  }

  App app;
};

TEST_F(TemplatesTest, make_pages) {
  write("layout.mustache", "<!doctype html><title>{{$title}}Site{{/title}}</title>{{$main}}{{/main}}");
  write("home.mustache",
        "{{<layout}}{{$title}}{{title}}{{/title}}{{$main}}{{#items}}{{>parts/item}}{{/items}}{{/main}}{{/layout}}");
  write("parts/item.mustache", "<li>{{.}}</li>");
  app.templates(folder.string());
  app.get("/", [] { return render("home.mustache", Home{"A & B", {"<1>", "2"}}); });
  app.get("/short", [](Request& request) { return render(request, "home", Home{"T"}).status(Status::Accepted); });
  app.get("/text", [](State<Templates> pages) { return pages->render("parts/item", std::string("x")); });
  Client client(app);
  const TestResponse home = client.get("/");
  EXPECT_EQ(home.status, 200);
  EXPECT_EQ(home.field("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(home.body, "<!doctype html><title>A &amp; B</title><li>&lt;1&gt;</li><li>2</li>");
  EXPECT_EQ(client.get("/short").status, 202);
  EXPECT_EQ(client.get("/short").body, "<!doctype html><title>T</title>");
  EXPECT_EQ(client.get("/text").body, "<li>x</li>");
}

TEST_F(TemplatesTest, large_pages_are_streamed) {
  write("home.mustache", "{{title}}{{#items}}{{.}}\n{{/items}}end");
  app.templates(folder.string());
  bool is_streamed = false;
  app.get("/", [&is_streamed](Request& request) {
    const std::vector<std::string> lines(50'000, "a line of text");
    Response response = Respond<Rendered<Home>>::to(render("home", Home{"T", lines}), request);
    is_streamed = response.producer() != nullptr;
    return response;
  });
  Client client(app);
  const TestResponse response = client.get("/");
  EXPECT_EQ(response.status, 200);
  EXPECT_TRUE(is_streamed);
  EXPECT_EQ(response.body.size(), 1 + 50'000 * 15 + 3);
  EXPECT_TRUE(response.body.ends_with("text\nend"));
}

TEST_F(TemplatesTest, mistakes_prevent_the_start) {
  EXPECT_EQ(mistake(), "no mistake");
  write("bad.mustache", "\n{{#open}}");
  EXPECT_THAT(mistake(), HasSubstr("bad.mustache:2: 'open' is opened and never closed"));
  EXPECT_EQ(mistake({.extension = ".html"}), "no mistake");
  App other;
  other.templates("/nonexistent");
  EXPECT_THROW(other.service(), SetupError);
}

TEST_F(TemplatesTest, an_unknown_template_and_an_unknown_name_are_500) {
  write("home.mustache", "{{titel}}");
  app.templates(folder.string());
  app.get("/name", [] { return render("home", Home{}); });
  app.get("/template", [] { return render("none", Home{}); });
  Client client(app);
  EXPECT_EQ(client.get("/name").status, 500);
  EXPECT_EQ(client.get("/template").status, 500);
  EXPECT_THAT(client.get("/name").body, ::testing::Not(HasSubstr("titel")));
}

TEST_F(TemplatesTest, are_reloaded_in_development) {
  write("home.mustache", "old", 1'700'000'000);
  app.templates(folder.string(), {.reload = true});
  app.get("/", [] { return render("home", Home{}); });
  Client client(app);
  EXPECT_EQ(client.get("/").body, "old");
  write("home.mustache", "new", 1'700'000'001);
  EXPECT_EQ(client.get("/").body, "new");
  write("home.mustache", "{{#wrong}}", 1'700'000'002);
  const TestResponse wrong = client.get("/");
  EXPECT_EQ(wrong.status, 500);
  EXPECT_THAT(wrong.body, HasSubstr("home.mustache:1: 'wrong' is opened and never closed"));
  write("home.mustache", "mended", 1'700'000'003);
  EXPECT_EQ(client.get("/").body, "mended");
}

TEST_F(TemplatesTest, link_assets_by_their_hash) {
  write("home.mustache", R"(<link href="{{asset "/assets/css/style.css"}}">)");
  app.templates(folder.string(), {.assets = {{"/assets", &embedded::sample}}});
  app.files("/assets", embedded::sample);
  app.get("/", [] { return render("home", Home{}); });
  Client client(app);
  const std::string page = client.get("/").body;
  const std::string url = "/assets/" + std::string(embedded::sample.hashed_path("css/style.css"));
  EXPECT_EQ(page, "<link href=\"" + url + "\">");
  EXPECT_EQ(client.get(url).status, 200);
  EXPECT_THAT(mistake({.assets = {{"/static", &embedded::sample}}}), HasSubstr("home.mustache:1: there is no asset"));
}

TEST_F(TemplatesTest, can_be_embedded) {
  app.templates(embedded::sample, {.extension = ".html"});
  app.get("/", [] { return render("docs/index", Home{}); });
  Client client(app);
  EXPECT_THAT(client.get("/").body, HasSubstr("Sample documents"));
}

TEST_F(TemplatesTest, a_page_without_templates_is_a_mistake_of_the_start) {
  app.get("/", [] { return render("home", Home{}); });
  try {
    static_cast<void>(app.service());
    FAIL() << "it started";
  } catch (const SetupError& error) {
    EXPECT_THAT(error.what(), HasSubstr("GET '/' takes tern::Templates, but no such state was given: call "
                                        "app.templates(…) before the start"));
  }
}

}  // namespace
}  // namespace tern::testing
