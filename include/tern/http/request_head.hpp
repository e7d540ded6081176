// The head of a request as a protocol core reads it: views only.
#pragma once

#include <tern/http/fields.hpp>
#include <tern/http/method.hpp>
#include <tern/http/version.hpp>

#include <string_view>

namespace tern {

// `target` is the request target as it was sent, in one of the four forms of RFC 9112, section 3.2.
struct RequestHead {
  Method method = Method::Get;
  Version version = Version::Http11;
  std::string_view target;
  RequestFields fields;

  void clear() noexcept {
    target = {};
    fields.clear();
  }
};

}  // namespace tern
