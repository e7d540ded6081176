#include "websocket/codec.hpp"

namespace tern::websocket {

Deflater& SharedCodecs::deflater(int bits) {
  auto& deflater = deflaters_[static_cast<std::size_t>(bits)];
  if (!deflater) deflater = std::make_unique<Deflater>(bits);
  return *deflater;
}

std::unique_ptr<Inflater> SharedCodecs::take_inflater() {
  if (!spare_inflater_) return std::make_unique<Inflater>(15);
  spare_inflater_->reset();
  return std::move(spare_inflater_);
}

void SharedCodecs::give_back(std::unique_ptr<Inflater> inflater) noexcept {
  if (!spare_inflater_) spare_inflater_ = std::move(inflater);
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
  if (!inflater_) {
    inflater_ = terms_.client_takeover ? std::make_unique<Inflater>(terms_.client_bits) : shared_->take_inflater();
  }
  out.clear();
  inflater_->begin(compressed);
  const Inflated outcome = resume(out, most);
  if (outcome == Inflated::More) inflater_->keep_input();
  return outcome;
}

Inflated Codec::resume(std::string& out, std::size_t most) {
  const Inflated outcome = inflater_->resume(out, most, budget_);
  inflating_ = outcome == Inflated::More;
  if (!inflating_ && !terms_.client_takeover) shared_->give_back(std::move(inflater_));
  return outcome;
}

void Codec::abandon() noexcept {
  inflating_ = false;
  inflater_.reset();
}

void Codec::skipped() noexcept {
  if (deflater_) deflater_->reset();
}

}  // namespace tern::websocket
