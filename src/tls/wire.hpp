// The BIO between OpenSSL and the bytes of one call: reads from a view, appends to a string, copies nothing else.
#pragma once

#include "tls/openssl.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace tern::tls {

struct Wire {
  std::string_view in;
  std::string* out = nullptr;  // null: what is written is dropped
};

using OwnedMethod = std::unique_ptr<BIO_METHOD, Freed<BIO_meth_free>>;

// The method of all BIOs that make_bio() makes; outlives them. Throws std::bad_alloc.
OwnedMethod make_wire_method();
// A BIO over `wire`, which outlives it. Throws std::bad_alloc.
BIO* make_bio(const BIO_METHOD& method, Wire& wire);

}  // namespace tern::tls
