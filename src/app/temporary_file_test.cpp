// Files without a name, and how they get one.
#include "app/temporary_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace tern::app {
namespace {

namespace fs = std::filesystem;

class TemporaryFile : public ::testing::TestWithParam<bool> {
protected:
  TemporaryFile() {
    std::string name = "/tmp/tern-test-XXXXXX";
    folder = ::mkdtemp(name.data());
    const auto made = GetParam() ? make_unlinked_file(folder) : make_temporary_file(folder);
    EXPECT_TRUE(made);
    descriptor = *made;
    EXPECT_FALSE(write_at(descriptor, 0, "con", "tent"));
  }
  ~TemporaryFile() override {
    ::close(descriptor);
    fs::remove_all(folder);
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t names() const { return std::distance(fs::directory_iterator(folder), {}); }

  std::string folder;
  int descriptor = -1;
};

INSTANTIATE_TEST_SUITE_P(Kinds, TemporaryFile, ::testing::Bool(),
                         [](const auto& kind) { return kind.param ? "unlinked" : "anonymous"; });

TEST_P(TemporaryFile, has_no_name_and_is_for_its_owner) {
  EXPECT_EQ(names(), 0);
  struct stat facts{};
  ASSERT_EQ(::fstat(descriptor, &facts), 0);
  EXPECT_EQ(facts.st_nlink, 0U);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), FD_CLOEXEC);
}

TEST_P(TemporaryFile, is_written_and_read_where_one_says) {
  ASSERT_FALSE(write_at(descriptor, 7, "", " and more"));
  char text[64];
  const auto count = read_at(descriptor, 3, text);
  ASSERT_TRUE(count);
  EXPECT_EQ(std::string_view(text, *count), "tent and more");
  EXPECT_EQ(read_at(descriptor, 100, text).value_or(1), 0U);
  EXPECT_EQ(::lseek(descriptor, 0, SEEK_CUR), 0) << "its position stays at the beginning";
}

TEST_P(TemporaryFile, gets_an_unused_name) {
  const std::string path = folder + "/saved";
  EXPECT_EQ(save_file(descriptor, path, false), true);
  EXPECT_EQ(read(path), "content");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(names(), 1);
}

TEST_P(TemporaryFile, leaves_alone_what_has_the_name) {
  const std::string path = folder + "/saved";
  std::ofstream(path) << "before";
  EXPECT_EQ(save_file(descriptor, path, false), false);
  EXPECT_EQ(read(path), "before");
  fs::create_symlink("nowhere", folder + "/link");
  EXPECT_EQ(save_file(descriptor, folder + "/link", false), false) << "a link that leads nowhere is a name too";
  EXPECT_EQ(names(), 2);
}

TEST_P(TemporaryFile, replaces_what_has_the_name) {
  const std::string path = folder + "/saved";
  std::ofstream(path) << "before";
  std::ifstream reader(path);
  EXPECT_EQ(save_file(descriptor, path, true), true);
  EXPECT_EQ(read(path), "content");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "before") << "not written over";
  EXPECT_EQ(save_file(descriptor, folder + "/new", true), true);
  EXPECT_EQ(names(), 2);
}

TEST_P(TemporaryFile, does_not_replace_a_folder_or_save_where_there_is_none) {
  fs::create_directory(folder + "/sub");
  EXPECT_FALSE(save_file(descriptor, folder + "/sub", true));
  EXPECT_EQ(save_file(descriptor, folder + "/sub", false), false);
  const auto nowhere = save_file(descriptor, folder + "/none/saved", false);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error(), std::errc::no_such_file_or_directory);
  EXPECT_EQ(names(), 1) << "nothing is left of the attempts";
}

TEST_P(TemporaryFile, is_copied_to_another_file_system) {
  struct stat here{};
  struct stat there{};
  if (::stat(folder.c_str(), &here) != 0 || ::stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev) {
    GTEST_SKIP() << "there is only one file system";
  }
  std::string other = "/dev/shm/tern-test-XXXXXX";
  ASSERT_NE(::mkdtemp(other.data()), nullptr);
  const std::string path = other + "/saved";
  EXPECT_EQ(save_file(descriptor, path, false), true);
  EXPECT_EQ(read(path), "content");
  EXPECT_EQ(save_file(descriptor, path, false), false);
  EXPECT_EQ(save_file(descriptor, path, true), true);
  EXPECT_EQ(std::distance(fs::directory_iterator(other), {}), 1);
  fs::remove_all(other);
}

TEST(TemporaryFileFolder, must_be_there) {
  const auto made = make_temporary_file("/nonexistent-folder");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(), std::errc::no_such_file_or_directory);
}

TEST(TemporaryFileFolder, that_is_full_is_reported) {
  const int full = ::open("/dev/full", O_RDWR | O_CLOEXEC);
  ASSERT_GE(full, 0);
  EXPECT_EQ(write_at(full, 0, "x", "y"), std::errc::no_space_on_device);
  ::close(full);
}

}  // namespace
}  // namespace tern::app
