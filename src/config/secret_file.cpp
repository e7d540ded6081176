#include "config/secret_file.hpp"

#include <sys/stat.h>
#include <cerrno>
#include <fstream>
#include <sstream>
#include <system_error>

namespace tern::configuration {
namespace {

constexpr std::size_t max_bytes = 64 * 1024;

}  // namespace

std::expected<std::string, std::string> read_secret(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  struct stat status{};
  if (!file || ::stat(path.c_str(), &status) != 0) {
    return std::unexpected("cannot read " + path + ": " + std::generic_category().message(errno));
  }
  if (S_ISDIR(status.st_mode)) return std::unexpected(path + " is a folder");
  if ((status.st_mode & S_IWOTH) != 0 && S_ISREG(status.st_mode)) {
    return std::unexpected("everyone may write to " + path + ": chmod o-rwx " + path);
  }
  std::string content(max_bytes + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > max_bytes) return std::unexpected(path + " has more than 64 KiB");
  if (content.ends_with('\n')) content.pop_back();
  if (content.ends_with('\r')) content.pop_back();
  return content;
}

std::string exposure(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  if ((status.st_mode & S_IROTH) == 0) return {};
  return path + " has secrets, and everyone may read it: chmod o-rwx " + path;
}

}  // namespace tern::configuration
