// Responses whose content is a part of a file: whole, with their length, as fast as the client reads, and broken off
// when the file becomes shorter.
#include "transports/transport_test.hpp"

#include <tern/http/file_range.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace tern::testing {
namespace {

class Files : public TransportTest {
protected:
  // Without a name, so that nothing is left behind.
  Files() : file(open_file()) {}

  void fill(std::string_view bytes) const {
    if (::pwrite(file.descriptor(), bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
      throw std::runtime_error("a test file cannot be written");
    }
  }
  void truncate(std::uint64_t size) const {
    if (::ftruncate(file.descriptor(), static_cast<off_t>(size)) != 0) throw std::runtime_error("ftruncate failed");
  }
  void serve_range(std::uint64_t offset, std::uint64_t length) {
    app.get("/", [this, offset, length] { return Response::file("text/plain", {file, offset, length}); });
  }

  http::SharedFile file;

private:
  static http::SharedFile open_file() {
    const int descriptor = ::open(::testing::TempDir().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) throw std::runtime_error("a test file cannot be made");
    return http::SharedFile(descriptor);
  }
};

INSTANTIATE_TEST_SUITE_P(Over, Files, ::testing::ValuesIn(transports()), ::testing::PrintToStringParamName());

TEST_P(Files, arrive_whole_with_their_length_at_every_size) {
  const std::string all = pattern(3'000'001);
  fill(all);
  app.get("/{size}", [this](std::uint64_t size) { return Response::file("text/plain", {file, 0, size}); });
  TransportClient client = make_client();
  for (const std::size_t size : {0U, 1U, 16383U, 16384U, 16385U, 65536U, 65537U, 3'000'001U}) {
    const ClientResponse& response = client.answer_of("/" + std::to_string(size));
    EXPECT_TRUE(response.complete);
    EXPECT_EQ(response.field("content-length"), std::to_string(size));
    EXPECT_EQ(response.field("content-type"), "text/plain");
    EXPECT_TRUE(response.content == std::string_view(all).substr(0, size)) << size;
  }
  EXPECT_TRUE(all_ended());
}

TEST_P(Files, are_sent_from_an_offset) {
  const std::string all = pattern(300'000);
  fill(all);
  serve_range(100'001, 150'000);
  EXPECT_TRUE(make_client().answer_of("/").content == all.substr(100'001, 150'000));
}

TEST_P(Files, head_has_the_length_and_no_content) {
  fill("some text");
  serve_range(0, 9);
  TransportClient client = make_client();
  client.ask({.method = "HEAD"});
  EXPECT_EQ(client.answer().field("content-length"), "9");
  EXPECT_EQ(client.response_so_far().content, "");
  EXPECT_EQ(client.answer_of("/").content, "some text");
}

TEST_P(Files, may_have_holes_and_more_than_4_gigabytes) {
  constexpr std::uint64_t size = (std::uint64_t{4} << 30) + 1;
  truncate(size);
  serve_range(size - 70'001, 70'001);
  app.get("/whole", [this] { return Response::file("text/plain", {file, 0, size}); });
  TransportClient client = make_client();
  EXPECT_TRUE(client.answer_of("/").content == std::string(70'001, '\0'));
  client.ask({.method = "HEAD", .path = "/whole"});
  EXPECT_EQ(client.answer().field("content-length"), "4294967297");
}

TEST_P(Files, one_that_is_shorter_than_announced_breaks_off) {
  fill("short");
  serve_range(0, 100'000);
  TransportClient client = make_client();
  const ClientResponse& response = client.answer_of("/");
  EXPECT_TRUE(response.broken);
  EXPECT_FALSE(response.complete);
  EXPECT_TRUE(all_ended());
  EXPECT_EQ(make_client().answer_of("/hello").status, 200);
}

TEST_P(Files, one_that_is_truncated_while_it_is_sent_breaks_off) {
  constexpr std::uint64_t size = 64 * 1024 * 1024;
  truncate(size);
  serve_range(0, size);
  TransportClient client = this->make_client(64 * 1024);
  client.get("/");
  ASSERT_TRUE(client.until_content(std::string(1, '\0')));
  truncate(1000);
  EXPECT_TRUE(client.answer().broken);
  EXPECT_TRUE(all_ended());
}

TEST_P(Files, a_client_that_goes_ends_the_sending) {
  constexpr std::uint64_t size = 64 * 1024 * 1024;
  truncate(size);
  serve_range(0, size);
  for (const Disconnection how : {Disconnection::Cancel, Disconnection::Reset}) {
    TransportClient client = this->make_client(64 * 1024);
    client.get("/");
    ASSERT_TRUE(client.until_content(std::string(1, '\0')));
    go(client, how);
    EXPECT_TRUE(all_ended());
  }
}

TEST_P(Files, a_slow_reader_stops_the_reading) {
  constexpr std::uint64_t size = 64 * 1024 * 1024;
  truncate(size);
  serve_range(0, size);
  TransportClient client = this->make_client(64 * 1024);
  client.get("/");
  ASSERT_TRUE(client.until_content(std::string(1, '\0')));
  settle();
  std::size_t held = 0;
  running().on_loop([&] { held = running().worker().context().shared().memory.used(); });
  EXPECT_LT(held, GetParam() == Transport::Http1 ? 1024U : 256U * 1024U);  // where the kernel sends it, nothing
  EXPECT_EQ(client.answer().content.size(), size);
}

}  // namespace
}  // namespace tern::testing
