// What a client says and understands, one request at a time, without a socket: HTTP/1.1 or HTTP/2.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::testing {

using FieldPairs = std::vector<std::pair<std::string, std::string>>;

// What has come of an answer.
struct Reaction {
  int status = 0;            // 0: no final one yet
  std::vector<int> interim;  // statuses before it
  FieldPairs fields;         // names in lower case
  FieldPairs trailers;
  std::string content;
  bool complete = false;  // to its end
  bool broken = false;    // there will be no more, although it is not complete

  bool over() const { return complete || broken; }
  // The value of the first field of that name, in lower case; empty when there is none.
  std::string field(std::string_view name) const {
    for (const auto& [other, value] : fields) {
      if (other == name) return value;
    }
    return {};
  }
};

// `content` that is not the `end` goes on with further(). Who knows its length beforehand says so in `fields`.
struct Question {
  std::string_view method = "GET";
  std::string_view path = "/";
  FieldPairs fields = {};
  std::string_view content = {};
  bool end = true;
  bool websocket = false;  // the handshake of one: `content`, and what comes behind it, are its frames
};

class Speech {
public:
  Speech() = default;
  Speech(const Speech&) = delete;
  Speech& operator=(const Speech&) = delete;
  virtual ~Speech() = default;

  // The answer before is complete.
  virtual void ask(const Question& question) = 0;
  virtual void further(std::string_view content, bool end) = 0;
  // Ends the content with trailers.
  virtual void trailers(const FieldPairs& fields) = 0;
  // Gives the request up, and keeps the connection. False: that cannot be said.
  virtual bool cancel() = 0;
  // What the server has sent.
  virtual void take(std::string_view bytes, Reaction& reaction) = 0;
  // The server has ended its side.
  virtual void ended(Reaction& reaction) = 0;
  // Whether the server has said what it has to say before it ends the connection in good order.
  virtual bool told_the_end() const = 0;
  // What is to be sent by now.
  virtual std::string output() = 0;
};

std::unique_ptr<Speech> http1_speech();
// Null where this library was built without it.
std::unique_ptr<Speech> http2_speech(std::string scheme);
bool has_http2_speech();

}  // namespace tern::testing
