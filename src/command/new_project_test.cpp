// New projects: their files, and what is refused. tests/first_run/packages builds and tests each template.
#include "command/new_project.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace tern::command {
namespace {

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

class NewProject : public ::testing::TestWithParam<std::string> {
protected:
  base::TestFolder folder;
};

TEST_P(NewProject, has_sources_tests_packaging_and_ci_and_no_placeholder) {
  const std::filesystem::path project = folder.path / "my-shop";
  const std::vector<std::string> files = write_project(project, "my-shop", GetParam());
  for (const char* expected : {"CMakeLists.txt", "src/app.cpp", "src/app.hpp", "src/main.cpp", "tests/app_test.cpp",
                               "README.md", "Dockerfile", "packaging/my-shop.service", "packaging/my-shop.socket",
                               ".github/workflows/ci.yml", ".gitlab-ci.yml", ".gitignore"}) {
    EXPECT_EQ(std::ranges::count(files, expected), 1) << expected;
  }
  for (const std::string& path : files) {
    EXPECT_EQ(read_file(project / path).find('@' + std::string("NAME")), std::string::npos) << path;
  }
  const std::string cmake = read_file(project / "CMakeLists.txt");
  EXPECT_NE(cmake.find("project(my-shop"), std::string::npos);
  for (const char* placeholder : {"@COMPONENTS@", "@LIBRARIES@", "@EMBED@", "@TERN_VERSION@"}) {
    EXPECT_EQ(cmake.find(placeholder), std::string::npos) << placeholder;
  }
}

INSTANTIATE_TEST_SUITE_P(, NewProject, ::testing::ValuesIn(project_templates()),
                         [](const auto& tested) { return tested.param; });

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
