// A fixture with an App and the server that runs it.
#pragma once

#include "server/running_server.hpp"

#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace tern::testing {

// A blocking handler that keeps its thread of the pool until it is let go.
class Holder {
public:
  auto handler() {
    return blocking([this] {
      ++begun_;
      const std::lock_guard lock(busy_);
      return "done";
    });
  }
  int begun() const noexcept { return begun_; }
  void let_go() { hold_.unlock(); }

private:
  std::mutex busy_;
  std::unique_lock<std::mutex> hold_{busy_};
  std::atomic<int> begun_ = 0;
};

// For tests of an app over sockets: register with `app`, adjust `settings`, then use client(); the server starts by
// that.
class AppTest : public ::testing::Test {
protected:
  RunningServer& running() {
    if (!running_) running_ = std::make_unique<RunningServer>(app.service(), settings);
    return *running_;
  }
  HttpClient client(int receive_buffer = 0) { return running().client(receive_buffer); }
  // Whether every exchange ends.
  bool all_ended() {
    return running().eventually([this] { return running().worker().context().exchanges_in_use() == 0; });
  }

  App app;
  Gate gate;
  exchange::Settings settings;

private:
  std::unique_ptr<RunningServer> running_;
};

}  // namespace tern::testing
