#include <tern/http/body_stream.hpp>

namespace tern {

std::optional<std::string_view> BodyStream::take() {
  if (!std::exchange(started_, true)) {
    const std::string_view collected = exchange_->request().body();
    if (!collected.empty()) return collected;
  }
  const auto read = exchange_->read();
  if (!read) {
    if (read.error() == StreamError::Disconnected) throw Cancelled();
    throw HttpError(to_problem(read.error()));
  }
  if (read->empty()) return std::nullopt;
  // The exchange's view is valid until the next suspension, the handler's until its next call.
  piece_.assign(*read);
  return piece_;
}

}  // namespace tern
