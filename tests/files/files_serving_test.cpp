// App::files() on several loops, while the files change.
#include "tern/running_app.hpp"
#include "web/file_testing.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

namespace tern::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ServingFiles : public FolderTest {
protected:
  ~ServingFiles() override { app.stop(); }

  void start(unsigned threads = 2) {
    app.files("/", folder.string(), {.listing = true});
    Options options = quiet();
    options.threads = threads;
    app.start(options);
  }
  std::string get(const std::string& path) const { return tern::get(app.port(), path); }
  // Replaces it as a whole.
  void replace(const std::string& name, const std::string& content) const {
    write(name + ".next", content);
    std::filesystem::rename(folder / (name + ".next"), folder / name);
  }

  App app;
};

std::string content_of_response(const std::string& response) {
  const std::size_t end = response.find("\r\n\r\n");
  return end == std::string::npos ? "no response" : response.substr(end + 4);
}

// Whether it is one letter, that many times.
bool is_whole(const std::string& content, std::size_t size) {
  return content.size() == size && std::ranges::count(content, content.front()) == static_cast<std::ptrdiff_t>(size);
}

TEST_F(ServingFiles, are_whole_while_they_are_replaced) {
  constexpr std::size_t small = 5000;
  constexpr std::size_t large = 500'000;
  write("small.txt", std::string(small, 'a'));
  write("large.txt", std::string(large, 'a'));
  start(3);
  std::atomic<bool> done = false;
  std::thread writing([&] {
    for (char c = 'a'; !done; c = c == 'z' ? 'a' : static_cast<char>(c + 1)) {
      replace("small.txt", std::string(small, c));
      replace("large.txt", std::string(large, c));
    }
  });
  std::vector<std::thread> reading;
  for (int i = 0; i < 3; ++i) {
    reading.emplace_back([&] {
      for (int n = 0; n < 60; ++n) {
        EXPECT_TRUE(is_whole(content_of_response(get("/small.txt")), small));
        EXPECT_TRUE(is_whole(content_of_response(get("/large.txt")), large));
        EXPECT_THAT(get("/missing.txt"), StartsWith("HTTP/1.1 404"));
        EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200"));
      }
    });
  }
  for (std::thread& thread : reading) thread.join();
  done = true;
  writing.join();
}

TEST_F(ServingFiles, one_that_is_deleted_while_it_is_sent_arrives_whole) {
  constexpr std::size_t size = 20'000'000;
  write("large.bin", std::string(size, 'x'));
  start();
  net::Peer peer = net::Peer::connect(*net::Address::parse("127.0.0.1", app.port()), 64 * 1024);
  ASSERT_TRUE(peer.send("GET /large.bin HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  const std::string begin = peer.receive(1000);
  std::filesystem::remove(folder / "large.bin");
  EXPECT_TRUE(is_whole(content_of_response(begin + peer.receive_all()), size));
}

TEST_F(ServingFiles, one_that_is_truncated_while_it_is_sent_ends_its_connection_and_no_other) {
  constexpr std::size_t size = 20'000'000;
  write("large.bin", std::string(size, 'x'));
  write("other.txt", "other");
  start(1);
  net::Peer peer = net::Peer::connect(*net::Address::parse("127.0.0.1", app.port()), 64 * 1024);
  ASSERT_TRUE(peer.send("GET /large.bin HTTP/1.1\r\nHost: a\r\n\r\n"));
  const std::string begin = peer.receive(1000);
  std::filesystem::resize_file(folder / "large.bin", 10);
  EXPECT_LT((begin + peer.receive_all()).size(), size);
  EXPECT_THAT(get("/other.txt"), EndsWith("other"));
}

TEST_F(ServingFiles, are_pipelined_in_order) {
  write("small.txt", std::string(100, 's'));
  write("large.txt", std::string(200'000, 'l'));
  start();
  std::string requests;
  for (const char* path : {"/large.txt", "/small.txt", "/large.txt", "/missing", "/small.txt"}) {
    requests += "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
  }
  requests += "GET /small.txt HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n";
  net::Peer peer = connect(app.port());
  ASSERT_TRUE(peer.send(requests));
  const std::string all = peer.receive_all();
  EXPECT_EQ(std::ranges::count(all, 'l') >= 400'000, true);
  std::size_t at = 0;
  for (const char* status : {"200 OK", "200 OK", "200 OK", "404 Not Found", "200 OK", "206 Partial Content"}) {
    at = all.find("HTTP/1.1 ", at);
    ASSERT_NE(at, std::string::npos);
    EXPECT_EQ(all.substr(at + 9, std::string_view(status).size()), status);
    ++at;
  }
  EXPECT_THAT(all, EndsWith("\r\n\r\nss"));
}

TEST_F(ServingFiles, an_http_1_0_client_gets_the_length) {
  write("large.txt", std::string(200'000, 'l'));
  start();
  net::Peer peer = connect(app.port());
  ASSERT_TRUE(peer.send("GET /large.txt HTTP/1.0\r\n\r\n"));
  const std::string response = peer.receive_all();
  EXPECT_THAT(response.substr(0, 500), HasSubstr("Content-Length: 200000\r\n"));
  EXPECT_TRUE(is_whole(content_of_response(response), 200'000));
}

}  // namespace
}  // namespace tern::testing
