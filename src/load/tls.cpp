#include "load/run_engine.hpp"
#include "load/tls_channel.hpp"

namespace tern::load {

LoadReport run_tls(const LoadOptions& options, const Target& target, const Address& address) {
  const OwnedContext context = tls_context(options.verify, options.http2);
  return run_engine<TlsChannel>(options, target, [&]() -> TlsChannel {
    PlainChannel socket(connect_to(address));
    if (socket.descriptor() < 0) return {};
    return TlsChannel(*context, std::move(socket), target.host, options.http2);
  });
}

}  // namespace tern::load
