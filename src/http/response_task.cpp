#include <tern/http/response_task.hpp>

namespace tern {

Response ResponseTask::take(void* frame, void*) {
  Task<Response> task(std::coroutine_handle<Task<Response>::promise_type>::from_address(frame));
  return task.result();
}

Response ResponseTask::result() {
  if (catch_ == nullptr) return make_(std::exchange(frame_, nullptr).address(), make_context_);
  if (promise_->error) return catch_(catch_context_, std::exchange(promise_->error, nullptr));
  try {
    return make_(std::exchange(frame_, nullptr).address(), make_context_);
  } catch (...) {
    return catch_(catch_context_, std::current_exception());
  }
}

}  // namespace tern
