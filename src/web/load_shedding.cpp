#include <tern/web/load_shedding.hpp>

#include "web/load_gauge.hpp"

#include <tern/app/app.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace tern {
namespace web {

class LoadShedder {
public:
  explicit LoadShedder(LoadSheddingOptions chosen) : options_(std::move(chosen)) {
    if (options_.retry_after < Seconds(1) || options_.retry_after > Seconds(86'400)) {
      throw SetupError("LoadShedding: retry_after is from one second to a day");
    }
    for (const auto* patterns : {&options_.important, &options_.expendable}) {
      for (const std::string& pattern : *patterns) {
        if (!pattern.starts_with('/')) throw SetupError("LoadShedding: '" + pattern + "' is no pattern of a route");
      }
    }
  }

  Reply serve(Request& request, Next next) {
    Executor* const executor = Executor::current();
    const ExecutorLoad load = executor == nullptr ? ExecutorLoad() : executor->load();
    if (load.now == 0) return next();  // unknown, as in tests
    LoadGauge& gauge = gauge_of(*executor);
    if (!gauge.admits(load, [&] { return importance_of(request); })) return refuse(request);
    if (!gauge.measures()) return next();
    Reply reply = next();
    gauge.count(executor->load().now - load.now);
    return reply;
  }

private:
  LoadGauge& gauge_of(Executor& executor) {
    if (Attachment* const found = executor.attached(this)) return static_cast<LoadGauge&>(*found);
    auto* const gauge = new LoadGauge(this);
    executor.attach(*gauge);
    return *gauge;
  }

  Importance importance_of(const Request& request) const noexcept {
    if (std::ranges::find(options_.important, request.route()) != options_.important.end())
      return Importance::Important;
    const bool expendable = std::ranges::find(options_.expendable, request.route()) != options_.expendable.end();
    return expendable ? Importance::Expendable : Importance::Normal;
  }

  Response refuse(const Request& request) const {
    request.exchange().note_shed();
    Problem problem{Status::ServiceUnavailable, "the server is overloaded: try again later", {}, {}};
    problem.fields.set("retry-after", std::to_string(options_.retry_after.count()));
    return request.exchange().refuse(problem);
  }

  const LoadSheddingOptions options_;
};

}  // namespace web

LoadShedding::LoadShedding(LoadSheddingOptions options)
    : shedder_(base::make_box<web::LoadShedder>(std::move(options))) {}

Reply LoadShedding::operator()(Request& request, Next next) const {
  return shedder_->serve(request, next);
}

}  // namespace tern
