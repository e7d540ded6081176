// The type-independent part of binding: waiting for the content, extractors that wait, and errors. For bind.hpp;
// defined in src/app/bind.cpp.
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

// Writes a line with the route to the error log.
void report_failure(Exchange& exchange, std::string_view what, std::string_view when = {}) noexcept;
Response rejected(Rejection&& rejection, Exchange& exchange);
// The response for the exception being handled.
Response caught(Exchange& exchange) noexcept;
Response translate(void* exchange, std::exception_ptr exception);
// One parameter of a handler: one of the two functions puts its value into the slots, or notes the rejection; false
// when other parameters are of no interest then. If `computes` is set, fill() may be called on a thread of the pool,
// with an arena that is not shared meanwhile.
struct Step {
  bool (*fill)(void* slots, Request& request, Arena& arena, std::optional<Rejection>& failure) = nullptr;
  Task<bool> (*fill_later)(void* slots, Request& request, std::optional<Rejection>& failure) = nullptr;
  bool from_content = false;
  bool computes = false;
  bool collects = false;  // see Collects
};
// Continues a handler when its content is complete: finish() fills the slots from the content, and calls the handler.
// For large content the steps do the first part, and call() the second, unless there are no steps.
struct AfterBody {
  Reply (*finish)(const void* handler, Exchange& exchange, void* slots);
  std::span<const Step> steps;
  Reply (*call)(const void* handler, Exchange& exchange, void* slots);
  std::optional<Rejection>* failure;  // in the slots: violations in the head
};
// Reads the content, then continues.
Task<Response> after_body(Exchange& exchange, AfterBody next, const void* handler, void* slots);
// Runs the steps in order, those that use the content last, and then calls `call(handler, exchange, slots)`.
Task<Response> after_steps(Exchange& exchange, std::span<const Step> steps, bool reads_body,
                           Reply (*call)(const void*, Exchange&, void*), const void* handler, void* slots);
// Reads complete content; an error becomes the response, unless the head was rejected already.
std::optional<Response> body_failure(Exchange& exchange, std::optional<Rejection>& failure);

}  // namespace tern::app
