// For tests: a session and a client, connected in memory.
#pragma once

#include "tls/session.hpp"
#include "tls/test_client.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tern::tls {

class SessionPair {
public:
  explicit SessionPair(std::shared_ptr<const Context> context, const ClientOptions& options = {})
      : server(std::move(context)), client(options) {
    client.receive({});
  }

  // Feeds the session in pieces of `step` bytes; its output is in `out`, the plaintext in `received`.
  void feed(std::string_view bytes, std::size_t step = Session::max_received) {
    std::vector<char> plain(Session::room);
    for (std::size_t at = 0; at < bytes.size(); at += step) {
      const std::size_t count = server.receive(bytes.substr(at, step), plain, out);
      received.append(plain.data(), count);
    }
  }

  // Runs until neither side has output.
  void run(std::size_t step = Session::max_received) {
    for (;;) {
      const std::string from_client = client.output();
      feed(from_client, step);
      const std::string to_client = std::exchange(out, {});
      if (from_client.empty() && to_client.empty()) return;
      for (std::size_t at = 0; at < to_client.size(); at += step) {
        client.receive(std::string_view(to_client).substr(at, step));
      }
    }
  }

  Session server;
  TestClient client;
  std::string received;
  std::string out;
};

inline std::shared_ptr<const Context> make_context(const Config& config) {
  auto made = Context::make(config, Context::make_tickets());
  if (!made) ADD_FAILURE() << made.error();
  return made.value_or(nullptr);
}

}  // namespace tern::tls
