// An exchange without a server, for tests and background work: the request is in memory, and its owner controls when
// content arrives.
#pragma once

#include <tern/http/exchange.hpp>

#include <coroutine>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern {

class MemoryExchange final : public Exchange {
public:
  // `fields` are pairs of name and value. `body` is complete from the start; if `late` is true, the content arrives
  // through arrive() until end().
  MemoryExchange(Method method, std::string target, std::vector<std::pair<std::string, std::string>> fields = {},
                 std::string body = {}, bool late = false);
  ~MemoryExchange() = default;

  void arrive(std::string piece);
  void end();
  void fail(const StreamError& error);
  // Simulates a disconnect: the stop token fires, and reading fails.
  void disconnect();

  bool content_was_asked_for() const noexcept { return asked_; }
  const std::vector<Status>& informed() const noexcept { return informed_; }
  const std::vector<std::string>& reports() const noexcept { return reports_; }
  const Limits& limits() const noexcept override { return limits_; }
  // Trailer fields after the content.
  void set_trailers(std::vector<std::pair<std::string, std::string>> trailers);
  // The token of Method::Extension; it outlives the exchange.
  void set_extension_method(std::string_view token) noexcept { request_.head().extension_method = token; }
  void set_remote(std::string address) { remote_ = std::move(address); }
  void set_listener(std::string name) { listener_ = std::move(name); }
  // Simulates TLS; `facts` outlive the exchange.
  void set_tls(const TlsFacts& facts) noexcept { tls_ = &facts; }
  // Otherwise it follows from TLS.
  void set_scheme(std::string scheme) { scheme_ = std::move(scheme); }
  void set_from_trusted_proxy(bool trusted) noexcept { from_trusted_proxy_ = trusted; }
  void set_budget(std::size_t bytes) noexcept { budget_ = bytes; }

  void limit(const Limits& limits) override { limits_ = limits; }
  bool charge(std::size_t bytes) override;
  void inform(Status status, const Fields&) override { informed_.push_back(status); }
  void log(const http::LogLine& line) override;
  std::string_view remote() override { return remote_; }
  std::uint16_t remote_port() override { return 0; }
  std::string_view listener() override { return listener_; }
  std::string_view scheme() override {
    if (!scheme_.empty()) return scheme_;
    return tls_ != nullptr ? "https" : "http";
  }
  bool from_trusted_proxy() override { return from_trusted_proxy_; }
  const TlsFacts* tls() override { return tls_; }

private:
  bool has_received() override;
  void when_received(std::coroutine_handle<> waiting) override { waiting_ = waiting; }
  std::expected<std::string_view, StreamError> take_received() override;
  void wake();

  std::string target_;
  std::vector<std::pair<std::string, std::string>> fields_;
  std::vector<std::pair<std::string, std::string>> trailers_;
  std::vector<std::string> pieces_;
  std::size_t next_piece_ = 0;
  std::size_t received_ = 0;
  std::size_t budget_ = static_cast<std::size_t>(-1);
  bool ended_ = false;
  bool asked_ = false;
  std::optional<StreamError> error_;
  std::coroutine_handle<> waiting_;
  Limits limits_;
  std::string remote_ = "127.0.0.1";
  std::string listener_;
  std::string scheme_;
  const TlsFacts* tls_ = nullptr;
  bool from_trusted_proxy_ = false;
  std::vector<Status> informed_;
  std::vector<std::string> reports_;
};

}  // namespace tern
