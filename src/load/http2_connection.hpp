// The client side of a connection with HTTP/2 (RFC 9113), as far as a load needs it, without a socket.
#pragma once

#include "load/http_answer.hpp"
#include "load/run.hpp"
#include "load/target.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::load {

// A request, with the pseudo-fields first and names in lower case.
struct Http2Request {
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string content = {};
};

// Throws as run(), and std::invalid_argument for fields that HTTP/2 has not (section 8.2.2).
Http2Request http2_request(const LoadOptions& options, const Target& target);

class Http2Connection {
public:
  // Streams that have ended.
  struct Ends {
    std::vector<Clock::time_point> answered = {};     // when these requests began
    std::vector<Clock::time_point> unprocessed = {};  // the server has not looked at them, and says so (section 6.8)
    std::size_t reset = 0;                            // or ended by an error of the connection
    std::string reason = {};                          // of the last of these
  };

  Http2Connection() = default;
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;
  virtual ~Http2Connection() = default;

  // A request; one above the limit of the server waits until it may be sent. Not on a connection that drains.
  virtual void begin(Clock::time_point begin) = 0;
  // False: this is no HTTP/2.
  virtual bool receive(std::string_view bytes) = 0;
  // What is to be sent; valid until the next call of another member.
  virtual std::string_view output() = 0;
  virtual void sent(std::size_t bytes) = 0;

  // Since the last call.
  Ends take_ends() { return std::exchange(ends_, {}); }
  // Requests without an end.
  std::size_t open() const noexcept { return open_; }
  // It takes no more requests: the server is about to close it, or it has no more numbers for streams.
  bool drains() const noexcept { return drains_; }

protected:
  Ends ends_ = {};
  std::size_t open_ = 0;
  bool drains_ = false;
};

// `request` and `classes`, in which complete responses are counted, outlive it. Throws std::runtime_error in a build
// without HTTP/2.
std::unique_ptr<Http2Connection> make_http2_connection(const Http2Request& request, StatusClasses& classes);

}  // namespace tern::load
