#pragma once

namespace tern::websockets {

// The exchange of a WebSocket's handshake, kept while its coroutine may use the request. On the loop's thread.
class RetainedRequest {
public:
  // The client has disconnected: copies its data.
  virtual void disconnect() noexcept = 0;
  // The last call.
  virtual void release() noexcept = 0;

protected:
  RetainedRequest() = default;
  ~RetainedRequest() = default;
};

}  // namespace tern::websockets
