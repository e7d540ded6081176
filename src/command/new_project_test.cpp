// New projects: their files, and what is refused. tests/first_run/packages builds and tests each template.
#include "command/new_project.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace tern::command {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// "rest", or "rest sqlite".
class NewProject : public ::testing::TestWithParam<std::string> {
protected:
  std::vector<std::string> write(const std::filesystem::path& project, std::string_view name) {
    const std::string& kind = GetParam();
    const std::size_t space = kind.find(' ');
    return write_project(project, name, kind.substr(0, space),
                         space == std::string::npos ? "" : kind.substr(space + 1));
  }

  base::TestFolder folder;
};

TEST_P(NewProject, has_sources_tests_packaging_and_ci_and_no_placeholder) {
  const std::filesystem::path project = folder.path / "my-shop";
  const std::vector<std::string> files = write(project, "my-shop");
  for (const char* expected : {"CMakeLists.txt", "src/app.cpp", "src/app.hpp", "src/main.cpp", "tests/app_test.cpp",
                               "README.md", "Dockerfile", "packaging/my-shop.service", "packaging/my-shop.socket",
                               ".github/workflows/ci.yml", ".gitlab-ci.yml", ".gitignore"}) {
    EXPECT_EQ(std::ranges::count(files, expected), 1) << expected;
  }
  const std::regex placeholder("@[A-Z_]+@");
  for (const std::string& path : files) {
    const std::string content = read_file(project / path);
    EXPECT_FALSE(std::regex_search(content, placeholder)) << path;
  }
  EXPECT_NE(read_file(project / "CMakeLists.txt").find("project(my-shop"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(, NewProject,
                         ::testing::Values("minimal", "rest", "web", "websocket", "rest sqlite", "rest postgres"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

TEST(NewProjectDatabase, is_in_the_project) {
  base::TestFolder folder;
  for (const std::string& database : project_databases()) {
    const std::filesystem::path project = folder.path / database;
    const std::vector<std::string> files = write_project(project, "my-shop", "rest", database);
    for (const char* expected : {"migrations/0001_notes.sql", "src/database.cpp", "tests/test_database.hpp"})
      EXPECT_EQ(std::ranges::count(files, expected), 1) << expected;
    EXPECT_NE(read_file(project / "CMakeLists.txt").find("tern::" + database + " tern::web"), std::string::npos);
  }
  EXPECT_NE(read_file(folder.path / "postgres/README.md").find("`MY_SHOP_DATABASE_URL`"), std::string::npos);
  EXPECT_NE(read_file(folder.path / "postgres/.gitlab-ci.yml").find("libgtest-dev postgresql ./"), std::string::npos);
  EXPECT_NE(read_file(folder.path / "sqlite/README.md").find("`MY_SHOP_DATABASE_PATH`"), std::string::npos);
  EXPECT_THROW(write_project(folder.path / "x", "shop", "rest", "mysql"), std::runtime_error);
  EXPECT_THROW(write_project(folder.path / "x", "shop", "web", "sqlite"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder.path / "x"));
}

TEST(NewProjectNames, are_those_of_targets_and_units) {
  for (const char* name : {"shop", "my-shop2", "a"}) EXPECT_EQ(name_fault(name), "") << name;
  for (const char* name : {"", "Shop", "2shop", "my_shop", "shop-", "../shop", "shop/x", "test", "sh op"})
    EXPECT_NE(name_fault(name), "") << name;
  EXPECT_NE(name_fault(std::string(61, 'a')), "");
}

TEST(NewProjectFolder, that_has_files_is_left_alone) {
  base::TestFolder folder;
  std::ofstream(folder.path / "mine.txt") << "mine";
  EXPECT_THROW(write_project(folder.path, "shop", "rest"), std::runtime_error);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path), {}), 1);
  EXPECT_THROW(write_project(folder.path / "new", "shop", "none"), std::runtime_error);
  EXPECT_FALSE(std::filesystem::exists(folder.path / "new"));
}

TEST(NewProjectFolder, may_be_empty) {
  base::TestFolder folder;
  EXPECT_FALSE(write_project(folder.path, "shop", "minimal").empty());
}

}  // namespace
}  // namespace tern::command
