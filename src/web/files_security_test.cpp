// What a client must never get: files outside of the folder, hidden ones, and what is no file.
#include "web/file_testing.hpp"
#include "web/folder.hpp"

#include <gmock/gmock.h>

#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <atomic>
#include <cerrno>
#include <string>
#include <thread>

namespace tern::testing {
namespace {

class FileSecurity : public ServedFolderTest {
protected:
  FileSecurity() {
    write("public.txt", "public");
    write("sub/inner.txt", "inner");
    write_outside("secret.txt", "secret");
  }
};

TEST_F(FileSecurity, no_spelling_of_a_parent_leaves_the_folder) {
  for (const char* path : {"/../secret.txt",
                           "/sub/../../secret.txt",
                           "/%2e%2e/secret.txt",
                           "/%2E%2E/secret.txt",
                           "/.%2e/secret.txt",
                           "/..%2fsecret.txt",
                           "/%2e%2e%2fsecret.txt",
                           "/sub/..%2f..%2fsecret.txt",
                           "/%252e%252e/secret.txt",
                           "/..%252fsecret.txt",
                           "/..\\secret.txt",
                           "/..%5csecret.txt",
                           "/%2e%2e%5csecret.txt",
                           "/....//secret.txt",
                           "/sub/...//secret.txt",
                           "/./../secret.txt",
                           "/%c0%ae%c0%ae/secret.txt",
                           "/%c0%ae%c0%ae%c0%afsecret.txt",
                           "/%e0%80%ae%e0%80%ae/secret.txt",
                           "/..;/secret.txt",
                           "/sub/%00/../../secret.txt",
                           "/public.txt%00.html",
                           "//etc/passwd",
                           "/%2fetc/passwd",
                           "/%2Fetc%2Fpasswd",
                           "//proc/self/environ",
                           "/proc/self/environ",
                           "/../../../../../../../../etc/passwd"}) {
    const TestResponse response = get(path);
    EXPECT_TRUE(response.status == 404 || response.status == 400) << path << " " << response.status;
    EXPECT_EQ(response.body.find("secret"), std::string::npos) << path;
    EXPECT_EQ(response.body.find("root:"), std::string::npos) << path;
  }
  EXPECT_EQ(get("/public.txt").body, "public");
}

TEST_F(FileSecurity, an_absolute_path_is_within_the_folder) {
  EXPECT_EQ(get("/" + (folder.parent_path() / "secret.txt").string()).status, 404);
}

TEST_F(FileSecurity, an_encoded_slash_is_no_separator) {
  EXPECT_EQ(get("/sub%2finner.txt").status, 404);
  EXPECT_EQ(get("/sub%2Finner.txt").status, 404);
  EXPECT_EQ(get("/sub/inner.txt").body, "inner");
  EXPECT_EQ(get("/sub/%69nner.txt").body, "inner");
}

TEST_F(FileSecurity, symlinks_stay_within_the_folder) {
  link("sub/inner.txt", "inside.txt");
  link("../public.txt", "sub/up.txt");
  link("../secret.txt", "out.txt");
  link((folder.parent_path() / "secret.txt").string(), "absolute.txt");
  link((folder / "public.txt").string(), "absolute_inside.txt");
  link("..", "parent");
  link("/proc/self", "proc");
  link("loop", "loop");
  EXPECT_EQ(get("/inside.txt").body, "inner");
  EXPECT_EQ(get("/sub/up.txt").body, "public");
  for (const char* path : {"/out.txt", "/absolute.txt", "/absolute_inside.txt", "/parent/secret.txt", "/proc/environ",
                           "/proc/root/etc/passwd", "/loop"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
}

TEST_F(FileSecurity, the_folder_itself_may_be_moved_and_its_name_replaced) {
  client();
  const std::filesystem::path moved = folder.parent_path() / "moved";
  std::filesystem::rename(folder, moved);
  std::filesystem::create_symlink("/etc", folder);
  EXPECT_EQ(get("/passwd").status, 404);
  EXPECT_EQ(get("/public.txt").body, "public");
  std::filesystem::remove(folder);
}

TEST_F(FileSecurity, a_link_that_is_swapped_while_it_is_opened_never_leads_outside) {
  const web::Folder served(folder.string());
  std::filesystem::create_directory(folder.parent_path() / "outer");
  write_outside("outer/inner.txt", "secret");
  link("sub", "inside");
  link("../outer", "outside");
  link("sub", "swapped");
  std::atomic<bool> done = false;
  std::thread swapping([&] {
    const std::string swapped = (folder / "swapped").string();
    for (int i = 0; !done; ++i) {
      std::filesystem::remove(folder / "next");
      link(i % 2 == 0 ? "../outer" : "sub", "next");
      std::filesystem::rename(folder / "next", swapped);
    }
  });
  int found = 0;
  for (int i = 0; i < 5000; ++i) {
    const auto opened = served.open("swapped/inner.txt");
    if (!opened) continue;
    char text[6] = {};
    EXPECT_EQ(::pread(opened->file.descriptor(), text, sizeof text, 0), 5);
    EXPECT_EQ(std::string_view(text), "inner");
    ++found;
  }
  done = true;
  swapping.join();
  EXPECT_GT(found, 0);
}

TEST_F(FileSecurity, without_openat2_symlinks_are_refused) {
  const web::Folder served(folder.string());
  link("sub", "link");
  link("public.txt", "file_link");
  EXPECT_TRUE(served.open_without_symlinks("sub/inner.txt"));
  EXPECT_TRUE(served.open_without_symlinks("public.txt"));
  EXPECT_TRUE(served.open_without_symlinks("")->is_folder);
  EXPECT_EQ(served.open_without_symlinks("../secret.txt").error(), EXDEV);
  EXPECT_EQ(served.open_without_symlinks("sub/../../secret.txt").error(), EXDEV);
  EXPECT_EQ(served.open_without_symlinks("link/inner.txt").error(), ENOTDIR);
  EXPECT_EQ(served.open_without_symlinks("file_link").error(), ELOOP);
  EXPECT_EQ(served.open_without_symlinks("none").error(), ENOENT);
}

TEST_F(FileSecurity, hidden_files_are_missing_but_for_well_known) {
  write(".env", "secret");
  write(".git/config", "secret");
  write("sub/.htpasswd", "secret");
  write(".well-known/security.txt", "Contact: mailto:a@a.example");
  write(".well-known/.hidden", "secret");
  for (const char* path : {"/.env", "/.git/config", "/sub/.htpasswd", "/.well-known/.hidden", "/%2eenv", "/.env/"}) {
    EXPECT_EQ(get(path).status, 404) << path;
  }
  EXPECT_EQ(get("/.well-known/security.txt").body, "Contact: mailto:a@a.example");
}

TEST_F(FileSecurity, only_regular_files_are_opened) {
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = (folder / "socket").string();
  if (name.size() < sizeof address.sun_path) {
    name.copy(address.sun_path, name.size());
    ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  ::mknod((folder / "device").c_str(), S_IFCHR | 0666, makedev(1, 5));  // for root only; missing otherwise
  for (const char* path : {"/pipe", "/socket", "/device"}) EXPECT_EQ(get(path).status, 404) << path;
  ::close(socket);
}

TEST_F(FileSecurity, an_unreadable_file_is_missing) {
  write("private.txt", "secret");
  ASSERT_EQ(::chmod((folder / "private.txt").c_str(), 0), 0);
  client();
  const int user = ::setfsuid(12'345);  // root could read it
  EXPECT_EQ(get("/private.txt").status, 404);
  EXPECT_EQ(get("/public.txt").status, 200);
  ::setfsuid(static_cast<uid_t>(user));
}

TEST_F(FileSecurity, names_that_are_too_long_are_missing) {
  EXPECT_EQ(get("/" + std::string(300, 'a')).status, 404);
  std::string deep;
  for (int i = 0; i < 2000; ++i) deep += "/a";
  EXPECT_EQ(get(deep + deep).status, 404);
}

}  // namespace
}  // namespace tern::testing
