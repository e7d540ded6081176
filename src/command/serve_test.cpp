// tern serve, as a test client sees it.
#include "command/serve.hpp"

#include "base/test_folder.hpp"

#include <tern/testing.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace tern::command {
namespace {

class Serve : public ::testing::Test {
protected:
  Serve() {
    std::ofstream(folder.path / "a.txt") << std::string(2000, 'a');
    std::filesystem::create_directory(folder.path / "app");
    std::ofstream(folder.path / "app/index.html") << "<p>app</p>";
    options.folder = folder.path;
  }

  testing::TestResponse get(std::string target, std::string accepted = "identity") {
    App app;
    add_folder(app, options);
    testing::Client client(app);
    return client.with("accept-encoding", accepted).get(target);
  }

  base::TestFolder folder;
  ServeOptions options;
};

TEST_F(Serve, has_files_listings_and_compression) {
  EXPECT_EQ(get("/app/").body, "<p>app</p>");
  EXPECT_NE(get("/").body.find("a.txt"), std::string::npos);
  EXPECT_EQ(get("/a.txt", "gzip").field("content-encoding"), "gzip");
  EXPECT_EQ(get("/none").status, 404);
}

TEST_F(Serve, has_a_page_for_single_page_apps) {
  options.fallback = "app/index.html";
  EXPECT_EQ(get("/orders/7").body, "<p>app</p>");
  EXPECT_EQ(get("/missing.js").status, 404);
}

TEST_F(Serve, can_be_without_listing_and_compression) {
  options.listing = options.compress = false;
  EXPECT_EQ(get("/").status, 404);
  EXPECT_EQ(get("/a.txt", "gzip").field("content-encoding"), "");
}

}  // namespace
}  // namespace tern::command
