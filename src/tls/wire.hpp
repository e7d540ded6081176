// The BIO between OpenSSL and the bytes of one call: reads from a view and appends to a string, without another copy.
#pragma once

#include "tls/openssl.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tern::tls {

struct Wire {
  std::string_view in;
  std::string* out = nullptr;  // null: output is discarded
};

using OwnedMethod = std::unique_ptr<BIO_METHOD, Deleter<BIO_meth_free>>;

// The method of the BIOs of make_bio(); outlives them. Throws std::bad_alloc.
OwnedMethod make_wire_method();
// A BIO over `wire`, which outlives it. Throws std::bad_alloc.
BIO* make_bio(const BIO_METHOD& method, Wire& wire);

}  // namespace tern::tls
