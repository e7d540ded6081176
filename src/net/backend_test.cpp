#include "net/backend.hpp"

#include "net/poller.hpp"

#include <gtest/gtest.h>

#include <system_error>

namespace tern::net {
namespace {

TEST(Backend, is_epoll_unless_asked_otherwise) {
  EXPECT_EQ(choose_backend(Io::Epoll), Backend::Epoll);
  EXPECT_EQ(choose_backend(Io::Automatic), Backend::Epoll);
}

TEST(Backend, is_io_uring_when_asked_for_or_a_reason_is_given) {
  const std::string why_not = why_no_io_uring();
  const auto chosen = choose_backend(Io::IoUring);
  if (why_not.empty()) {
    EXPECT_EQ(chosen, Backend::IoUring);
    EXPECT_NE(make_poller(Backend::IoUring), nullptr);
  } else {
    ASSERT_FALSE(chosen);
    EXPECT_NE(chosen.error().find(why_not), std::string::npos);
    EXPECT_THROW(make_poller(Backend::IoUring), std::system_error);
  }
}

}  // namespace
}  // namespace tern::net
