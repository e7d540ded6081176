// Compression over sockets: flushes, fillers of events, several loops, a drain; contents of requests in pieces.
#include "tern/running_app.hpp"
#include "web/coding_testing.hpp"
#include "web/encoder.hpp"

#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <thread>
#include <vector>

namespace tern {
namespace {

using ::testing::HasSubstr;

const std::string document = web::compressible_text(200'000);

// Over HTTP/1.0 a streamed content has no framing, and ends with the connection.
net::Peer ask(std::uint16_t port, const std::string& path, const std::string& coding) {
  net::Peer peer = connect(port);
  peer.send("GET " + path + " HTTP/1.0\r\nHost: a\r\nAccept-Encoding: " + coding + "\r\n\r\n");
  return peer;
}

// A response whose content is decoded while it arrives.
class GzipReader {
public:
  explicit GzipReader(net::Peer peer) : peer_(std::move(peer)) {
    inflateInit2(&stream_, MAX_WBITS + 16);
    while (!head.contains("\r\n\r\n")) head += peer_.receive_some(1);
  }
  ~GzipReader() { inflateEnd(&stream_); }
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // The next text; may be empty.
  std::string next() {
    std::string bytes = peer_.receive_some();
    ended_ = bytes.empty();
    std::string out(1'000'000, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (!bytes.empty()) complete = inflate(&stream_, Z_SYNC_FLUSH) == Z_STREAM_END;
    return out.substr(0, out.size() - stream_.avail_out);
  }
  // Reads until the text is there, or the end.
  std::string until(std::string_view text) {
    std::string all;
    while (!all.contains(text) && !ended_) all += next();
    return all;
  }
  // The rest.
  std::string rest() {
    std::string all;
    while (!ended_) all += next();
    return all;
  }

  std::string head;
  bool complete = false;  // the end of the gzip stream has arrived

private:
  net::Peer peer_;
  z_stream stream_{};
  bool ended_ = false;
};

class CompressionServer : public ::testing::Test {
protected:
  CompressionServer() {
    app.use(Compress());
    app.get("/whole", [] { return Response::static_content(media::json, document); });
    app.get("/small", [] { return Response::static_content(media::json, std::string_view(document).substr(0, 3000)); });
  }
  void start(unsigned threads) {
    Options options = quiet();
    options.threads = threads;
    app.start(options);
  }

  App app;
};

TEST_F(CompressionServer, an_event_arrives_before_the_stream_ends) {
  Event gate;
  app.get("/events", [&gate] {
    return event_stream([&gate](EventStream& events) -> Task<> {
      co_await events.send("first");
      co_await gate;
      co_await events.send("second");
    });
  });
  app.post("/open", [&gate] { gate.set(); });
  start(1);
  GzipReader events(ask(app.port(), "/events", "gzip"));
  EXPECT_THAT(events.head, HasSubstr("content-encoding: gzip\r\n"));
  EXPECT_EQ(events.until("first\n\n"), "data: first\n\n");
  net::Peer opener = connect(app.port());
  ASSERT_TRUE(opener.send("POST /open HTTP/1.0\r\nContent-Length: 0\r\n\r\n"));
  opener.receive_all();
  EXPECT_EQ(events.rest(), "data: second\n\n");
}

TEST_F(CompressionServer, fillers_of_silent_streams_are_compressed_too) {
  app.get("/quiet", [] {
    const EventStreamOptions often{.keep_alive = Milliseconds(20)};
    return event_stream(
        [](EventStream& events) -> Task<> {
          co_await sleep_for(Milliseconds(300));
          co_await events.send("end");
        },
        often);
  });
  start(1);
  const std::string text = GzipReader(ask(app.port(), "/quiet", "gzip")).rest();
  EXPECT_THAT(text, ::testing::StartsWith(":\n\n"));
  EXPECT_THAT(text, ::testing::EndsWith("data: end\n\n"));
}

TEST_F(CompressionServer, a_stream_that_a_drain_stops_is_complete) {
  app.get("/endless", [] {
    return event_stream([](EventStream& events) -> Task<> {
      co_await events.send("first");
      co_await sleep_for(Seconds(100'000));
    });
  });
  start(1);
  GzipReader events(ask(app.port(), "/endless", "gzip"));
  EXPECT_EQ(events.until("first\n\n"), "data: first\n\n");
  app.stop(false);
  EXPECT_EQ(events.rest(), "");
  EXPECT_TRUE(events.complete);
}

TEST_F(CompressionServer, a_stream_of_many_megabytes_is_compressed) {
  app.get("/rows", [] {
    return Response::stream("application/x-ndjson", [](Writer& writer) -> Task<> {
      for (int i = 0; i < 100; ++i) co_await writer.write(document);
    });
  });
  start(1);
  for (const char* coding : {"gzip", "zstd", "br"}) {
    const std::string response = ask(app.port(), "/rows", coding).receive_all();
    EXPECT_LT(response.size(), 100 * document.size() / 4);
    if (std::string_view(coding) == "gzip") {
      EXPECT_EQ(GzipReader(ask(app.port(), "/rows", coding)).rest().size(), 100 * document.size());
    }
  }
}

TEST_F(CompressionServer, several_loops_and_the_pool_compress_at_once) {
  start(4);
  std::vector<std::thread> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back([this, i] {
      const char* const coding = i % 3 == 0 ? "gzip" : i % 3 == 1 ? "br" : "zstd";
      for (int round = 0; round < 10; ++round) {
        const bool whole = round % 2 == 0;
        const std::string response = ask(app.port(), whole ? "/whole" : "/small", coding).receive_all();
        const std::string coded = response.substr(response.find("\r\n\r\n") + 4);
        EXPECT_EQ(web::decoded(coding, coded), whole ? document : document.substr(0, 3000));
      }
    });
  }
  for (std::thread& client : clients) client.join();
}

std::string gzipped(const std::string& content) {
  std::string coded;
  web::make_encoder(web::ContentCoding::Gzip, {.level = 6})->encode(content, web::Step::Finish, coded);
  return coded;
}

std::string post_head(const std::string& path, std::size_t size) {
  return "POST " + path + " HTTP/1.0\r\nContent-Encoding: gzip\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n";
}

class DecompressionServer : public CompressionServer {
protected:
  DecompressionServer() {
    app.use(Decompress());
    app.post("/echo",
             [](const Request& request) { return Response::bytes(media::bytes, std::string(request.body())); });
    app.post("/count", [](BodyStream body) -> Task<std::string> {
      std::size_t total = 0;
      while (const auto piece = co_await body.next()) total += piece->size();
      co_return std::to_string(total);
    });
    app.get("/hello", [] { return "Hello"; });
  }
};

TEST_F(DecompressionServer, content_may_arrive_byte_by_byte) {
  start(1);
  const std::string content = document.substr(0, 3000);
  const std::string coded = gzipped(content);
  for (const std::string path : {"/echo", "/count"}) {
    net::Peer peer = connect(app.port());
    ASSERT_TRUE(peer.send(post_head(path, coded.size())));
    for (const char byte : coded) ASSERT_TRUE(peer.send({&byte, 1}));
    EXPECT_THAT(peer.receive_all(), ::testing::EndsWith("\r\n\r\n" + (path == "/echo" ? content : "3000")));
  }
}

// The handler suspends between the pieces, while the receive buffer is used for others.
TEST_F(DecompressionServer, content_stays_while_its_reader_does_something_else) {
  app.post("/slow", [](BodyStream body) -> Task<std::string> {
    std::string all;
    while (const auto piece = co_await body.next()) {
      all += *piece;
      co_await sleep_for(Milliseconds(1));
    }
    co_return all;
  });
  start(1);
  std::string noise = web::random_letters(400'000);
  const std::string coded = gzipped(noise);
  net::Peer slow = connect(app.port());
  std::thread sender([&] { slow.send(post_head("/slow", coded.size()) + coded); });
  for (int i = 0; i < 50; ++i) {
    net::Peer other = connect(app.port());
    EXPECT_TRUE(other.send(post_head("/echo", coded.size()) + coded));
    EXPECT_THAT(other.receive_all(), ::testing::EndsWith(noise));
  }
  sender.join();
  EXPECT_THAT(slow.receive_all(), ::testing::EndsWith(noise));
}

TEST_F(DecompressionServer, others_are_served_while_a_gigabyte_is_decoded) {
  start(1);
  std::string bomb;
  const auto encoder = web::make_encoder(web::ContentCoding::Zstd, {.level = 3});
  const std::string zeros(1024 * 1024, '\0');
  for (int i = 0; i < 1024; ++i) encoder->encode(zeros, web::Step::Continue, bomb);
  encoder->encode({}, web::Step::Finish, bomb);
  net::Peer counting = connect(app.port());
  const std::string size = std::to_string(bomb.size());
  ASSERT_TRUE(
      counting.send("POST /count HTTP/1.0\r\nContent-Encoding: zstd\r\nContent-Length: " + size + "\r\n\r\n" + bomb));
  for (int i = 0; i < 3; ++i) EXPECT_THAT(get(connect(app.port()), "/hello"), ::testing::EndsWith("Hello"));
  char byte = 0;
  EXPECT_LT(::recv(counting.number(), &byte, 1, MSG_PEEK | MSG_DONTWAIT), 0) << "the count has come before";
  EXPECT_THAT(counting.receive_all(), ::testing::EndsWith("1073741824"));
}

TEST_F(DecompressionServer, a_client_may_leave_while_its_content_is_decoded) {
  start(1);
  const std::string coded = gzipped(std::string(50'000'000, 'a'));
  for (int i = 0; i < 5; ++i) {
    net::Peer peer = connect(app.port());
    ASSERT_TRUE(peer.send(post_head("/count", coded.size()) + coded));
    peer.reset();
  }
  EXPECT_THAT(get(connect(app.port()), "/hello"), ::testing::EndsWith("Hello"));
}

}  // namespace
}  // namespace tern
