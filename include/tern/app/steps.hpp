// The part of binding that is the same for all handlers: waiting for the content, extractors that wait, and what went
// wrong. For bind.hpp; defined in src/app/bind.cpp.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/coro/task.hpp>
#include <tern/http/exchange.hpp>
#include <tern/http/reply.hpp>

#include <exception>
#include <optional>
#include <span>
#include <string_view>

namespace tern::app {

// Writes a line into the error log that names the route.
void report_failure(Exchange& exchange, std::string_view what, std::string_view when = {}) noexcept;
Response rejected(Rejection&& rejection, Exchange& exchange);
// What the exception that is being handled becomes.
Response caught(Exchange& exchange) noexcept;
Response translate(void* exchange, std::exception_ptr exception);
// How a handler goes on when its content is complete: finish() fills the slots from the content, and calls the handler.
// Where fill() is not null, it may do the first part on another thread, and call() the second.
struct AfterBody {
  Reply (*finish)(const void* handler, Exchange& exchange, void* slots);
  bool (*fill)(void* slots, Request& request, std::optional<Rejection>& failure);
  Reply (*call)(const void* handler, Exchange& exchange, void* slots);
};
// Reads the content, then goes on.
Task<Response> after_body(Exchange& exchange, const AfterBody& next, const void* handler, void* slots);
// One parameter of a handler with asynchronous extractors: one of the two functions gets its value into the slots.
struct Step {
  bool (*fill)(void* slots, Request& request, std::optional<Rejection>& failure) = nullptr;
  Task<bool> (*fill_later)(void* slots, Request& request, std::optional<Rejection>& failure) = nullptr;
  bool from_content = false;
};
// Takes the steps in order, those from the content last, and then calls `call(handler, exchange, slots)`.
Task<Response> after_steps(Exchange& exchange, std::span<const Step> steps, bool reads_body,
                           Reply (*call)(const void*, Exchange&, void*), const void* handler, void* slots);
// Reads content that is complete; what went wrong becomes the answer.
std::optional<Response> body_failure(Exchange& exchange);

}  // namespace tern::app
