// What all connections of a TLS listener share. Made from files, never changed afterwards: when the files change,
// another one is made, and connections that exist keep theirs.
//
// TLS 1.2 with ephemeral keys and authenticated encryption only, and TLS 1.3; no renegotiation, no compression, no
// early data. Sessions are resumed by tickets alone, for two hours, and only where the same clients are trusted.
#pragma once

#include "tls/config.hpp"

#include <expected>
#include <memory>
#include <string>

namespace tern::tls {

struct ContextParts;
class TicketKeys;

// Used by all threads at once.
class Context {
public:
  // Blocks for reading the files. The error names the file and says what is wrong with it: it is missing, it is not
  // PEM, the key does not belong to the certificate, the certificate has expired …
  static std::expected<std::shared_ptr<const Context>, std::string> make(const Config& config,
                                                                         std::shared_ptr<TicketKeys> tickets);
  // For the tickets of one listener, over all the contexts that it will have. Throws std::runtime_error.
  static std::shared_ptr<TicketKeys> make_tickets();
  // To be called every hour.
  static void rotate(TicketKeys& tickets);

  explicit Context(std::unique_ptr<const ContextParts> parts);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  // For sessions.
  const ContextParts& parts() const noexcept { return *parts_; }

private:
  const std::unique_ptr<const ContextParts> parts_;
};

}  // namespace tern::tls
