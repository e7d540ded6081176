// For the tests of this room: options of an app in the test's process, and its clients.
#pragma once

#include "base/test_folder.hpp"
#include "net/test_peer.hpp"

#include <tern/tern.hpp>

#include <gtest/gtest.h>

#include <stdlib.h>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tern {

inline Options quiet(std::uint16_t port = 0) {
  Options options;
  options.port = port;
  options.threads = 2;
  options.logging.level = LogLevel::Off;
  return options;
}

inline net::Peer connect(std::uint16_t port, const char* host = "127.0.0.1") {
  return net::Peer::connect(*net::Address::parse(host, port));
}

// The complete response to a GET, up to the end of the connection.
inline std::string get(net::Peer peer, const std::string& path) {
  if (!peer.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")) return {};
  return peer.receive_all();
}

inline std::string get(std::uint16_t port, const std::string& path = "/hello") {
  net::Peer peer = connect(port);
  return peer ? get(std::move(peer), path) : std::string();
}

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return (std::ostringstream() << file.rdbuf()).str();
}

using base::TestFolder;  // for logs and sockets

// Records events of all threads, in order.
class EventRecorder {
public:
  void record(std::string what) {
    const std::lock_guard lock(mutex_);
    recorded_.push_back(std::move(what));
  }
  std::vector<std::string> recorded() {
    const std::lock_guard lock(mutex_);
    return recorded_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> recorded_;
};

// An app, its recorded events, and a folder for its logs.
class RunningAppTest : public ::testing::Test {
protected:
  RunningAppTest() {
    app.get("/hello", [] { return "Hello, World!"; });
  }

  Options logged() const {
    Options options = quiet();
    options.logging = {AccessLog::Off, {}, LogLevel::Error, folder.path / "error"};
    return options;
  }
  std::string failure_of_start() {
    try {
      app.start(quiet());
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  TestFolder folder;
  EventRecorder recorder;
  App app;
};

inline Task<> for_ever() {
  co_await sleep_for(Seconds(100'000));
}

}  // namespace tern
