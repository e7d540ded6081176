// For tests: passes bytes between clients and a PostgreSQL, and shows what clients write.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tern::postgres {

// Listens in `folder` on the Unix socket of port 1, for the server whose socket is `target`. One thread per client.
class Relay {
public:
  Relay(const std::string& folder, std::string target) : target_(std::move(target)) {
    const sockaddr_un address = address_of(folder + "/.s.PGSQL.1");
    listening_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) std::terminate();
    if (::listen(listening_, 64) != 0) std::terminate();
    accepting_ = std::thread([this] { accept_all(); });
  }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay() {
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    ::close(listening_);
    cut();
    for (std::thread& thread : threads_) thread.join();
  }

  // What clients have written, one entry per read of the relay.
  std::vector<std::string> writes() {
    const std::lock_guard lock(mutex_);
    return writes_;
  }
  void forget() {
    const std::lock_guard lock(mutex_);
    writes_.clear();
  }
  // Ends all connections.
  void cut() {
    const std::lock_guard lock(mutex_);
    for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
  }

private:
  static sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    return address;
  }

  void accept_all() {
    for (int client; (client = ::accept(listening_, nullptr, nullptr)) >= 0;) {
      const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
      const sockaddr_un address = address_of(target_);
      if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        ::close(server);
        ::close(client);
        continue;
      }
      const std::lock_guard lock(mutex_);
      sockets_.push_back(client);
      sockets_.push_back(server);
      threads_.emplace_back([this, client, server] { pass(client, server); });
    }
  }

  void pass(int client, int server) {
    std::string part(1024 * 1024, '\0');
    std::array<pollfd, 2> polled = {pollfd{client, POLLIN, 0}, pollfd{server, POLLIN, 0}};
    for (bool open = true; open && ::poll(polled.data(), polled.size(), -1) > 0;) {
      for (std::size_t from = 0; from < 2 && open; ++from) {
        if (polled[from].revents == 0) continue;
        const ssize_t size = ::recv(polled[from].fd, part.data(), part.size(), 0);
        open =
            size > 0 && ::send(polled[1 - from].fd, part.data(), static_cast<std::size_t>(size), MSG_NOSIGNAL) == size;
        if (!open || from != 0) continue;
        const std::lock_guard lock(mutex_);
        writes_.emplace_back(part, 0, static_cast<std::size_t>(size));
      }
    }
    const std::lock_guard lock(mutex_);
    std::erase(sockets_, client);
    std::erase(sockets_, server);
    ::close(client);
    ::close(server);
  }

  const std::string target_;
  int listening_ = -1;
  std::thread accepting_;
  std::mutex mutex_;  // guards what follows
  std::vector<int> sockets_;
  std::vector<std::string> writes_;
  std::vector<std::thread> threads_;
};

}  // namespace tern::postgres
