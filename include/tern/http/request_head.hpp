// The head of a request as a protocol core reads it: views only.
#pragma once

#include <tern/http/fields.hpp>
#include <tern/http/method.hpp>
#include <tern/http/uri.hpp>
#include <tern/http/version.hpp>

#include <string_view>

namespace tern {

// `target` is the request target as it was sent, in one of the four forms of RFC 9112, section 3.2; `parts` are what it
// consists of.
struct RequestHead {
  Method method = Method::Get;
  Version version = Version::Http11;
  std::string_view extension_method;  // the token of Method::Extension
  std::string_view target;
  Target parts;
  bool plain_path = false;  // known to have neither percent escapes nor dot segments
  // Where whoever serves may keep, for the next request with the same head on this loop, what the head alone has led
  // him to; begins as a null pointer. Null: nowhere.
  const void** memo = nullptr;
  RequestFields fields;
  RequestFields trailers;  // behind the content, once that has been read

  void clear() noexcept {
    extension_method = target = {};
    parts = {};
    plain_path = false;
    memo = nullptr;
    fields.clear();
    trailers.clear();
  }
};

}  // namespace tern
