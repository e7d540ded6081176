// For tests: the content of forms, and which temporary files this process has open.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

namespace tern::testing {

inline constexpr std::string_view form_type = "multipart/form-data; boundary=b";

class FormText {
public:
  FormText& field(std::string_view name, std::string_view value) {
    return part("name=\"" + std::string(name) + '"', {}, value);
  }
  FormText& file(std::string_view name, std::string_view file_name, std::string_view content,
                 std::string_view type = "application/octet-stream") {
    return part("name=\"" + std::string(name) + "\"; filename=\"" + std::string(file_name) + '"', type, content);
  }
  FormText& part(std::string_view parameters, std::string_view type, std::string_view content) {
    text_.append("--b\r\nContent-Disposition: form-data; ").append(parameters);
    if (!type.empty()) text_.append("\r\nContent-Type: ").append(type);
    text_.append("\r\n\r\n").append(content).append("\r\n");
    return *this;
  }
  // As far as it goes, without the last boundary.
  const std::string& open() const { return text_; }
  std::string complete() const { return text_ + "--b--\r\n"; }

private:
  std::string text_;
};

// A folder of this test's own for temporary files; while it lives, TMPDIR.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = "/tmp/tern-test-XXXXXX";
    path_ = ::mkdtemp(name.data());
    if (const char* before = std::getenv("TMPDIR")) before_ = before;
    ::setenv("TMPDIR", path_.c_str(), 1);
  }
  ~TemporaryFolder() {
    if (before_.empty()) {
      ::unsetenv("TMPDIR");
    } else {
      ::setenv("TMPDIR", before_.c_str(), 1);
    }
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

  // How many descriptors of this process are of files in it, named or not.
  std::size_t open_files() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;
      const std::string target = std::filesystem::read_symlink(entry.path(), gone).string();
      if (target.starts_with(path_ + '/')) ++count;
    }
    return count;
  }
  // How many names there are in it.
  std::size_t names() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) count += entry.path().empty() ? 0U : 1U;
    return count;
  }

private:
  std::string path_;
  std::string before_;
};

}  // namespace tern::testing
