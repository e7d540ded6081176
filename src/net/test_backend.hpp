// For tests that are run once with each back end: TERN_IO=io_uring in the environment chooses the other one than epoll.
#pragma once

#include "net/backend.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tern::net {

inline Io io_under_test() {
  const char* io = std::getenv("TERN_IO");
  return io != nullptr && std::string_view(io) == "io_uring" ? Io::IoUring : Io::Epoll;
}

inline Backend backend_under_test() {
  return io_under_test() == Io::IoUring ? Backend::IoUring : Backend::Epoll;
}

// Skips all tests of the program, and says so, where io_uring is to be tested and is not to be had.
class BackendUnderTest final : public ::testing::Environment {
public:
  void SetUp() override {
    const auto backend = choose_backend(io_under_test());
    if (backend) return;
    std::printf("[  SKIPPED ] every test\n");  // what ctest looks for, and GoogleTest does not print for a program
    GTEST_SKIP() << backend.error();
  }
};
inline ::testing::Environment* const backend_environment =
    ::testing::AddGlobalTestEnvironment(new BackendUnderTest);  // owned by GoogleTest

}  // namespace tern::net
