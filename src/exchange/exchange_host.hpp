// The interface of an exchange to its connection or stream.
#pragma once

#include "net/address.hpp"
#include "net/output.hpp"
#include "tls/session.hpp"

#include <tern/http/fields.hpp>
#include <tern/http/response.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <string_view>

namespace tern::exchange {

class HttpExchange;

// On the loop's thread. An exchange has a host until HttpExchange::disconnect().
class ExchangeHost {
public:
  ExchangeHost(const ExchangeHost&) = delete;
  ExchangeHost& operator=(const ExchangeHost&) = delete;

  // --- The content of the request ---

  // Gives the exchange its next piece of content, the end or the error. False if nothing is available yet.
  virtual bool pull(HttpExchange& exchange) = 0;
  // Content is requested for the first time: a client that expects a 100 gets it.
  virtual void content_is_wanted(HttpExchange& exchange) = 0;
  // A handler waits for content: call HttpExchange::wake() when there is some.
  virtual void wait_for_content() = 0;

  // --- The answer ---

  virtual void inform(Status status, const Fields& fields) = 0;
  // The deferred answer.
  virtual void complete(Response response) = 0;

  // --- The streamed answer ---

  // Frames a piece of content into `buffer`, the stream's own.
  virtual void frame(net::Output& buffer, std::string_view bytes) = 0;
  // Whether frame_file() may be called: content is sent as it is in the file.
  virtual bool takes_files() const noexcept = 0;
  // Frames a part of a file whose content the kernel has in memory.
  virtual void frame_file(net::Output& buffer, const http::FileRange& range) = 0;
  // Frames the end of the content.
  virtual void frame_end(net::Output& buffer, const Fields& trailers) = 0;
  virtual void send_framed(net::Output& buffer) = 0;
  // Bytes that the client has not received.
  virtual std::size_t unsent() const noexcept = 0;
  // False once sending is useless, although disconnect() is still to come.
  virtual bool is_open() const noexcept = 0;
  // The producer has ended.
  virtual void end_stream() = 0;

  // An allocation has failed: only this connection ends.
  virtual void out_of_memory() noexcept = 0;

  // --- Facts ---

  virtual const net::Address& remote() const noexcept = 0;
  // The listener's name. Valid as long as the worker.
  virtual std::string_view listener() const noexcept = 0;
  // "http" or "https".
  virtual std::string_view scheme() const noexcept = 0;
  // The TLS session of the request; null: none.
  virtual const tls::Session* session() const noexcept = 0;

protected:
  ExchangeHost() = default;
  ~ExchangeHost() = default;
};

}  // namespace tern::exchange
