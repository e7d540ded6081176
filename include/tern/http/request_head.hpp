// The parsed head of a request: views only.
#pragma once

#include <tern/http/fields.hpp>
#include <tern/http/method.hpp>
#include <tern/http/uri.hpp>
#include <tern/http/version.hpp>

#include <string_view>

namespace tern {

// `target` is the request target as it was sent, in one of the four forms of RFC 9112, section 3.2; `parts` are its
// components.
struct RequestHead {
  Method method = Method::Get;
  Version version = Version::Http11;
  std::string_view extension_method;  // the token of Method::Extension
  std::string_view target;
  Target parts;
  bool plain_path = false;  // has neither percent escapes nor dot segments
  RequestFields fields;
  RequestFields trailers;  // available once the content was read

  void clear() noexcept {
    extension_method = target = {};
    parts = {};
    plain_path = false;
    fields.clear();
    trailers.clear();
  }
};

}  // namespace tern
