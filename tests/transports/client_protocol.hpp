// The client's side of HTTP/1.1 or HTTP/2, one request at a time, without a socket.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::testing {

using FieldPairs = std::vector<std::pair<std::string, std::string>>;

// The received part of a response.
struct ClientResponse {
  int status = 0;            // 0: no final status yet
  std::vector<int> interim;  // statuses before it
  FieldPairs fields;         // names in lower case
  FieldPairs trailers;
  std::string content;
  bool complete = false;  // to its end
  bool broken = false;    // it will never be complete

  bool over() const { return complete || broken; }
  // The value of the first field of that name (in lower case); empty if there is none.
  std::string field(std::string_view name) const {
    for (const auto& [other, value] : fields) {
      if (other == name) return value;
    }
    return {};
  }
};

// Without `end`, the `content` continues with send_content(). A known length must be in `fields`.
struct ClientRequest {
  std::string_view method = "GET";
  std::string_view path = "/";
  FieldPairs fields = {};
  std::string_view content = {};
  bool end = true;
  bool websocket = false;  // its handshake: `content` and later content are its frames
};

class ClientProtocol {
public:
  ClientProtocol() = default;
  ClientProtocol(const ClientProtocol&) = delete;
  ClientProtocol& operator=(const ClientProtocol&) = delete;
  virtual ~ClientProtocol() = default;

  // The previous response is complete.
  virtual void ask(const ClientRequest& request) = 0;
  virtual void send_content(std::string_view content, bool end) = 0;
  // Ends the content with trailers.
  virtual void trailers(const FieldPairs& fields) = 0;
  // Cancels the request, and keeps the connection. False if the protocol cannot do that.
  virtual bool cancel() = 0;
  // Processes the server's bytes.
  virtual void take(std::string_view bytes, ClientResponse& response) = 0;
  // The server has ended its sending side.
  virtual void ended(ClientResponse& response) = 0;
  // Whether the server has announced the end of the connection, as far as the protocol can.
  virtual bool closed_gracefully() const = 0;
  // The pending output.
  virtual std::string output() = 0;
};

std::unique_ptr<ClientProtocol> http1_client_protocol();
// Null in a build without HTTP/2.
std::unique_ptr<ClientProtocol> http2_client_protocol(std::string scheme);
bool has_http2_client_protocol();

}  // namespace tern::testing
