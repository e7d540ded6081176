// What the floor servers share: one constant answer, and finding out how many requests have arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// The bytes that bench-server sends for GET /, whatever the request was.
inline constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\n"
    "Date: Sun, 22 Nov 2026 04:19:53 GMT\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 13\r\n"
    "\r\n"
    "Hello, World!";

// As many answers as can be owed at once, to one who speaks HTTP/1.1, or HTTP/1.0 and keeps the connection.
struct Answers {
  Answers();
  std::string_view owed(std::size_t count, bool is_old) const noexcept;  // empty: too many

  std::string current = {};
  std::string old = {};
};

// A connection. Every request of it is taken to be as long as the first, which must not be pipelined behind another
// and may come in pieces; only the first is looked at.
class Requests {
public:
  // How many requests end in what has just arrived.
  std::size_t count(std::string_view bytes) {
    if (length_ == 0) [[unlikely]] {
      return first(bytes);
    }
    pending_ += bytes.size();
    if (pending_ == length_) [[likely]] {
      pending_ = 0;
      return 1;
    }
    const std::size_t ended = pending_ / length_;
    pending_ %= length_;
    return ended;
  }

  // Whether the client wants the connection closed after its answer.
  bool closes() const noexcept { return closes_; }
  bool old() const noexcept { return old_; }

private:
  std::size_t first(std::string_view bytes);

  std::size_t length_ = 0;  // of a request, head and content; 0: not known
  std::size_t pending_ = 0;
  std::string head_ = {};  // of the first request, until it is complete
  bool closes_ = false;
  bool old_ = false;
};

// A non-blocking socket that listens on 127.0.0.1. `port` becomes the one that it has.
int listen_on(std::uint16_t& port);

// Ready for the first byte of a request, not to wait for more.
void no_delay(int socket);

// How many descriptors this process may have, after asking for all it can get.
std::size_t descriptor_limit();

// They serve until SIGTERM. False: the kernel refuses what is needed.
bool serve_epoll(int listener);
bool serve_uring(int listener);

}  // namespace bench
