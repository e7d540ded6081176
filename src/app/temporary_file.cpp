#include "app/temporary_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace tern::app {
namespace {

constexpr mode_t for_the_owner = S_IRUSR | S_IWUSR;

std::error_code last_error() {
  return {errno, std::system_category()};
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// An unused name in that folder.
std::expected<std::string, std::error_code> new_name(const std::string& folder) {
  std::uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number) return std::unexpected(last_error());
  char name[32];
  std::snprintf(name, sizeof name, "/.tern-%016llx", static_cast<unsigned long long>(number));
  return folder + name;
}

// Works without privileges, unlike AT_EMPTY_PATH (open(2), O_TMPFILE).
bool link_descriptor(int descriptor, const std::string& path) {
  char source[32];
  std::snprintf(source, sizeof source, "/proc/self/fd/%d", descriptor);
  return ::linkat(AT_FDCWD, source, AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

std::error_code copy_content(int from, int to) {
  off_t at = 0;
  while (true) {
    const ssize_t sent = ::sendfile(to, from, &at, std::size_t{1} << 30);
    if (sent == 0) return {};
    if (sent < 0 && errno != EINTR) return last_error();
  }
}

// A copy under a temporary name.
std::error_code copy_as(int descriptor, const std::string& path) {
  const int copy = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, for_the_owner);
  if (copy < 0) return last_error();
  std::error_code failed = copy_content(descriptor, copy);
  if (::close(copy) != 0 && !failed) failed = last_error();  // network file systems report a full disk here
  if (failed) ::unlink(path.c_str());
  return failed;
}

}  // namespace

std::expected<int, std::error_code> make_temporary_file(const std::string& folder) {
  const int made = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, for_the_owner);
  if (made >= 0) return made;
  if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) return std::unexpected(last_error());
  return make_unlinked_file(folder);
}

std::expected<int, std::error_code> make_temporary_file() {
  const char* folder = ::secure_getenv("TMPDIR");
  return make_temporary_file(folder != nullptr && *folder != '\0' ? folder : "/tmp");
}

std::expected<int, std::error_code> make_unlinked_file(const std::string& folder) {
  std::string path = folder + "/tern-XXXXXX";
  const int made = ::mkostemp(path.data(), O_CLOEXEC);
  if (made < 0) return std::unexpected(last_error());
  ::unlink(path.c_str());
  return made;
}

std::error_code write_at(int descriptor, std::uint64_t from, std::string_view first, std::string_view second) {
  while (!first.empty() || !second.empty()) {
    const iovec pieces[] = {{const_cast<char*>(first.data()), first.size()},
                            {const_cast<char*>(second.data()), second.size()}};
    const ssize_t count = ::pwritev(descriptor, pieces, 2, static_cast<off_t>(from));
    if (count < 0) {
      if (errno == EINTR) continue;
      return last_error();
    }
    const auto written = static_cast<std::size_t>(count);
    const std::size_t of_first = written < first.size() ? written : first.size();
    first.remove_prefix(of_first);
    second.remove_prefix(written - of_first);
    from += written;
  }
  return {};
}

std::expected<std::size_t, std::error_code> read_at(int descriptor, std::uint64_t from, std::span<char> into) {
  std::size_t total = 0;
  while (total < into.size()) {
    const ssize_t count =
        ::pread(descriptor, into.data() + total, into.size() - total, static_cast<off_t>(from + total));
    if (count == 0) break;
    if (count < 0) {
      if (errno == EINTR) continue;
      return std::unexpected(last_error());
    }
    total += static_cast<std::size_t>(count);
  }
  return total;
}

// A link, or a copy next to the target, which is then renamed.
std::expected<bool, std::error_code> save_file(int descriptor, const std::string& path, bool replace) {
  if (!replace) {
    if (link_descriptor(descriptor, path)) return true;
    if (errno == EEXIST) return false;
  }
  const auto beside = new_name(folder_of(path));
  if (!beside) return std::unexpected(beside.error());
  if (!replace || !link_descriptor(descriptor, *beside)) {
    if (const std::error_code failed = copy_as(descriptor, *beside)) return std::unexpected(failed);
  }
  const bool done = replace ? ::rename(beside->c_str(), path.c_str()) == 0 : ::link(beside->c_str(), path.c_str()) == 0;
  const std::error_code failed = done ? std::error_code() : last_error();
  if (!done || !replace) ::unlink(beside->c_str());
  if (!failed) return true;
  if (!replace && failed.value() == EEXIST) return false;
  return std::unexpected(failed);
}

}  // namespace tern::app
