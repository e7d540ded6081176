// A file of appended lines: each of them whole, or not at all.
#pragma once

#include "net/descriptor.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tern::logging {

class LogFile {
public:
  // Opens the file, or creates it; its directory must exist. Throws std::runtime_error, naming the file.
  explicit LogFile(std::string path);
  // Standard output or standard error, which stays open.
  explicit LogFile(int descriptor) noexcept : descriptor_(descriptor) {}

  // Appends `lines`, which end with a line feed. Returns how many of them, the last ones, could not be written; error()
  // names the cause. A partly written line is removed again, or, if that is not possible (a pipe), its rest is written
  // before anything else.
  std::size_t append(std::string_view lines) noexcept;
  int error() const noexcept { return error_; }
  void set_error(int error) noexcept { error_ = error; }

  // Opens the file by its name again: it may have been renamed. On failure, continues with the old file, and returns
  // the error.
  std::string reopen();

  const std::string& path() const noexcept { return path_; }

private:
  std::size_t write(std::string_view text) noexcept;
  bool take_back(std::size_t size) noexcept;

  std::string path_;        // empty: a standard stream
  net::Descriptor opened_;  // of `path_`
  int descriptor_;
  int error_ = 0;
  std::string rest_;  // of a partly written line
};

}  // namespace tern::logging
