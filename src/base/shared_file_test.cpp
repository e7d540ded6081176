#include <tern/base/shared_file.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <unistd.h>
#include <thread>
#include <utility>
#include <vector>

namespace tern::base {
namespace {

int open_null() {
  return ::open("/dev/null", O_RDONLY | O_CLOEXEC);
}

bool is_open(int descriptor) {
  return ::fcntl(descriptor, F_GETFD) != -1;
}

TEST(SharedFile, is_closed_by_its_last_owner) {
  const int descriptor = open_null();
  SharedFile first(descriptor);
  {
    const SharedFile second = first;
    EXPECT_EQ(second.descriptor(), descriptor);
    first = SharedFile();
    EXPECT_FALSE(first);
    EXPECT_TRUE(is_open(descriptor));
  }
  EXPECT_FALSE(is_open(descriptor));
}

TEST(SharedFile, can_be_moved_and_assigned_to_itself) {
  const int descriptor = open_null();
  SharedFile first(descriptor);
  SharedFile second = std::move(first);
  const SharedFile& same = second;
  second = same;
  EXPECT_EQ(second.descriptor(), descriptor);
  EXPECT_TRUE(is_open(descriptor));
}

TEST(SharedFile, none_has_no_descriptor) {
  EXPECT_EQ(SharedFile().descriptor(), -1);
  EXPECT_FALSE(SharedFile());
}

TEST(SharedFile, may_have_owners_on_several_threads) {
  const int descriptor = open_null();
  {
    std::vector<std::thread> threads;
    const SharedFile file(descriptor);
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([copy = file, descriptor] {
        for (int n = 0; n < 1000; ++n) EXPECT_EQ(SharedFile(copy).descriptor(), descriptor);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_FALSE(is_open(descriptor));
}

}  // namespace
}  // namespace tern::base
