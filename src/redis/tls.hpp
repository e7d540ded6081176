// TLS of connections to Redis (OpenSSL): the client's side of TLS 1.2 and 1.3, on a socket. The server's certificate is
// always verified. Replaced by missing_tls.cpp in builds without TLS.
#pragma once

#include <tern/redis/options.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

struct bio_method_st;
struct ssl_ctx_st;
struct ssl_st;

namespace tern::redis {

// What became of a call that sends or receives.
struct Moved {
  enum class State : std::uint8_t { Done, ToRead, ToWrite, Ended, Broken };  // ToRead: when the socket is readable
  State state = State::Done;
  std::size_t bytes = 0;
  int error = 0;  // of the socket, if it is broken; 0: failure() says why
};

// Sends and receives on a socket, without SIGPIPE.
Moved send_plain(int descriptor, std::string_view bytes) noexcept;
Moved receive_plain(int descriptor, std::span<char> buffer) noexcept;

// What the connections of one RedisOptions share: authorities, and the client's certificate. From any thread.
class TlsContext {
public:
  // Reads the files. Throws std::invalid_argument, with `who` in front.
  TlsContext(const RedisOptions& options, const std::string& who);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

private:
  friend class TlsChannel;
  bio_method_st* method_ = nullptr;
  ssl_ctx_st* context_ = nullptr;
  std::string server_name_;
  bool by_address_ = false;
};

class TlsChannel {
public:
  // The context outlives it. Throws std::bad_alloc.
  TlsChannel(const TlsContext& context, int descriptor);
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;
  // Tells the server, as far as that does not wait.
  ~TlsChannel();

  Moved handshake() noexcept;
  // After the handshake. `bytes` that were not sent are passed again.
  Moved send(std::string_view bytes) noexcept;
  // A buffer of 16 KiB leaves nothing that the socket would not report.
  Moved receive(std::span<char> buffer) noexcept;

  // Why it is broken: "TLS: the certificate is not accepted: certificate has expired".
  std::string failure() const;

private:
  friend class TlsContext;
  struct Wire;  // the socket, for OpenSSL

  Moved moved(int result, std::size_t bytes) noexcept;

  int descriptor_;
  int error_ = 0;  // of the socket
  ssl_st* ssl_ = nullptr;
  unsigned long reason_ = 0;
  bool open_ = false;
  bool broken_ = false;
};

}  // namespace tern::redis
