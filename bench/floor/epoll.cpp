// The floor with epoll: level-triggered, one receive and one send per event, no epoll_ctl while a connection is open.
#include "answer.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace bench {
namespace {

void accept_some(int poll, int listener, std::vector<Requests>& connections) {
  constexpr int most = 64;  // so that accepting does not delay open connections
  for (int i = 0; i < most; ++i) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    no_delay(socket);
    connections[static_cast<std::size_t>(socket)] = {};
    epoll_event wanted = {.events = EPOLLIN, .data = {.fd = socket}};
    epoll_ctl(poll, EPOLL_CTL_ADD, socket, &wanted);
  }
}

}  // namespace

bool serve(int listener) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event wanted = {.events = EPOLLIN, .data = {.fd = listener}};
  if (poll < 0 || epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted) != 0) return false;

  const Answers answers;
  std::vector<char> buffer(128 * 1024);
  std::vector<Requests> connections(descriptor_limit());
  std::array<epoll_event, 512> events;
  while (true) {
    const int ready = epoll_wait(poll, events.data(), events.size(), -1);
    for (int i = 0; i < ready; ++i) {
      const int socket = events[static_cast<std::size_t>(i)].data.fd;
      if (socket == listener) {
        accept_some(poll, listener, connections);
        continue;
      }
      const ssize_t received = recv(socket, buffer.data(), buffer.size(), 0);
      if (received <= 0) {
        close(socket);
        continue;
      }
      Requests& requests = connections[static_cast<std::size_t>(socket)];
      const std::size_t count = requests.count({buffer.data(), static_cast<std::size_t>(received)});
      if (count == 0) continue;
      // A client that does not read its answers is not served.
      const std::string_view owed = answers.owed(count, requests.old());
      const bool sent = send(socket, owed.data(), owed.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(owed.size());
      if (!sent || owed.empty() || requests.closes()) close(socket);
    }
  }
}

}  // namespace bench
