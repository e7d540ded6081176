// A fixture with an App and the server that runs it.
#pragma once

#include "server/running.hpp"

#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <memory>

namespace tern::testing {

// For tests of an app over sockets: register with `app`, adjust `settings`, then use client(); the server starts by
// that.
class AppTest : public ::testing::Test {
protected:
  Running& running() {
    if (!running_) running_ = std::make_unique<Running>(app.service(), settings);
    return *running_;
  }
  Client client(int receive_buffer = 0) { return running().client(receive_buffer); }
  // Whether every exchange ends.
  bool all_ended() {
    return running().eventually([this] { return running().worker().exchanges_in_use() == 0; });
  }

  App app;
  Gate gate;
  server::Settings settings;

private:
  std::unique_ptr<Running> running_;
};

}  // namespace tern::testing
