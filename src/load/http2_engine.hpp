// Http2Engine: as Engine, over HTTP/2: several requests at a time on each connection. Latencies count from when
// requests were due, as there; a request that the server has not looked at before it closed the connection goes to
// another one, and its latency counts on.
#pragma once

#include "load/engine_base.hpp"
#include "load/http2_connection.hpp"

#include <sys/epoll.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string_view>
#include <utility>

namespace tern::load {

struct Http2EngineOptions {
  std::size_t connections = 64;
  std::size_t streams = 1;  // requests at a time of each connection
  double rate = 0;          // requests a second over all connections; 0: as fast as responses come
  double grace = 0;         // seconds after the end for responses to requests that were due before it
};

template <class Channel>
struct Http2EngineConnection {
  Channel channel = {};
  std::unique_ptr<Http2Connection> http2 = {};
  bool waits_to_write = false;
  bool has_answered = false;
};

// Channel: see PlainChannel.
template <class Channel, class Connect>
class Http2Engine : public EngineBase<Http2Engine<Channel, Connect>, Http2EngineConnection<Channel>> {
  using Connection = Http2EngineConnection<Channel>;
  using Base = EngineBase<Http2Engine, Connection>;
  friend Base;

public:
  // `connect()` makes a channel; one without descriptor, and errno, if it cannot. `classes` outlives it.
  Http2Engine(Http2EngineOptions options, Http2Request request, StatusClasses& classes, Connect connect)
      : Base(options.rate, options.grace, false),
        streams_(options.streams),
        request_(std::move(request)),
        classes_(classes),
        connect_(std::move(connect)) {
    this->connections_.resize(options.connections);
  }

private:
  void open(Connection& connection) {
    connection.channel = connect_();
    connection.http2 = make_http2_connection(request_, classes_);
    connection.has_answered = false;
    if (connection.channel.descriptor() < 0) return broke(connection);
    this->watch(connection, EPOLL_CTL_ADD, EPOLLIN);
    this->free_.insert(this->free_.end(), streams_, &connection);
    if (!this->has_rate()) fill(connection);
    write(connection);
  }

  // As fast as responses come: a request for each stream that is free.
  void fill(Connection& connection) {
    for (std::size_t free = std::erase(this->free_, &connection); free > 0; --free) {
      connection.http2->begin(next_begin(Clock::now()));
    }
  }

  // Requests that another connection has not sent come first.
  Clock::time_point next_begin(Clock::time_point otherwise) {
    if (again_.empty()) return otherwise;
    const auto begin = again_.front();
    again_.pop_front();
    return begin;
  }

  void send_what_is_due(Clock::time_point last) {
    const auto now = std::min(Clock::now(), last);
    while (!this->free_.empty() && (!again_.empty() || this->due(this->sent_) <= now)) {
      Connection& connection = *this->free_.front();
      this->free_.pop_front();
      if (again_.empty()) {
        connection.http2->begin(this->due(this->sent_++));
      } else {
        connection.http2->begin(next_begin(now));
      }
      write(connection);
    }
  }

  // The requests that were under way count as errors, and so does a connection without any.
  void broke(Connection& connection) {
    this->count_broken(connection, std::max<std::size_t>(connection.http2->open(), 1),
                       "the response is incomplete, or no HTTP/2");
    this->retire(connection);
  }

  void write(Connection& connection) {
    while (connection.channel.descriptor() >= 0) {
      const std::string_view output = connection.http2->output();
      if (output.empty()) return this->wait_to_write(connection, false);
      const Moved moved = connection.channel.send(output);
      if (moved.waits == Waits::Broken || moved.waits == Waits::Closed) return broke(connection);
      connection.http2->sent(moved.bytes);
      if (moved.waits == Waits::ToRead) return this->wait_to_write(connection, false);
      if (moved.waits == Waits::ToWrite) return this->wait_to_write(connection, true);
    }
  }

  void read(Connection& connection) {
    const Moved moved = connection.channel.receive(this->buffer_);
    switch (moved.waits) {
      case Waits::ToRead: return;
      case Waits::ToWrite: return this->wait_to_write(connection, true);
      case Waits::Broken: return broke(connection);
      case Waits::Closed: return closed(connection);
      case Waits::None: break;
    }
    this->bytes_ += moved.bytes;
    errno = 0;
    const bool is_http2 = connection.http2->receive(std::string_view(this->buffer_.data(), moved.bytes));
    take_ends(connection);
    if (!is_http2) return broke(connection);
    if (connection.http2->drains() && connection.http2->open() == 0) return ended(connection);
    write(connection);
  }

  void take_ends(Connection& connection) {
    const Http2Connection::Ends ends = connection.http2->take_ends();
    const auto now = Clock::now();
    for (const auto begin : ends.answered) this->latencies_.add(now - begin);
    again_.insert(again_.end(), ends.unprocessed.begin(), ends.unprocessed.end());
    if (!ends.answered.empty()) {
      this->succeeded(ends.answered.size());
      connection.has_answered = true;
    }
    if (ends.reset > 0) this->count_errors(ends.reset, ends.reason);
    if (connection.http2->drains()) {
      std::erase(this->free_, &connection);
      return;
    }
    this->free_.insert(this->free_.end(), ends.answered.size() + ends.reset, &connection);
    if (!this->has_rate()) fill(connection);
  }

  void closed(Connection& connection) {
    errno = 0;
    return connection.http2->open() == 0 ? ended(connection) : broke(connection);
  }

  // By the server, in order.
  void ended(Connection& connection) {
    if (!connection.has_answered) this->count_errors(1, "the server closes connections without an answer");
    this->retire(connection);
  }

  void handle(Connection& connection, std::uint32_t events) {
    if ((events & ~static_cast<std::uint32_t>(EPOLLOUT)) != 0) read(connection);
    if (connection.channel.descriptor() >= 0) write(connection);
  }

  std::size_t waiting() const {
    std::size_t count = again_.size();
    for (const Connection& connection : this->connections_) {
      if (connection.channel.descriptor() >= 0) count += connection.http2->open();
    }
    return count;
  }

  const std::size_t streams_;
  Http2Request request_;
  StatusClasses& classes_;
  Connect connect_;
  std::deque<Clock::time_point> again_ = {};  // begins of requests that go to another connection
};

}  // namespace tern::load
