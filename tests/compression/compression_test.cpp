// Compression over sockets: flushes, keep-alives of events, several loops, a drain.
#include "tern/running_app.hpp"
#include "web/coding_testing.hpp"

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

  // What was sent next; empty at the end.
  std::string next() {
    std::string bytes = peer_.receive_some();
    std::string out(1'000'000, '\0');
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    if (!bytes.empty()) complete = inflate(&stream_, Z_SYNC_FLUSH) == Z_STREAM_END;
    out.resize(out.size() - stream_.avail_out);
    return out;
  }
  // Reads until the text is there, or the end.
  std::string until(std::string_view text) {
    std::string all;
    while (!all.contains(text)) {
      const std::string more = next();
      if (more.empty()) break;
      all += more;
    }
    return all;
  }
  // The rest.
  std::string rest() {
    std::string all;
    for (std::string more = next(); !more.empty() || !complete; more = next()) {
      all += more;
      if (more.empty() && stream_.avail_in == 0 && peer_.error() != 0) break;
    }
    return all;
  }

  std::string head;
  bool complete = false;  // the end of the gzip stream has arrived

private:
  net::Peer peer_;
  z_stream stream_{};
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

}  // namespace
}  // namespace tern
