#include "logging/log_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>

namespace tern::logging {
namespace {

std::size_t count_lines(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

net::Descriptor open_to_append(const std::string& path) noexcept {
  return net::Descriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
}

std::string cannot_open(const std::string& path, int error) {
  return "the log file '" + path + "' cannot be opened: " + std::strerror(error);
}

}  // namespace

LogFile::LogFile(std::string path)
    : path_(std::move(path)), opened_(open_to_append(path_)), descriptor_(opened_.number()) {
  if (!opened_) throw std::runtime_error(cannot_open(path_, errno));
}

std::string LogFile::reopen() {
  if (path_.empty()) return {};
  net::Descriptor again = open_to_append(path_);
  if (!again) return cannot_open(path_, errno);
  opened_ = std::move(again);
  descriptor_ = opened_.number();
  rest_.clear();
  return {};
}

std::size_t LogFile::append(std::string_view lines) noexcept {
  rest_.erase(0, write(rest_));
  if (!rest_.empty()) return count_lines(lines);
  const std::size_t written = write(lines);
  if (written == lines.size()) return 0;
  const std::size_t whole = lines.substr(0, written).rfind('\n') + 1;
  if (written == whole || take_back(written - whole)) return count_lines(lines.substr(whole));
  const std::size_t next = lines.find('\n', written) + 1;
  try {
    rest_ = lines.substr(written, next - written);
  } catch (const std::bad_alloc&) {  // the line is cut
    rest_ = '\n';
    return count_lines(lines.substr(next)) + 1;
  }
  return count_lines(lines.substr(next));
}

// Returns the number of bytes written.
std::size_t LogFile::write(std::string_view text) noexcept {
  std::size_t written = 0;
  while (written < text.size()) {
    const auto count = ::write(descriptor_, text.data() + written, text.size() - written);
    if (count > 0) {
      written += static_cast<std::size_t>(count);
    } else if (count == 0 || errno != EINTR) {
      error_ = count == 0 ? ENOSPC : errno;
      break;
    }
  }
  return written;
}

// Removes the last bytes that were written. False if that is not possible, or another process has written behind them.
bool LogFile::take_back(std::size_t size) noexcept {
  struct stat now{};
  const off_t end = ::lseek(descriptor_, 0, SEEK_CUR);
  if (end < 0 || ::fstat(descriptor_, &now) != 0 || !S_ISREG(now.st_mode) || now.st_size != end) return false;
  const off_t begin = end - static_cast<off_t>(size);
  return ::ftruncate(descriptor_, begin) == 0 && ::lseek(descriptor_, begin, SEEK_SET) == begin;
}

}  // namespace tern::logging
