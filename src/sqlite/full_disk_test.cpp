// A disk that is full: a file system without room (ENOSPC), and a limit of the file size (EFBIG).
#include "sqlite/sqlite_testing.hpp"

#include <gmock/gmock.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

namespace tern::sqlite {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

int count(const Sqlite& db) {
  return now(db.scalar<int>("select count(*) from note"));
}

Task<std::int64_t> add(const sql::Queries& to) {
  const std::string text(8000, 'x');
  return to.execute("insert into note (text) values ($1)", text);
}

// Statements and transactions that find no room fail as a whole, and the database is usable with room again.
void fill_and_free(const std::string& path, const std::function<void()>& take_room,
                   const std::function<void()>& give_room) {
  const Sqlite db({.path = path});
  now(db.script("create table note (id integer primary key, text text)"));
  now(add(db));
  take_room();
  int added = 1;
  SqlError error = error_of(add(db));
  for (; error.kind() == SqlErrorKind::Other && added < 10'000; ++added) error = error_of(add(db));
  EXPECT_EQ(error.kind(), SqlErrorKind::Full) << error.what();
  EXPECT_THAT(error.what(), AnyOf(HasSubstr("full"), HasSubstr("File too large")));
  EXPECT_EQ(count(db), added);  // none of the one that failed

  const auto add_many = [&](sql::Transaction& tx) -> Task<> {
    for (int i = 0; i < 10'000; ++i) co_await add(tx);
  };
  EXPECT_EQ(error_of(db.transaction(add_many)).kind(), SqlErrorKind::Full);
  EXPECT_EQ(count(db), added);
  EXPECT_EQ(now(db.scalar<std::string>("pragma integrity_check")), "ok");

  give_room();
  EXPECT_EQ(now(add(db)), 1);
  EXPECT_EQ(count(db), added + 1);
  EXPECT_EQ(now(db.scalar<std::string>("pragma integrity_check")), "ok");
}

TEST(SqliteFullDisk, a_file_that_may_not_grow_is_a_full_disk) {
  const base::TestFolder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const auto limit = [&](rlim_t bytes) {
    const rlimit limited{bytes, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
  };
  fill_and_free(folder.path / "notes.db", [&] { limit(rlim_t{512} * 1024); }, [&] { limit(before.rlim_cur); });
  limit(before.rlim_cur);
  std::signal(SIGXFSZ, handler);
}

// Mounts a file system of 2 MiB over `folder`, which this process alone sees.
bool mount_small_disk(const std::string& folder) {
  const std::string user = std::to_string(::geteuid());
  const std::string group = std::to_string(::getegid());
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << user << ' ' << user << " 1";
  std::ofstream("/proc/self/gid_map") << group << ' ' << group << " 1";
  return ::mount("none", folder.c_str(), "tmpfs", 0, "size=2m") == 0;
}

TEST(SqliteFullDisk, a_disk_without_room_is_an_error_and_no_damage) {
  constexpr int not_permitted = 77;
  const base::TestFolder folder;
  const std::string path = folder.path / "disk";
  std::filesystem::create_directory(path);
  const pid_t child = ::fork();
  if (child == 0) {
    if (!mount_small_disk(path)) ::_exit(not_permitted);
    const std::string ballast = path + "/ballast";
    std::ofstream(ballast) << std::string(1024 * 1024, 'x');
    fill_and_free(path + "/notes.db", [] {}, [&] { std::filesystem::remove(ballast); });
    ::_exit(::testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == not_permitted) GTEST_SKIP() << "this user may not mount a file system";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace tern::sqlite
