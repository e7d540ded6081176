// grpc-timeout: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md, "Timeout".
#include <tern/web/deadline.hpp>

#include <tern/app/app.hpp>
#include <tern/base/number.hpp>
#include <tern/coro/awaitable.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

namespace tern {
namespace web {
namespace {

constexpr double most_seconds = 86'400;

struct TimeOfRequest {
  std::uint64_t end = 0;  // in milliseconds of the loop's clock
};

Response refuse(const Request& request, Status status, std::string detail) {
  return request.exchange().refuse(Problem{status, std::move(detail), {}, {}});
}

constexpr const char* over = "the time of this request is over";

Task<Response> serve_within(Milliseconds limit, Request& request, Next next) {
  LinkedStop stop(co_await current_stop());
  coro::Deadline deadline(stop, limit);
  Reply reply = next();
  if (!reply.ready()) reply.task().inherit_stop(&stop);
  Response response = co_await std::move(reply);
  // What a stopped handler answers is a 503.
  const bool was_stopped =
      deadline.passed() && !stop.outer_stopped() && response.status() == Status::ServiceUnavailable;
  if (was_stopped) co_return refuse(request, Status::GatewayTimeout, over);
  co_return response;
}

}  // namespace

std::optional<Milliseconds> parse_timeout(std::string_view text) {
  double unit = 1000;
  if (text.ends_with("ms")) {
    unit = 1;
    text.remove_suffix(2);
  } else if (text.ends_with('s')) {
    text.remove_suffix(1);
  }
  const bool is_plain = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  const auto number = is_plain ? base::parse_double(text) : std::nullopt;
  if (!number || *number * unit > most_seconds * 1000) return std::nullopt;
  return Milliseconds(static_cast<std::int64_t>(std::ceil(*number * unit)));
}

std::optional<Milliseconds> parse_grpc_timeout(std::string_view text) {
  constexpr std::array<std::pair<char, double>, 6> units = {
      {{'H', 3.6e6}, {'M', 6e4}, {'S', 1e3}, {'m', 1}, {'u', 1e-3}, {'n', 1e-6}}};
  if (text.size() < 2 || text.size() > 9) return std::nullopt;
  const auto unit = std::ranges::find(units, text.back(), &std::pair<char, double>::first);
  const auto number = base::parse_integer<std::uint32_t>(text.substr(0, text.size() - 1));
  if (unit == units.end() || !number) return std::nullopt;
  const double milliseconds = std::min(std::ceil(*number * unit->second), most_seconds * 1000);
  return Milliseconds(static_cast<std::int64_t>(milliseconds));
}

}  // namespace web

Deadline::Deadline(DeadlineOptions options) : options_(std::move(options)) {
  if (options_.min < Milliseconds(0) || options_.otherwise < Milliseconds(0) || options_.max < options_.min) {
    throw SetupError("Deadline: times are not negative, and min is not beyond max");
  }
}

Reply Deadline::operator()(Request& request, Next next) const {
  std::optional<Milliseconds> limit;
  const auto grpc = options_.grpc_timeout ? request.field("grpc-timeout") : std::nullopt;
  const auto field = grpc || options_.field.empty() ? grpc : request.field(options_.field);
  if (field) {
    limit = grpc ? web::parse_grpc_timeout(*field) : web::parse_timeout(*field);
    if (!limit) return web::refuse(request, Status::BadRequest, "the timeout of this request is no time");
    if (*limit < options_.min) return web::refuse(request, Status::GatewayTimeout, web::over);
    limit = std::min(*limit, options_.max);
  } else if (options_.otherwise.count() != 0) {
    limit = options_.otherwise;
  }
  Executor* const executor = Executor::current();
  if (!limit || executor == nullptr) return next();
  request.put(web::TimeOfRequest{executor->timers().now() + static_cast<std::uint64_t>(limit->count())});
  return web::serve_within(*limit, request, next);
}

std::optional<Milliseconds> time_left(const Request& request) {
  const auto* const time = request.find<web::TimeOfRequest>();
  Executor* const executor = Executor::current();
  if (time == nullptr || executor == nullptr) return std::nullopt;
  const std::uint64_t now = executor->timers().now();
  return Milliseconds(static_cast<std::int64_t>(time->end - std::min(time->end, now)));
}

}  // namespace tern
