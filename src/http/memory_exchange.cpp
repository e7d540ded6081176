#include <tern/http/memory_exchange.hpp>

#include "http/log_line.hpp"

#include <tern/base/expects.hpp>
#include <tern/coro/context.hpp>

#include <utility>

namespace tern {

MemoryExchange::MemoryExchange(Method method, std::string target,
                               std::vector<std::pair<std::string, std::string>> fields, std::string body, bool late)
    : target_(std::move(target)), fields_(std::move(fields)), ended_(!late) {
  RequestHead& head = request_.head();
  head.method = method;
  head.target = target_;
  head.parts = split_target(target_);
  for (const auto& [name, value] : fields_) head.fields.add(name, value);
  if (!body.empty()) pieces_.push_back(std::move(body));
  body_complete_ = !late;
}

void MemoryExchange::set_trailers(std::vector<std::pair<std::string, std::string>> trailers) {
  trailers_ = std::move(trailers);
  request_.head().trailers.clear();
  for (const auto& [name, value] : trailers_) request_.head().trailers.add(name, value);
}

void MemoryExchange::log(const http::LogLine& line) {
  reports_.push_back(http::render(line, {}).text);
}

void MemoryExchange::arrive(std::string piece) {
  if (piece.empty()) return;  // an empty view would read as the end
  pieces_.push_back(std::move(piece));
  wake();
}

void MemoryExchange::end() {
  ended_ = true;
  body_complete_ = true;
  wake();
}

void MemoryExchange::fail(const StreamError& error) {
  error_ = error;
  wake();
}

void MemoryExchange::disconnect() {
  error_ = StreamError::Disconnected;
  stop_.stop();
  wake();
}

bool MemoryExchange::has_received() {
  asked_ = true;
  return next_piece_ < pieces_.size() || ended_ || error_;
}

std::expected<std::string_view, StreamError> MemoryExchange::take_received() {
  if (error_) return std::unexpected(*error_);
  if (next_piece_ == pieces_.size()) {
    base::expects(ended_, "read() is called only when readable()");
    return std::string_view();
  }
  const std::string_view piece = pieces_[next_piece_++];
  received_ += piece.size();
  if (received_ > limits_.max_body_bytes) {
    error_ = StreamError::TooLarge;  // and stays it
    return std::unexpected(*error_);
  }
  return piece;
}

bool MemoryExchange::charge(std::size_t bytes) {
  if (bytes > budget_) return false;
  budget_ -= bytes;
  return true;
}

void MemoryExchange::wake() {
  const coro::ContextScope scope(work_context());
  if (waiting_) resume_reader(std::exchange(waiting_, nullptr));
}

}  // namespace tern
