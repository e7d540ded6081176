// For the tests of this room: options for an app that is run in the test's process, and clients of it.
#pragma once

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
  options.log.level = LogLevel::Off;
  return options;
}

inline net::Peer connect(std::uint16_t port, const char* host = "127.0.0.1") {
  return net::Peer::connect(*net::Address::parse(host, port));
}

// The whole answer to a GET, until the connection ends.
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

// A folder of the test's own, for logs and sockets.
class TestFolder {
public:
  TestFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tern-run-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~TestFolder() { std::filesystem::remove_all(path); }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path path;
};

// What happened, in order, told by any thread.
class Story {
public:
  void tell(std::string what) {
    const std::lock_guard lock(mutex_);
    told_.push_back(std::move(what));
  }
  std::vector<std::string> told() {
    const std::lock_guard lock(mutex_);
    return told_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> told_;
};

// An app, what happens with it, and a folder for its logs.
class AppLife : public ::testing::Test {
protected:
  AppLife() {
    app.get("/hello", [] { return "Hello, World!"; });
  }

  Options logged() const {
    Options options = quiet();
    options.log = {AccessLog::Off, {}, LogLevel::Error, folder.path / "error"};
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
  Story story;
  App app;
};

inline Task<> for_ever() {
  co_await sleep_for(Seconds(100'000));
}

}  // namespace tern
