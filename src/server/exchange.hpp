// One request of an HTTP/1.1 connection, and what is known of its answer. Belongs to a worker, which uses it again; it
// outlives the connection when the handler does.
#pragma once

#include "server/response_stream.hpp"

#include <tern/coro/work.hpp>
#include <tern/http/exchange.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace tern::server {

class Connection;
class Worker;

class HttpExchange final : public Exchange {
public:
  HttpExchange(Worker& worker, std::size_t loop_index);
  ~HttpExchange() = default;

  void limit(const Limits& limits) override { limits_ = limits; }
  bool readable() override;
  void when_readable(std::coroutine_handle<> waiting) override;
  std::expected<std::string_view, StreamError> read() override;
  bool charge(std::size_t bytes) override;
  void inform(Status status, const Fields& fields) override;
  void report(std::string_view message) override;
  std::string_view remote() override;
  std::uint16_t remote_port() override;
  std::string_view scheme() override { return "http"; }

  // Null once the socket is gone.
  Connection* connection() const noexcept { return connection_; }

private:
  friend class Connection;
  friend class Worker;

  // Begins an exchange on `connection`, whose head has just been filled.
  void begin(Connection& connection, const Limits& limits);
  // The socket is gone: the stop token fires, and whoever waits for content is told.
  void disconnect();
  // Content is there, or will never be: resumes the one who waits.
  void wake();
  void fail(StreamError error) noexcept { error_ = error; }
  // The bytes that were received are about to go: copies what of them nobody has read yet.
  void keep_chunk();
  void reset() noexcept;

  Worker& worker_;
  Connection* connection_ = nullptr;        // null once the socket is gone
  ResponseTask task_;                       // while the answer is being made
  std::unique_ptr<ResponseStream> stream_;  // while content is made
  Status status_ = Status::Ok;              // of a streamed response
  base::Box<coro::Work> after_;             // what runs when this exchange is given back
  std::coroutine_handle<> waiting_;
  std::string_view chunk_;
  bool ended_ = false;  // the content is complete
  bool asked_ = false;  // somebody wants the content
  std::optional<StreamError> error_;
  Limits limits_;
  std::uint64_t received_ = 0;  // bytes of content
  std::size_t charged_ = 0;
  std::uint64_t started_ = 0;  // by the access log's clock, in microseconds
  std::string remote_;
};

}  // namespace tern::server
