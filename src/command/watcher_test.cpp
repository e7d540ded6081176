#include "command/watcher.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <poll.h>
#include <filesystem>
#include <fstream>
#include <string>

namespace tern::command {
namespace {

class Watching : public ::testing::Test {
protected:
  Watching() {
    std::filesystem::create_directories(folder.path / "src/deep");
    std::filesystem::create_directories(folder.path / "build");
    std::filesystem::create_directories(folder.path / ".git");
  }

  void write(const std::string& path) { std::ofstream(folder.path / path) << "content"; }
  bool has_changed(Watcher& watcher) {
    pollfd change = {.fd = watcher.descriptor(), .events = POLLIN, .revents = 0};
    return ::poll(&change, 1, 0) > 0 && watcher.take();  // events are there when the write returns
  }

  base::TestFolder folder;
};

TEST_F(Watching, reports_sources_in_all_folders) {
  Watcher watcher({folder.path}, folder.path / "build");
  EXPECT_FALSE(has_changed(watcher));
  for (const char* path : {"CMakeLists.txt", "src/app.cpp", "src/deep/page.mustache"}) {
    write(path);
    EXPECT_TRUE(has_changed(watcher)) << path;
    EXPECT_FALSE(has_changed(watcher)) << path;
  }
  std::filesystem::rename(folder.path / "src/app.cpp", folder.path / "src/app.hpp");
  EXPECT_TRUE(has_changed(watcher));
  std::filesystem::remove(folder.path / "src/app.hpp");
  EXPECT_TRUE(has_changed(watcher));
}

TEST_F(Watching, reports_new_folders_and_their_files) {
  Watcher watcher({folder.path}, folder.path / "build");
  std::filesystem::create_directory(folder.path / "src/new");
  EXPECT_TRUE(has_changed(watcher));
  write("src/new/a.hpp");
  EXPECT_TRUE(has_changed(watcher));
}

TEST_F(Watching, ignores_what_programs_and_builds_write) {
  Watcher watcher({folder.path}, folder.path / "build");
  for (const char* path : {"build/a.cpp", ".git/a.cpp", "shop.db", "shop.db-wal", "access.log", "src/.app.cpp.swp"}) {
    write(path);
    EXPECT_FALSE(has_changed(watcher)) << path;
  }
}

// Of a project that has not been built: what CMake writes there would begin the build anew.
TEST_F(Watching, ignores_a_relative_build_folder_that_comes_later) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path);
  Watcher watcher({"."}, "later");
  std::filesystem::current_path(before);
  std::filesystem::create_directories(folder.path / "later/CMakeFiles");
  write("later/CMakeFiles/a.cmake");
  EXPECT_FALSE(has_changed(watcher));
}

TEST_F(Watching, watches_several_folders) {
  base::TestFolder other;
  Watcher watcher({folder.path, other.path}, folder.path / "build");
  std::ofstream(other.path / "a.hpp") << "content";
  EXPECT_TRUE(has_changed(watcher));
}

}  // namespace
}  // namespace tern::command
