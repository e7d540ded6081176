// Replaces deflate.cpp in builds without zlib: the extension is never negotiated.
#include "websocket/deflate.hpp"

#include <tern/base/expects.hpp>

namespace tern::websocket {

struct Deflater::State {};
struct Inflater::State {};

bool deflate_available() noexcept {
  return false;
}

Deflater::Deflater(int) {
  base::expects(false, "Tern was built without zlib");
}
Deflater::~Deflater() = default;
void Deflater::deflate(std::string_view, std::string&) {}
void Deflater::reset() noexcept {}

Inflater::Inflater(int) {
  base::expects(false, "Tern was built without zlib");
}
Inflater::~Inflater() = default;
void Inflater::begin(std::string_view) noexcept {}
void Inflater::copy_input() {}
InflateResult Inflater::resume(std::string&, std::size_t, std::size_t&) {
  return InflateResult::Malformed;
}
InflateResult Inflater::inflate(std::string_view, std::string&, std::size_t) {
  return InflateResult::Malformed;
}
void Inflater::reset() noexcept {}

}  // namespace tern::websocket
