// Engine: connections that send a request again and again, and the latencies of its responses.
//
// With a rate, requests are sent when they are due, without looking at how fast responses come, and a latency is
// counted from when its request was due: one that had to wait for a connection, because all were slow, has waited (no
// coordinated omission). Without, each connection sends the next request when it has the response: latencies are those
// of a server that is asked as fast as it answers.
#pragma once

#include "load/engine_base.hpp"

#include <sys/epoll.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace tern::load {

struct EngineOptions {
  std::string request;  // one or several (`depth`), sent at once
  std::size_t depth = 1;
  std::size_t connections = 64;
  double rate = 0;     // requests a second over all connections; 0: as fast as responses come
  double grace = 0;    // seconds after the end for responses to requests that were due before it
  bool spins = false;  // it has a processor of its own: requests are sent to the microsecond
};

enum class Progress : std::uint8_t { More, Complete, Broken };

template <class Channel, class Answer>
struct EngineConnection {
  explicit EngineConnection(const Answer& reader) : answer(reader) {}
  Channel channel = {};
  Answer answer;
  bool waits_to_write = false;
  bool is_busy = false;    // a request is under way
  bool has_ended = false;  // its response is complete, and the server is about to close
  std::size_t sent = 0;
  Clock::time_point begin = {};
};

// Channel: see PlainChannel. Answer: receive(bytes) and end(), at the end of the input, return a Progress; closes()
// says of a complete one that the server closes the connection; reset() comes before the next.
template <class Channel, class Answer, class Connect>
class Engine : public EngineBase<Engine<Channel, Answer, Connect>, EngineConnection<Channel, Answer>> {
  using Connection = EngineConnection<Channel, Answer>;
  using Base = EngineBase<Engine, Connection>;
  friend Base;

public:
  // `connect()` makes a channel; one without descriptor, and errno, if it cannot. Each connection has a copy of
  // `answer`.
  Engine(EngineOptions options, Answer answer, Connect connect)
      : Base(options.rate, options.grace, options.spins), options_(std::move(options)), connect_(std::move(connect)) {
    this->connections_.reserve(options_.connections);
    for (std::size_t i = 0; i < options_.connections; ++i) this->connections_.emplace_back(answer);
  }

private:
  void open(Connection& connection) {
    const auto begin = Clock::now();  // where each request has a connection, opening it is part of its latency
    connection.channel = connect_();
    if (connection.channel.descriptor() < 0) return broke(connection);
    connection.answer.reset();
    connection.is_busy = connection.has_ended = false;
    connection.sent = 0;
    this->watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    next(connection, begin);
  }

  // At once, or when the next request is due.
  void next(Connection& connection, Clock::time_point now) {
    if (this->has_rate()) return this->free_.push_back(&connection);
    begin_request(connection, now);
  }

  void begin_request(Connection& connection, Clock::time_point begin) {
    connection.begin = begin;
    connection.is_busy = true;
    write(connection);
  }

  void send_what_is_due(Clock::time_point last) {
    const auto now = std::min(Clock::now(), last);
    for (; !this->free_.empty() && this->due(this->sent_) <= now; ++this->sent_) {
      Connection& connection = *this->free_.front();
      this->free_.pop_front();
      begin_request(connection, this->due(this->sent_));
    }
  }

  // A connection that broke counts as an error, and another takes its place.
  void broke(Connection& connection) {
    this->count_broken(connection, 1, "the response is incomplete, or no HTTP/1.1");
    end(connection);
  }

  void end(Connection& connection) {
    connection.is_busy = false;
    this->retire(connection);
  }

  void write(Connection& connection) {
    const Moved moved = connection.channel.send(std::string_view(options_.request).substr(connection.sent));
    if (moved.waits == Waits::Broken || moved.waits == Waits::Closed) return broke(connection);
    connection.sent += moved.bytes;
    this->wait_to_write(connection, connection.sent < options_.request.size() && moved.waits != Waits::ToRead);
  }

  void read(Connection& connection) {
    const Moved moved = connection.channel.receive(this->buffer_);
    switch (moved.waits) {
      case Waits::ToRead: return this->wait_to_write(connection, false);
      case Waits::ToWrite: return this->wait_to_write(connection, true);
      case Waits::Broken: return broke(connection);
      case Waits::Closed: return closed(connection);
      case Waits::None: break;
    }
    this->bytes_ += moved.bytes;
    errno = 0;
    if (!connection.is_busy || connection.has_ended) return broke(connection);
    const Progress progress = connection.answer.receive(std::string_view(this->buffer_.data(), moved.bytes));
    if (progress == Progress::Broken) return broke(connection);
    if (progress == Progress::Complete) complete(connection);
  }

  void closed(Connection& connection) {
    errno = 0;
    if (connection.has_ended) return end(connection);
    if (!connection.is_busy || connection.answer.end() != Progress::Complete) return broke(connection);
    complete(connection);
    end(connection);
  }

  void complete(Connection& connection) {
    const auto now = Clock::now();
    this->succeeded(options_.depth);
    this->latencies_.add(now - connection.begin);
    if (connection.sent < options_.request.size()) return end(connection);  // the server knows no end of the request
    connection.has_ended = connection.answer.closes();
    if (connection.has_ended) return;  // until the server closes
    connection.answer.reset();
    connection.is_busy = false;
    connection.sent = 0;
    next(connection, now);
  }

  void handle(Connection& connection, std::uint32_t events) {
    if (connection.is_busy && connection.sent < options_.request.size()) write(connection);
    if (connection.channel.descriptor() < 0) return;
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
  }

  std::size_t waiting() const {
    const auto waits = [](const Connection& connection) { return connection.is_busy && !connection.has_ended; };
    return static_cast<std::size_t>(std::ranges::count_if(this->connections_, waits));
  }

  EngineOptions options_;
  Connect connect_;
};

}  // namespace tern::load
