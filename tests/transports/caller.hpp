// A client for tests that do not ask what carries a request: over HTTP/1.1 or HTTP/2, in clear text or under TLS. It
// has one request under way at a time, on one connection.
#pragma once

#include "net/test_peer.hpp"
#include "server/secure_end.hpp"
#include "transports/speech.hpp"
#include "transports/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tern::testing {

// Nothing waits but what says so; what the server does not take yet is kept, and sent while an answer is waited for.
class Caller {
public:
  Caller(Transport transport, std::uint16_t port, int receive_buffer = 0);

  // --- The request ---

  void ask(const Question& question);
  void get(std::string_view path, FieldPairs fields = {}) { ask({.path = path, .fields = std::move(fields)}); }
  void post(std::string_view path, std::string_view content, FieldPairs fields = {}) {
    ask({.method = "POST", .path = path, .fields = std::move(fields), .content = content});
  }
  // A POST whose content goes on.
  void begin(std::string_view path, std::string_view content = {}, FieldPairs fields = {}) {
    ask({.method = "POST", .path = path, .fields = std::move(fields), .content = content, .end = false});
  }
  void send(std::string_view content, bool end = false);
  void end() { send({}, true); }
  void end_with(const FieldPairs& trailers);

  // --- The answer ---

  // As far as it has come.
  const Reaction& so_far() const { return reaction_; }
  // Waits for more of it. False when there will be none.
  bool receive();
  // Takes what has come, and sends what there is room for by now.
  void take_ready();
  // Waits until `condition` holds of so_far(). False when it never will.
  template <class F>
  bool until(F condition) {
    while (!condition(reaction_)) {
      if (!receive()) return condition(reaction_);
    }
    return true;
  }
  // Waits until that much content, or the like, is there.
  bool until_content(std::string_view part) {
    return until([part](const Reaction& reaction) { return reaction.content.contains(part); });
  }
  // Waits for all of it.
  const Reaction& answer();
  const Reaction& answer_of(std::string_view path) {
    get(path);
    return answer();
  }
  // Whether something comes, if only the end, within so many milliseconds.
  bool readable_within(int milliseconds);

  // --- Ends ---

  // Gives the request up: over HTTP/1.1 with its connection.
  void cancel();
  void reset() { peer_.reset(); }
  void close() { peer_.close(); }
  // Ends our side of the connection.
  void end_side();
  // Whether the server ends the connection in good order: over TLS and HTTP/2 it also says so.
  bool ends();
  // Waits for the end, however it comes.
  void await_end();

private:
  void flush();
  void push();
  std::string receive_some();

  net::Peer peer_;
  std::optional<SecureEnd> secure_;
  std::unique_ptr<Speech> speech_;
  Reaction reaction_;
  std::string waiting_;   // what the socket did not take,
  std::size_t sent_ = 0;  // behind this
  bool shaken_ = false;
  bool side_ended_ = false;
  bool ended_ = false;
  bool broken_ = false;  // the end was none in good order
};

}  // namespace tern::testing
