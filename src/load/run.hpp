// The load of tern bench.
#pragma once

#include "load/http_answer.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tern::load {

struct LoadOptions {
  std::string url = {};
  std::string method = "GET";
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string content = {};
  std::size_t connections = 64;
  bool http2 = false;       // by ALPN for https, by prior knowledge for http (RFC 9113, section 3)
  std::size_t streams = 1;  // of HTTP/2: requests at a time of each connection
  double seconds = 10;
  double warm_up = 0;
  double rate = 0;     // requests a second over all connections; 0: as fast as responses come
  double grace = 5;    // with a rate, for responses after the end
  bool verify = true;  // certificates
};

struct LoadReport {
  double seconds = 0;
  std::size_t requests = 0;  // with a complete response
  std::size_t errors =
      0;  // connections that broke; of HTTP/2, requests whose connection broke or whose stream was reset
  std::string last_error = {};
  std::size_t unanswered = 0;  // with a rate: due within the time, without a response at the end of the grace
  std::uint64_t received_bytes = 0;
  StatusClasses classes = {};  // warm-up included
  double mean = 0;             // of the latencies, in microseconds, as the others
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

// Blocks. Throws std::invalid_argument for a URL, method or field that cannot be sent, and std::runtime_error if the
// host is unknown or all requests have failed for a second. SIGPIPE is ignored from now on.
LoadReport run(const LoadOptions& options);

// Throws std::invalid_argument for a method or field that cannot be sent.
void check_request(const LoadOptions& options);
// Whether the length of the content is sent, be it 0.
bool has_content(const LoadOptions& options);
// The request as it is sent over HTTP/1.1. Throws as run().
std::string request_text(const LoadOptions& options);

}  // namespace tern::load
