#include "http/stream_topics.hpp"

#include <utility>

namespace tern::http {
namespace {

constexpr std::size_t overhead = 64;  // of a publication in the queue

std::size_t bytes_of(std::string_view topic, std::string_view content) noexcept {
  return topic.size() + content.size() + overhead;
}

}  // namespace

StreamTopics::StreamTopics(Writer& writer, std::size_t max_queued_bytes, bool closes_when_full)
    : max_queued_bytes_(max_queued_bytes),
      closes_when_full_(closes_when_full),
      subscriptions_(writer.topic_subscriptions(*this)) {}

void StreamTopics::take(const Publication& publication) noexcept {
  const std::size_t bytes = bytes_of(publication.topic, publication.content);
  if (closed_) return;
  if (!queue_.empty() && queued_bytes_ + bytes > max_queued_bytes_) {
    closed_ = closes_when_full_;
    return;
  }
  try {
    queue_.push_back({std::string(publication.topic), std::string(publication.content), publication.is_text});
    queued_bytes_ += bytes;
  } catch (const std::bad_alloc&) {
    closed_ = closes_when_full_;
  }
  changed_.set();
}

Task<std::optional<Published>> StreamTopics::receive() {
  while (queue_.empty() && !closed_) {
    changed_.reset();
    co_await changed_;
  }
  if (closed_) co_return std::nullopt;
  Published next = std::move(queue_.front());
  queue_.pop_front();
  queued_bytes_ -= bytes_of(next.topic, next.content);
  co_return next;
}

}  // namespace tern::http
