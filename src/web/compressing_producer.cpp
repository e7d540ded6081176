#include "web/compressing_producer.hpp"

#include <tern/coro/cancelled.hpp>

namespace tern::web {

Task<> CompressingProducer::run(Writer& writer) {
  writer.encode_with(this);
  try {
    co_await producer_->run(writer);
  } catch (const Cancelled&) {  // by a drain, after which the response counts as complete
    finish(writer);
    throw;
  }
  finish(writer);
}

// Does not wait for room: nothing follows.
void CompressingProducer::finish(Writer& writer) {
  writer.encode_with(nullptr);
  coded_.clear();
  encoder_->encode({}, Step::Finish, coded_);
  static_cast<void>(writer.write(coded_));
}

std::string_view CompressingProducer::encode(std::string_view bytes) {
  coded_.clear();
  encoder_->encode(bytes, Step::Continue, coded_);
  unflushed_ = true;
  return coded_;
}

std::string_view CompressingProducer::flush() {
  coded_.clear();
  if (unflushed_) encoder_->encode({}, Step::Flush, coded_);
  unflushed_ = false;
  return coded_;
}

}  // namespace tern::web
