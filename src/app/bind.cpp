// The type-independent part of binding: rejections, exceptions, and late content.
#include <tern/app/bind.hpp>

#include "app/core.hpp"
#include "http/unavailable.hpp"

#include <tern/app/middleware.hpp>
#include <tern/base/expects.hpp>
#include <tern/coro/cancelled.hpp>
#include <tern/coro/offload.hpp>
#include <tern/coro/timeout.hpp>

#include <algorithm>
#include <exception>
#include <string>

namespace tern {

// A separate function, because GCC does not elide the move of a named result within a try block.
namespace app {
namespace {

constexpr Part parts[] = {Part::Head, Part::Content};
const Core& core_of(const Exchange& exchange) {
  const Core* core = exchange.service().app();
  base::expects(core != nullptr, "what an app binds is served by an app");
  return *core;
}

Response internal_error(Exchange& exchange) noexcept {
  return exchange.refuse({Status::InternalServerError, {}, {}, {}});
}

Response unavailable(Exchange& exchange, std::string detail) {
  return exchange.refuse(http::unavailable(std::move(detail)));
}

Response answer_exception(Exchange& exchange) {
  try {
    if (auto mapped = core_of(exchange).map_exception(exchange)) return std::move(*mapped);
  } catch (const HttpError& error) {  // of the mapping
    return exchange.refuse(error.problem());
  }
  try {
    throw;
  } catch (const HttpError& error) {
    return exchange.refuse(error.problem());
  } catch (const Overloaded&) {
    return unavailable(exchange, "there is too much to do at the moment");
  } catch (const TimedOut&) {
    return unavailable(exchange, "the answer took too long");
  } catch (const Cancelled&) {
    return unavailable(exchange, "the request was given up");  // never sent
  } catch (const std::exception& error) {
    report_failure(exchange, error.what());
  } catch (...) {
    report_failure(exchange, "an exception that is no std::exception");
  }
  return internal_error(exchange);
}

}  // namespace

void report_failure(Exchange& exchange, std::string_view what, std::string_view when) noexcept {
  try {
    const std::string text = std::string(when).append(what);
    exchange.log({LogLevel::Error, http::app_part, text, {}, &exchange.request()});
  } catch (...) {
    // Without memory, there is no report either.
  }
}

Response rejected(Rejection&& rejection, Exchange& exchange) {
  return exchange.refuse(rejection.problem);
}

void guard_task(Reply& reply, Exchange& exchange) {
  reply.task().catch_with(&translate, &exchange);
}

Reply caught_reply(Exchange& exchange) noexcept {
  return caught(exchange);
}

Response caught(Exchange& exchange) noexcept {
  try {
    return answer_exception(exchange);
  } catch (const std::exception& error) {
    report_failure(exchange, error.what(), "while an error was answered: ");
  } catch (...) {
    report_failure(exchange, "an exception that is no std::exception", "while an error was answered: ");
  }
  return internal_error(exchange);
}

Response translate(void* exchange, std::exception_ptr exception) {
  try {
    std::rethrow_exception(std::move(exception));
  } catch (...) {
    return caught(*static_cast<Exchange*>(exchange));
  }
}

namespace {

// The loop may use the exchange's own arena meanwhile, such as for the answer to a client that has waited too long.
Task<bool> fill_on_pool(const Step& step, Exchange& exchange, void* slots, std::optional<Rejection>& failure) {
  Request& request = exchange.request();
  Arena& arena = exchange.arena().make<Arena>();
  const auto fill = [&] { return step.fill(slots, request, arena, failure); };
  co_return co_await offload(fill);
}

// Content cannot be read. What was rejected first decides.
Response unreadable(StreamError error, std::optional<Rejection>& failure, Exchange& exchange) {
  return failure ? rejected(std::move(*failure), exchange) : exchange.refuse(to_problem(error));
}

bool collects_from_content(std::span<const Step> steps) {
  return std::ranges::any_of(steps, [](const Step& step) { return step.from_content && step.collects; });
}

}  // namespace

Task<Response> after_body(Exchange& exchange, AfterBody next, const void* handler, void* slots) {
  const auto read = co_await read_body(exchange);
  std::optional<Rejection>& failure = *next.failure;
  if (!read) co_return unreadable(read.error(), failure, exchange);
  Request& request = exchange.request();
  if (next.steps.empty() || request.body().size() < large_content) {
    Reply reply = next.finish(handler, exchange, slots);
    co_return co_await std::move(reply);
  }
  for (const Step& step : next.steps) {
    if (!step.from_content) continue;
    bool filled = false;
    if (step.computes) {
      filled = co_await fill_on_pool(step, exchange, slots, failure);
    } else {
      filled = step.fill(slots, request, exchange.arena(), failure);
    }
    if (!filled) break;
  }
  if (failure) co_return rejected(std::move(*failure), exchange);
  Reply reply = next.call(handler, exchange, slots);
  co_return co_await std::move(reply);
}

Task<Response> after_steps(Exchange& exchange, std::span<const Step> steps, bool reads_body,
                           Reply (*call)(const void*, Exchange&, void*), const void* handler, void* slots) {
  Request& request = exchange.request();
  std::optional<Rejection> failure;
  for (const Part part : parts) {
    if (part == Part::Content && failure && !collects_from_content(steps)) break;
    if (part == Part::Content && reads_body) {
      const auto read = co_await read_body(exchange);
      if (!read) co_return unreadable(read.error(), failure, exchange);
    }
    for (const Step& step : steps) {
      if (step.from_content != (part == Part::Content)) continue;
      bool filled = false;
      if (step.fill == nullptr) {
        filled = co_await step.fill_later(slots, request, failure);
      } else if (step.computes && request.body().size() >= large_content) {
        filled = co_await fill_on_pool(step, exchange, slots, failure);
      } else {
        filled = step.fill(slots, request, exchange.arena(), failure);
      }
      if (!filled) co_return rejected(std::move(*failure), exchange);
    }
  }
  if (failure) co_return rejected(std::move(*failure), exchange);
  Reply reply = call(handler, exchange, slots);
  co_return co_await std::move(reply);
}

std::optional<Response> body_failure(Exchange& exchange, std::optional<Rejection>& failure) {
  const auto read = read_complete_body(exchange);
  if (read) return std::nullopt;
  return unreadable(read.error(), failure, exchange);
}

json::Limits json_limits(const Request& request) {
  const Core* core = request.exchange().service().app();  // null: a request outside of an app
  return {.problems = json::detail::max_violations,
          .deny_unknown = core != nullptr && core->denies_unknown_members(),
          .is_request = true};
}

void replace_violation_texts(Problem& problem, const Request& request) {
  core_of(request.exchange()).replace_texts(problem, request);
}

const void* find_state(const Request& request, const void* key) {
  return core_of(request.exchange()).find_state(key);
}

void* find_per_loop(const Request& request, const void* key) {
  return core_of(request.exchange()).find_per_loop(request.exchange().loop_index(), key);
}

void throw_nothing_given(std::string_view type) {
  throw SetupError("an extractor takes " + std::string(type) + ", but nothing was given: call app.state(…) or " +
                   "app.per_loop(…) before the start");
}

Response domain_error_response(const DomainError& error, Exchange& exchange) {
  if (auto mapped = core_of(exchange).map_value(error, exchange)) return std::move(*mapped);
  report_failure(exchange, "a handler returned an error of type " + std::string(error.type) +
                               ", and nothing says how to answer it: call app.on_error(…), or give it a tern::Respond");
  return internal_error(exchange);
}

}  // namespace app
}  // namespace tern
