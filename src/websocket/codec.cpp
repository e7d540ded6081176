#include "websocket/codec.hpp"

namespace tern::websocket {

Deflater& SharedCodecs::deflater(int bits) {
  auto& deflater = deflaters_[static_cast<std::size_t>(bits)];
  if (!deflater) deflater = std::make_unique<Deflater>(bits);
  return *deflater;
}

std::unique_ptr<Inflater> SharedCodecs::acquire_inflater() {
  if (!spare_inflater_) return std::make_unique<Inflater>(15);
  spare_inflater_->reset();
  return std::move(spare_inflater_);
}

void SharedCodecs::release_inflater(std::unique_ptr<Inflater> inflater) noexcept {
  if (!spare_inflater_) spare_inflater_ = std::move(inflater);
}

void Codec::deflate(std::string_view message, std::string& out) {
  if (parameters_.server_context_takeover) {
    if (!deflater_) deflater_ = std::make_unique<Deflater>(parameters_.server_window_bits);
    return deflater_->deflate(message, out);
  }
  Deflater& deflater = shared_->deflater(parameters_.server_window_bits);
  deflater.reset();
  deflater.deflate(message, out);
}

InflateResult Codec::inflate(std::string_view compressed, std::string& out, std::size_t max_size) {
  if (!inflater_) {
    inflater_ = parameters_.client_context_takeover ? std::make_unique<Inflater>(parameters_.client_window_bits)
                                                    : shared_->acquire_inflater();
  }
  out.clear();
  inflater_->begin(compressed);
  const InflateResult outcome = resume(out, max_size);
  if (outcome == InflateResult::More) inflater_->copy_input();
  return outcome;
}

InflateResult Codec::resume(std::string& out, std::size_t max_size) {
  const InflateResult outcome = inflater_->resume(out, max_size, budget_);
  inflating_ = outcome == InflateResult::More;
  if (!inflating_ && !parameters_.client_context_takeover) shared_->release_inflater(std::move(inflater_));
  return outcome;
}

void Codec::abandon() noexcept {
  inflating_ = false;
  inflater_.reset();
}

void Codec::reset_deflater() noexcept {
  if (deflater_) deflater_->reset();
}

}  // namespace tern::websocket
