// The configuration and keys that all connections of a TLS listener share. Loaded from files and immutable: when the
// files change, a new context is made, and existing connections keep the old one.
//
// TLS 1.2 with ephemeral keys and authenticated encryption only, and TLS 1.3; no renegotiation, compression or early
// data. Sessions are resumed by tickets only, for two hours, and only under the same client verification.
#pragma once

#include "tls/config.hpp"

#include <expected>
#include <memory>
#include <string>

namespace tern::tls {

struct ContextParts;
class TicketKeys;

// Safe for concurrent use.
class Context {
public:
  // Blocks while it reads the files. The error names the file and the fault: it is missing, it is not PEM, the key does
  // not belong to the certificate, the certificate has expired …
  static std::expected<std::shared_ptr<const Context>, std::string> make(const Config& config,
                                                                         std::shared_ptr<TicketKeys> tickets);
  // The ticket keys of one listener, shared by its successive contexts. Throws std::runtime_error.
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
