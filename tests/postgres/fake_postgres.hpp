// For tests: a server that says what a test wants in place of PostgreSQL, on a loopback port.
#pragma once

#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace tern::postgres {

// --- Messages (wire.hpp writes those of clients)

inline std::string number_16(std::uint32_t number) {
  return {static_cast<char>(number >> 8U), static_cast<char>(number)};
}
inline std::string number_32(std::uint32_t number) {
  return number_16(number >> 16U) + number_16(number & 0xFFFFU);
}
inline std::string message(char type, const std::string& body, std::int64_t length = -1) {
  return type +
         number_32(static_cast<std::uint32_t>(length < 0 ? static_cast<std::int64_t>(body.size()) + 4 : length)) + body;
}
inline std::string with_nul(const std::string& text) {
  return text + '\0';
}
inline std::string login_done() {
  return message('R', number_32(0)) + message('K', number_32(1) + number_32(2)) + message('Z', "I");
}
// A column of a RowDescription.
inline std::string column(const std::string& name, std::uint32_t type, bool binary) {
  return with_nul(name) + number_32(0) + number_16(0) + number_32(type) + number_16(4) + number_32(0) +
         number_16(binary ? 1 : 0);
}
// A value of a DataRow.
inline std::string value(const std::string& bytes) {
  return number_32(static_cast<std::uint32_t>(bytes.size())) + bytes;
}

// --- The server

class FakePostgres {
public:
  // One connection, on a thread of its own.
  class Client {
  public:
    explicit Client(int socket) : socket_(socket) {}

    int socket() const noexcept { return socket_; }
    bool send(std::string_view bytes) {
      return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
    }
    // Everything up to a message of this type, or up to the end of the connection: then false.
    bool read_until(char type) { return !types_until(type).empty(); }
    // The types of these messages; none at the end of the connection.
    std::string types_until(char type) {
      std::string types;
      while (!types.ends_with(type)) {
        const std::string head = read(5);
        if (head.size() != 5) return {};
        read(size_in(head.substr(1)) - 4);
        types += head[0];
      }
      return types;
    }
    // A startup message or an SSLRequest, which have no type.
    std::string read_startup() {
      const std::string head = read(4);
      return head.size() == 4 ? read(size_in(head) - 4) : std::string();
    }
    // Fewer only at the end of the connection.
    std::string read(std::size_t size) {
      std::string bytes;
      for (std::string part; bytes.size() < size && !(part = read_some(size - bytes.size())).empty();) bytes += part;
      return bytes;
    }
    // All bytes until the client closes the connection.
    std::string read_all() {
      std::string all;
      for (std::string part; !(part = read_some(4096)).empty();) all += part;
      return all;
    }
    // False as soon as the client sends something or closes the connection.
    bool is_silent_for(int milliseconds) const {
      pollfd polled{socket_, POLLIN, 0};
      return ::poll(&polled, 1, milliseconds) == 0;
    }
    void log_in() {
      read_startup();
      send(login_done());
    }

  private:
    static std::uint32_t size_in(const std::string& bytes) {
      std::uint32_t size = 0;
      for (const char byte : bytes) size = size << 8U | static_cast<unsigned char>(byte);
      return size;
    }
    std::string read_some(std::size_t max) {
      std::string part(max, '\0');
      const ssize_t size = ::recv(socket_, part.data(), part.size(), 0);
      part.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
      return part;
    }
    int socket_;
  };
  using Script = std::function<void(Client&)>;

  // Each connection is closed at the end of `script`, which is called from several threads.
  explicit FakePostgres(Script script) : script_(std::move(script)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 64), 0);
    EXPECT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    accepting_ = std::thread([this] { accept_all(); });
  }
  FakePostgres(const FakePostgres&) = delete;
  FakePostgres& operator=(const FakePostgres&) = delete;
  ~FakePostgres() {
    ::shutdown(listening_, SHUT_RDWR);
    accepting_.join();
    ::close(listening_);
    {
      const std::lock_guard lock(mutex_);
      for (const int socket : sockets_) ::shutdown(socket, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int socket : sockets_) ::close(socket);
  }

  // With the password "hunter2".
  std::string url(const std::string& more = "sslmode=disable") const {
    return "host=127.0.0.1 port=" + std::to_string(port_) + " user=ann dbname=shop password=hunter2 " + more;
  }

private:
  void accept_all() {
    for (int socket; (socket = ::accept(listening_, nullptr, nullptr)) >= 0;) {
      const std::lock_guard lock(mutex_);
      sockets_.push_back(socket);
      threads_.emplace_back([this, socket] {
        Client client(socket);
        script_(client);
        ::shutdown(socket, SHUT_RDWR);
      });
    }
  }

  const Script script_;
  int listening_ = -1;
  std::uint16_t port_ = 0;
  std::thread accepting_;
  std::mutex mutex_;  // guards sockets_
  std::vector<int> sockets_;
  std::vector<std::thread> threads_;
};

}  // namespace tern::postgres
