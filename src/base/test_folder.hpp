// A temporary folder of one test, removed with everything in it.
#pragma once

#include <stdlib.h>
#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace tern::base {

class TestFolder {
public:
  TestFolder() {
    std::string name = "/tmp/tern-test-XXXXXX";  // not $TMPDIR, which some tests redirect
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::system_category(), name);
    path = name;
  }
  ~TestFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path path;
};

}  // namespace tern::base
