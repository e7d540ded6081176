#include <tern/web/concurrency_limit.hpp>

#include "web/places.hpp"

#include <tern/app/app.hpp>
#include <tern/coro/timeout.hpp>
#include <tern/http/problem.hpp>

#include <string>
#include <utility>

namespace tern {
namespace web {
namespace {

// A streamed response that keeps its place until its content was sent.
class PlacedProducer final : public http::Producer {
public:
  PlacedProducer(base::Box<http::Producer> producer, Place place) noexcept
      : place_(std::move(place)), producer_(std::move(producer)) {}
  Task<> run(Writer& writer) override { return producer_->run(writer); }
  std::optional<std::uint64_t> length() const noexcept override { return producer_->length(); }

private:
  Place place_;
  base::Box<http::Producer> producer_;
};

// The producer of a 101 is its upgrade, which is not to be wrapped.
Response placed(Response response, Place place) {
  if (response.producer() == nullptr || response.status() == Status::SwitchingProtocols) return response;
  auto producer = response.take_producer();
  response.set_producer(base::Box<http::Producer>(new PlacedProducer(std::move(producer), std::move(place))));
  return response;
}

Reply serve_at(Place place, Next next) {
  return next().then(
      [place = std::move(place)](Response response) mutable { return placed(std::move(response), std::move(place)); });
}

}  // namespace

class ConcurrencyGate {
public:
  explicit ConcurrencyGate(const ConcurrencyLimitOptions& chosen)
      : options(chosen), places(chosen.limit, chosen.queue) {
    const auto require = [](bool holds, const char* what) {
      if (!holds) throw SetupError(std::string("ConcurrencyLimit: ") + what);
    };
    require(options.limit > 0, "limit is at least 1");
    require(options.max_wait >= Milliseconds(0), "max_wait is not negative");
    require(options.retry_after >= Seconds(1) && options.retry_after <= Seconds(86'400),
            "retry_after is from one second to a day");
  }

  Response refuse(const Request& request) const {
    Problem problem{
        Status::ServiceUnavailable, "there are too many requests at the same time: try again later", {}, {}};
    problem.fields.set("retry-after", std::to_string(options.retry_after.count()));
    return request.exchange().refuse(problem);
  }

  Task<Response> serve_later(Request& request, Next next) {
    Place place;
    try {
      place = co_await with_timeout(options.max_wait, places.take());
    } catch (const TimedOut&) {
    }
    if (!place) co_return refuse(request);
    Reply reply = serve_at(std::move(place), next);
    co_return co_await std::move(reply);
  }

  const ConcurrencyLimitOptions options;
  Places places;
};

}  // namespace web

ConcurrencyLimit::ConcurrencyLimit(const ConcurrencyLimitOptions& options)
    : gate_(base::make_box<web::ConcurrencyGate>(options)) {}

Reply ConcurrencyLimit::operator()(Request& request, Next next) const {
  web::ConcurrencyGate& gate = *gate_;
  if (web::Place place = gate.places.try_take()) return web::serve_at(std::move(place), next);
  if (gate.options.queue == 0) return gate.refuse(request);
  return gate.serve_later(request, next);
}

}  // namespace tern
