// Who seals what a session sends in place of OpenSSL: the kernel, where it does (kernel TLS).
#pragma once

#include <cstdint>
#include <string_view>

namespace tern::tls {

// Called from inside of Session::receive() and close().
class Sealer {
public:
  Sealer(const Sealer&) = delete;
  Sealer& operator=(const Sealer&) = delete;

  // Everything in the session's `out` is to be sent as it is, and `out` to be left empty; what is sent after it is to
  // be sealed with `parameters`, which the kernel understands (tls_crypto_info of <linux/tls.h>, with what its cipher
  // adds). False where that cannot be: OpenSSL goes on sealing, behind what is in `out` or has been sent.
  virtual bool seal(const void* parameters) = 0;

  // After seal() only: a record that is not application data, to be sealed and sent behind everything before it.
  virtual void send_record(std::uint8_t type, std::string_view content) = 0;

protected:
  Sealer() = default;
  ~Sealer() = default;
};

}  // namespace tern::tls
