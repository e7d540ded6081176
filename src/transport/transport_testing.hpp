// For tests: one Transport on a socket pair, in the test's thread.
#pragma once

#include "net/loop.hpp"
#include "net/output.hpp"
#include "net/test_iterations.hpp"
#include "transport/transport.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::transport {

// Consumes everything, unless told otherwise, and records the calls.
struct RecordingHandler final : TransportHandler {
  std::size_t on_bytes(std::span<const char> bytes) override {
    const std::string_view text(bytes.data(), bytes.size());
    if (consume) return consume(text);
    received += text;
    return bytes.size();
  }
  void on_end() override { calls.emplace_back("end"); }
  void on_hang_up() override { calls.emplace_back("hang up"); }
  void on_sent() override { calls.emplace_back("sent"); }
  void on_secured() override { calls.emplace_back("secured"); }
  void on_refused() override { calls.emplace_back("refused"); }
  void on_closed(std::error_code error) override {
    calls.emplace_back("closed");
    why = error;
  }

  std::function<std::size_t(std::string_view)> consume;
  std::string received;
  std::vector<std::string> calls;
  std::error_code why;
};

class TransportTest : public ::testing::Test {
protected:
  ~TransportTest() override {
    if (!opened_ || (!handler.calls.empty() && handler.calls.back() == "closed")) return;
    transport.abort();
    turn();
  }

  void open(const ConnectionConfig& config) {
    auto [near, far] = net::non_blocking_pair();
    peer.emplace(std::move(near));
    transport.open(loop, std::move(far), handler, net::Address{}, config, buffers);
    opened_ = true;
  }
  void turn(int count = 4) { net::run_iterations(loop, count); }
  void send(std::string_view bytes) {
    net::Output output;
    output.append(std::string(bytes));
    transport.send(output);
  }

  net::Loop loop;
  SecureBuffers buffers;
  RecordingHandler handler;
  Transport transport;
  std::optional<net::NonBlockingPeer> peer;

private:
  bool opened_ = false;
};

}  // namespace tern::transport
