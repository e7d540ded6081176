#include "websocket/codec.hpp"

namespace tern::websocket {

Deflater& SharedCodecs::deflater(int bits) {
  auto& deflater = deflaters_[static_cast<std::size_t>(bits)];
  if (!deflater) deflater = std::make_unique<Deflater>(bits);
  return *deflater;
}

Inflater& SharedCodecs::inflater() {
  if (!inflater_) inflater_ = std::make_unique<Inflater>(15);
  return *inflater_;
}

void Codec::deflate(std::string_view message, std::string& out) {
  if (terms_.server_takeover) {
    if (!deflater_) deflater_ = std::make_unique<Deflater>(terms_.server_bits);
    return deflater_->deflate(message, out);
  }
  Deflater& deflater = shared_->deflater(terms_.server_bits);
  deflater.reset();
  deflater.deflate(message, out);
}

Inflated Codec::inflate(std::string_view compressed, std::string& out, std::size_t most) {
  if (terms_.client_takeover) {
    if (!inflater_) inflater_ = std::make_unique<Inflater>(terms_.client_bits);
    return inflater_->inflate(compressed, out, most);
  }
  Inflater& inflater = shared_->inflater();
  inflater.reset();
  return inflater.inflate(compressed, out, most);
}

void Codec::skipped() noexcept {
  if (deflater_) deflater_->reset();
}

}  // namespace tern::websocket
