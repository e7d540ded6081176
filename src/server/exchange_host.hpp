// What an exchange asks of the connection, or of the stream of one, that its request came from.
#pragma once

#include "net/address.hpp"
#include "net/output.hpp"
#include "tls/session.hpp"

#include <tern/http/fields.hpp>
#include <tern/http/response.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <string_view>

namespace tern::server {

class HttpExchange;

// On the loop's thread. An exchange has a host until HttpExchange::disconnect().
class ExchangeHost {
public:
  ExchangeHost(const ExchangeHost&) = delete;
  ExchangeHost& operator=(const ExchangeHost&) = delete;

  // --- The content of the request ---

  // Gives the exchange its next piece of content, the end or the error. False when nothing is there yet.
  virtual bool pull(HttpExchange& exchange) = 0;
  // Somebody asks for content for the first time: who expects a 100 gets it.
  virtual void content_is_wanted(HttpExchange& exchange) = 0;
  // Somebody waits for content: HttpExchange::wake() when there is some.
  virtual void wait_for_content() = 0;

  // --- The answer ---

  virtual void inform(Status status, const Fields& fields) = 0;
  // The answer that was waited for.
  virtual void complete(Response response) = 0;

  // --- The answer that is made while it is sent ---

  // Frames a piece of content into `buffer`, the stream's own.
  virtual void frame(net::Output& buffer, std::string_view bytes) = 0;
  // Frames the end of the content.
  virtual void frame_end(net::Output& buffer, const Fields& trailers) = 0;
  virtual void send_framed(net::Output& buffer) = 0;
  // Bytes that wait for the client.
  virtual std::size_t unsent() const noexcept = 0;
  // False once sending is of no use any more, although disconnect() is still to come.
  virtual bool is_open() const noexcept = 0;
  // The producer has ended.
  virtual void end_stream() = 0;

  // An allocation has failed: this connection ends, and nothing else.
  virtual void out_of_memory() noexcept = 0;

  // --- Facts ---

  virtual const net::Address& remote() const noexcept = 0;
  // "http" or "https".
  virtual std::string_view scheme() const noexcept = 0;
  // The TLS that the request came over; null: none.
  virtual const tls::Session* session() const noexcept = 0;

protected:
  ExchangeHost() = default;
  ~ExchangeHost() = default;
};

}  // namespace tern::server
