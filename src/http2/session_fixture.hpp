// For the tests: a session, its streams and a client, connected in memory.
#pragma once

#include "http2/test_client.hpp"

#include <list>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tern::http2 {

struct FixtureHead {
  RequestHead head;
  Arena arena;
};

class FixtureStream : private FixtureHead, public Stream {
public:
  FixtureStream() : Stream(FixtureHead::head, FixtureHead::arena) {}
  const RequestHead& request() const { return FixtureHead::head; }
  std::size_t footprint() const { return FixtureHead::arena.footprint(); }

  std::string content;
  StreamEvents seen;
};

class SessionFixture : public StreamFactory {
public:
  explicit SessionFixture(std::uint32_t client_window = 65535, const Limits& ours = {})
      : limits(ours), client(client_window) {}

  // Transfers bytes both ways until there are none.
  void run() {
    for (bool more = true; more;) {
      const std::string up = client.output();
      if (!up.empty()) session.receive(up, now);
      look();
      more = !up.empty() || flush();
    }
  }
  // Transfers only bytes of the client.
  bool receive(std::string_view bytes) {
    const bool good = session.receive(bytes, now);
    look();
    return good;
  }
  bool flush() {
    std::string down;
    session.send(down);
    sent += down;
    client.input(down);
    look();
    return !down.empty();
  }
  FixtureStream& stream(std::int32_t id) {
    for (FixtureStream& each : streams) {
      if (each.id() == id) return each;
    }
    throw std::out_of_range("no such stream");
  }
  std::size_t requests() const { return requests_; }

  Limits limits;
  std::uint64_t now = 1;
  bool full = false;     // refuses streams
  bool fails = false;    // throws when a stream is requested
  bool reads = true;     // reads content as it arrives
  bool answers = false;  // answers every request at once
  std::list<FixtureStream> streams;
  std::string sent;
  TestClient client;
  Session session{limits, *this};

private:
  Stream* open_stream() override {
    if (fails) throw std::bad_alloc();
    return full ? nullptr : &streams.emplace_back();
  }

  void look() {
    while (Stream* next = session.next()) {
      auto& stream = static_cast<FixtureStream&>(*next);
      const StreamEvents happened = Session::take_events(stream);
      stream.seen.request |= happened.request;
      stream.seen.content |= happened.content;
      stream.seen.room |= happened.room;
      stream.seen.answered |= happened.answered;
      stream.seen.closed |= happened.closed;
      if (happened.request && !happened.closed) {
        ++requests_;
        if (answers || stream.refused()) answer(stream);
      }
      if (happened.content && reads) {
        std::string piece;
        session.read(stream, piece);
        stream.content += piece;
      }
    }
  }
  void answer(FixtureStream& stream) {
    ResponseHead head;
    if (stream.refused()) head.status = stream.refused()->status;
    session.answer(stream, head, "answer");
  }

  std::size_t requests_ = 0;
};

}  // namespace tern::http2
