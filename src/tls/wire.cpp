#include "tls/wire.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace tern::tls {
namespace {

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
    if (wire.out != nullptr) wire.out->append(from, size);
  } catch (const std::bad_alloc&) {  // must not propagate through C frames: the session fails
    return 0;
  }
  *count = size;
  return 1;
}

// There is no buffer to flush.
long control_wire(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
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
