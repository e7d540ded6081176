// For tests: a folder that is removed at the end, and an app that serves it.
#pragma once

#include "base/test_folder.hpp"

#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace tern::testing {

class FolderTest : public ::testing::Test {
protected:
  FolderTest() {
    folder = outer_.path / "served";
    std::filesystem::create_directory(folder);
  }

  // Changed long ago, so that it counts as settled.
  void write(const std::string& name, std::string_view content, std::int64_t modified = 1'700'000'000) const {
    write_at(folder / name, content);
    set_time(name, modified);
  }
  // Beside the served folder.
  void write_outside(const std::string& name, std::string_view content) const { write_at(outer_.path / name, content); }
  void set_time(const std::string& name, std::int64_t seconds, std::int64_t nanoseconds = 0) const {
    const timespec times[] = {{seconds, nanoseconds}, {seconds, nanoseconds}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (folder / name).c_str(), times, 0), 0);
  }
  void make_folder(const std::string& name) const { std::filesystem::create_directories(folder / name); }
  void link(const std::string& target, const std::string& name) const {
    std::filesystem::create_symlink(target, folder / name);
  }

  std::filesystem::path folder;

private:
  static void write_at(const std::filesystem::path& path, std::string_view content) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }

  base::TestFolder outer_;
};

// An app that serves the folder below /assets.
class ServedFolderTest : public FolderTest {
protected:
  // With these options; otherwise the first request serves it with none.
  Client& serve(const FileOptions& options = {}) {
    app.files("/assets", folder.string(), options);
    client_ = base::make_box<Client>(app);
    return *client_;
  }
  Client& client() { return client_ ? *client_ : serve(); }
  TestResponse get(std::string_view path, std::vector<std::pair<std::string, std::string>> fields = {}) {
    return client().send({Method::Get, "/assets" + std::string(path), std::move(fields)});
  }
  TestResponse head(std::string_view path, std::vector<std::pair<std::string, std::string>> fields = {}) {
    return client().send({Method::Head, "/assets" + std::string(path), std::move(fields)});
  }

  App app;

private:
  base::Box<Client> client_;
};

}  // namespace tern::testing
