// A request of the test client, and the response before it is written.
#pragma once

#include "http1/connection.hpp"

#include <tern/http/memory_exchange.hpp>
#include <tern/http/response.hpp>
#include <tern/http/websocket.hpp>
#include <tern/testing.hpp>

#include <memory>
#include <string>

namespace tern::testing {

struct Client::Exchanged {
  const http1::Limits limits = {};
  http1::Connection protocol{limits};
  std::string text;                          // of the request
  std::unique_ptr<MemoryExchange> exchange;  // null: the request was rejected
  Response response;
  base::Box<http::SocketUpgrade> upgrade;  // of a handshake that was agreed upon
  std::string subprotocol;
};

}  // namespace tern::testing
