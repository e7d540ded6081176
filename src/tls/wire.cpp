#include "tls/wire.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tern::tls {
namespace {

// What libssl asks of its socket BIO for kernel TLS, of Linux: OpenSSL 3.0's include/internal/bio.h, whose numbers the
// comment above BIO_CTRL_GET_KTLS_SEND in <openssl/bio.h> reserves. It asks for nothing where it was built without.
constexpr int set_ktls = 72;         // `number`: not 0 for sending; `pointer`: the parameters; 1 when it is done
constexpr int set_record_type = 74;  // `number`: of the record that is written next

Wire& wire_of(BIO* bio) noexcept {
  return *static_cast<Wire*>(BIO_get_data(bio));
}

int read_wire(BIO* bio, char* into, std::size_t size, std::size_t* count) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  *count = std::min(size, wire.in.size());
  if (*count == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  std::memcpy(into, wire.in.data(), *count);
  wire.in.remove_prefix(*count);
  return 1;
}

int write_wire(BIO* bio, const char* from, std::size_t size, std::size_t* count) {
  Wire& wire = wire_of(bio);
  BIO_clear_retry_flags(bio);
  try {
    if (wire.sealed) {
      wire.sealer->send_record(wire.record, {from, size});
    } else if (wire.out != nullptr) {
      wire.out->append(from, size);
    }
  } catch (const std::bad_alloc&) {  // not through frames that were written in C: the session fails
    return 0;
  }
  *count = size;
  return 1;
}

bool let_seal(Wire& wire, const void* parameters) {
  if (wire.sealer == nullptr || wire.out == nullptr) return false;
  try {
    wire.sealed = wire.sealer->seal(parameters);
  } catch (const std::bad_alloc&) {
  }
  return wire.sealed;
}

// Nothing is kept here, so that there is nothing to flush. What is received is decrypted by OpenSSL in any case.
long control_wire(BIO* bio, int command, long number, void* pointer) {
  Wire& wire = wire_of(bio);
  switch (command) {
    case BIO_CTRL_FLUSH: return 1;
    case BIO_CTRL_GET_KTLS_SEND: return wire.sealed ? 1 : 0;
    case set_ktls: return number != 0 && let_seal(wire, pointer) ? 1 : 0;
    case set_record_type: wire.record = static_cast<std::uint8_t>(number); return 0;
    default: return 0;
  }
}

}  // namespace

OwnedMethod make_wire_method() {
  OwnedMethod method(BIO_meth_new(BIO_TYPE_SOURCE_SINK, "tern"));
  if (!method) throw std::bad_alloc();
  BIO_meth_set_read_ex(method.get(), &read_wire);
  BIO_meth_set_write_ex(method.get(), &write_wire);
  BIO_meth_set_ctrl(method.get(), &control_wire);
  return method;
}

BIO* make_bio(const BIO_METHOD& method, Wire& wire) {
  BIO* bio = BIO_new(&method);
  if (bio == nullptr) throw std::bad_alloc();
  BIO_set_data(bio, &wire);
  BIO_set_init(bio, 1);
  return bio;
}

}  // namespace tern::tls
