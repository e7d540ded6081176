#include "net/inherited_socket.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <filesystem>
#include <set>
#include <utility>

namespace tern::net {
namespace {

// Gives the descriptor away, as another process does.
int given(ListenSocket& socket) {
  return socket.descriptor.release();
}

ListenSocket tcp() {
  return std::move(listen({.port = 0})->front());
}

TEST(InheritedSocket, has_the_address_and_name_that_it_was_given_with) {
  ListenSocket socket = tcp();
  const Address address = socket.address;
  const int number = given(socket);
  ::fcntl(number, F_SETFD, 0);
  ::fcntl(number, F_SETFL, 0);
  const auto sockets = inherited_sockets(number, 1, "web");
  ASSERT_TRUE(sockets) << sockets.error().message;
  EXPECT_EQ(sockets->front().name, "web");
  EXPECT_EQ(sockets->front().address, address);
  EXPECT_NE(::fcntl(number, F_GETFD) & FD_CLOEXEC, 0);
  EXPECT_NE(::fcntl(number, F_GETFL) & O_NONBLOCK, 0);
}

TEST(InheritedSocket, of_unix_has_its_path) {
  const base::TestFolder folder;
  const std::string path = folder.path / "socket";
  auto listening = listen({.path = path});
  ASSERT_TRUE(listening);
  const auto sockets = inherited_sockets(given(listening->front()), 1, "");
  ASSERT_TRUE(sockets);
  EXPECT_EQ(sockets->front().path, path);
  EXPECT_TRUE(is_for(sockets->front(), {.path = path}));
  EXPECT_FALSE(is_for(sockets->front(), {.path = path + "2"}));
  EXPECT_FALSE(is_for(sockets->front(), {.port = 0}));
}

TEST(InheritedSocket, is_for_its_address_or_any_port_of_its_host) {
  ListenSocket socket = tcp();
  const std::uint16_t port = socket.address.port();
  const auto sockets = inherited_sockets(given(socket), 1, "");
  ASSERT_TRUE(sockets);
  EXPECT_TRUE(is_for(sockets->front(), {.host = "127.0.0.1", .port = port}));
  EXPECT_TRUE(is_for(sockets->front(), {.host = "localhost", .port = 0}));
  EXPECT_FALSE(is_for(sockets->front(), {.host = "0.0.0.0", .port = port}));
  EXPECT_FALSE(is_for(sockets->front(), {.host = "127.0.0.1", .port = static_cast<std::uint16_t>(port ^ 1U)}));
}

TEST(InheritedSocket, that_does_not_listen_is_refused_and_closed) {
  int pair[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
  EXPECT_FALSE(inherited_sockets(pair[0], 1, ""));
  EXPECT_EQ(::fcntl(pair[0], F_GETFD), -1);
  ::close(pair[1]);
  const int datagrams = ::socket(AF_INET, SOCK_DGRAM, 0);
  EXPECT_FALSE(inherited_sockets(datagrams, 1, ""));
  EXPECT_FALSE(inherited_sockets(100'000, 1, ""));
}

std::vector<InheritedSocket> inherit(std::vector<ListenSocket> sockets) {
  std::vector<InheritedSocket> inherited;
  for (ListenSocket& socket : sockets) {
    auto one = inherited_sockets(given(socket), 1, "");
    EXPECT_TRUE(one);
    inherited.push_back(std::move(one->front()));
  }
  return inherited;
}

TEST(SharingOut, gives_one_socket_to_all_loops) {
  const auto loops = share_out(inherit(*listen({.port = 0})), 3, false);
  ASSERT_TRUE(loops);
  ASSERT_EQ(loops->size(), 3U);
  for (const auto& sockets : *loops) {
    ASSERT_EQ(sockets.size(), 1U);
    EXPECT_TRUE(sockets[0].is_shared);
  }
}

TEST(SharingOut, spreads_the_sockets_of_one_address_over_the_loops) {
  const auto loops = share_out(inherit(*listen({.port = 0}, 5)), 2, false);
  ASSERT_TRUE(loops);
  EXPECT_EQ((*loops)[0].size(), 3U);
  EXPECT_EQ((*loops)[1].size(), 2U);
  EXPECT_FALSE((*loops)[0][0].is_shared);
}

TEST(SharingOut, serves_every_socket_where_there_are_more_loops) {
  auto sockets = inherit(*listen({.port = 0}, 2));
  const auto loops = share_out(std::move(sockets), 3, false);
  ASSERT_TRUE(loops);
  for (const auto& of_loop : *loops) EXPECT_EQ(of_loop.size(), 1U);
}

TEST(SharingOut, keeps_addresses_apart) {
  auto sockets = inherit(*listen({.port = 0}));
  for (auto& other : inherit(*listen({.port = 0}))) sockets.push_back(std::move(other));
  const auto loops = share_out(std::move(sockets), 2, false);
  ASSERT_TRUE(loops);
  for (const auto& of_loop : *loops) {
    ASSERT_EQ(of_loop.size(), 2U);
    EXPECT_NE(of_loop[0].name, of_loop[1].name);
  }
}

TEST(SharingOut, removes_the_files_of_unix_sockets_only_if_they_are_owned) {
  const base::TestFolder folder;
  for (const bool owned : {false, true}) {
    const std::string path = folder.path / (owned ? "owned" : "other");
    auto sockets = listen({.path = path});
    ASSERT_TRUE(sockets);
    auto inherited = inherit(std::move(*sockets));  // which removes the file
    EXPECT_TRUE(inherited.size() == 1);
    const int again = ::open(path.c_str(), O_CREAT | O_CLOEXEC, 0600);
    ::close(again);
    {
      EXPECT_TRUE(share_out(std::move(inherited), 2, owned));
    }
    EXPECT_EQ(std::filesystem::exists(path), !owned);
  }
}

}  // namespace
}  // namespace tern::net
