// Shared by the floor servers: one constant answer, and counting the requests that have arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace bench {

// The bytes that bench-server sends for GET /. Sent for every request.
inline constexpr std::string_view answer =
    "HTTP/1.1 200 OK\r\n"
    "Date: Sun, 22 Nov 2026 04:19:53 GMT\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 13\r\n"
    "\r\n"
    "Hello, World!";

// Repeated answers for a pipeline: for HTTP/1.1, and for HTTP/1.0 with keep-alive.
struct Answers {
  Answers();
  std::string_view owed(std::size_t count, bool is_old) const noexcept;  // empty if `count` is too large

  std::string current = {};
  std::string old = {};
};

// The requests of a connection. Assumes that every request has the length of the first, which is the only one parsed.
// The first may arrive in pieces, and no second one may arrive together with it.
class Requests {
public:
  // The number of requests that end in `bytes`.
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

  // Whether the client asked for Connection: close.
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

// Sets TCP_NODELAY.
void no_delay(int socket);

// The descriptor limit, raised to the hard limit.
std::size_t descriptor_limit();

// Serves with epoll until SIGTERM. Returns false, with errno, when it cannot.
bool serve(int listener);

}  // namespace bench
