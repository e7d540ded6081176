// UploadedFile by itself: reading, saving, and whose it is.
#include "app/multipart_testing.hpp"
#include "coro/manual_executor.hpp"

#include <tern/async.hpp>
#include <tern/http/problem.hpp>
#include <tern/multipart.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>

namespace tern {
namespace {

static_assert(!std::is_copy_constructible_v<UploadedFile>);
static_assert(std::is_nothrow_move_constructible_v<UploadedFile>);

class Uploaded : public ::testing::Test {
protected:
  static UploadedFile file(std::string_view content) {
    UploadedFile file("name.txt", "text/plain");
    EXPECT_FALSE(file.append_now(content));
    return file;
  }
  template <class T>
  static T run(Task<T> task) {
    EXPECT_TRUE(task.start([](void*) {}, nullptr));
    return task.result();
  }
  std::string saved(const std::string& path) const {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  testing::TemporaryFolder folder;
};

TEST_F(Uploaded, a_file_is_closed_with_its_owner_and_leaves_nothing) {
  {
    UploadedFile one = file("content");
    EXPECT_EQ(folder.open_files(), 1U);
    EXPECT_EQ(folder.names(), 0U);
    const UploadedFile two = std::move(one);
    EXPECT_FALSE(one);
    EXPECT_EQ(one.size(), 0U);
    EXPECT_EQ(one.descriptor(), -1);
    EXPECT_TRUE(two);
    EXPECT_EQ(two.size(), 7U);
    EXPECT_EQ(folder.open_files(), 1U);
    UploadedFile three = file("other");
    three = UploadedFile();
    EXPECT_FALSE(three);
    EXPECT_EQ(folder.open_files(), 1U);
  }
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(Uploaded, a_file_is_read_anywhere) {
  const UploadedFile one = file("0123456789");
  char bytes[4];
  EXPECT_EQ(one.read_now(bytes), 4U);
  EXPECT_EQ(std::string_view(bytes, 4), "0123");
  EXPECT_EQ(run(one.read(bytes, 8)), 2U);
  EXPECT_EQ(std::string_view(bytes, 2), "89");
  EXPECT_EQ(one.read_now(bytes, 10), 0U);
  EXPECT_EQ(run(one.text()), "0123456789");
  EXPECT_EQ(run(one.text(10)), "0123456789");
  EXPECT_THROW(run(one.text(9)), HttpError);
}

TEST_F(Uploaded, a_file_is_saved_once_and_for_all) {
  const UploadedFile one = file("one");
  const UploadedFile two = file("two");
  const std::string path = folder.path() + "/saved";
  EXPECT_TRUE(run(one.save_as(path)));
  EXPECT_FALSE(run(two.save_as(path)));
  EXPECT_EQ(saved(path), "one");
  EXPECT_TRUE(run(two.save_as(path, IfExists::Replace)));
  EXPECT_EQ(saved(path), "two");
  EXPECT_EQ(one.text_now(), "one") << "still there, though its name has gone";
  EXPECT_EQ(folder.names(), 1U);
  EXPECT_THROW(run(one.save_as(folder.path() + "/none/saved")), std::system_error);
}

TEST_F(Uploaded, no_file_reads_as_an_empty_one_and_cannot_be_saved) {
  const UploadedFile none;
  char bytes[4];
  EXPECT_FALSE(none);
  EXPECT_EQ(none.text_now(), "");
  EXPECT_EQ(none.read_now(bytes), 0U);
  EXPECT_THROW(none.save_as_now(folder.path() + "/saved"), std::logic_error);
}

TEST_F(Uploaded, what_is_appended_comes_behind_what_is_there) {
  UploadedFile one = file("one");
  EXPECT_FALSE(one.append_now(" two", " three"));
  EXPECT_EQ(one.size(), 13U);
  EXPECT_EQ(one.text_now(), "one two three");
}

TEST_F(Uploaded, what_may_take_long_is_done_on_the_pool) {
  coro::ManualExecutor loop;
  coro::ManualPool pool;
  loop.pool = &pool;
  {
    const UploadedFile one = file("content");
    coro::StartedTask<std::string> reading(one.text());
    EXPECT_FALSE(reading.ended());
    pool.run_one();
    loop.run();
    ASSERT_TRUE(reading.ended());
    EXPECT_EQ(reading.result(), "content");
    coro::StartedTask<bool> saving(one.save_as(folder.path() + "/saved"));
    EXPECT_EQ(folder.names(), 0U);
    pool.run_one();
    loop.run();
    ASSERT_TRUE(saving.ended());
    EXPECT_EQ(folder.names(), 1U);
  }
  EXPECT_EQ(folder.open_files(), 1U) << "closing may take long too";
  pool.run_one();
  EXPECT_EQ(folder.open_files(), 0U);
}

TEST_F(Uploaded, a_pool_that_does_not_close_a_file_leaves_none_open) {
  coro::ManualExecutor loop;
  coro::ManualPool pool(1);
  loop.pool = &pool;
  {
    const UploadedFile one = file("one");
    const UploadedFile two = file("two");
  }
  EXPECT_EQ(pool.waiting, 1U);
  EXPECT_EQ(folder.open_files(), 1U) << "there is no room for the second";
  pool.take()->drop();
  EXPECT_EQ(folder.open_files(), 0U);
}

}  // namespace
}  // namespace tern
