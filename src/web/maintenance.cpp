#include <tern/web/maintenance.hpp>

#include "web/address_list.hpp"
#include "web/file_rules.hpp"

#include <tern/app/app.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>

namespace tern {
namespace web {

class MaintenanceSwitch {
public:
  explicit MaintenanceSwitch(MaintenanceOptions chosen)
      : active(chosen.active), options_(std::move(chosen)), allowed_(options_.allowed_addresses, "Maintenance") {
    if (options_.retry_after < Seconds(1) || options_.retry_after > Seconds(86'400)) {
      throw SetupError("Maintenance: retry_after is from one second to a day");
    }
    for (const std::string& path : options_.allowed_paths) {
      if (!path.starts_with('/')) throw SetupError("Maintenance: the path '" + path + "' does not begin with '/'");
    }
  }

  bool passes(const Request& request) const {
    if (!active.load(std::memory_order_relaxed)) return true;
    const auto fits = [&](const std::string& pattern) { return matches_pattern(pattern, request.path()); };
    return std::ranges::any_of(options_.allowed_paths, fits) ||
           (!allowed_.empty() && allowed_.contains(request.remote()));
  }

  Response refuse(const Request& request) const {
    Problem problem{Status::ServiceUnavailable, options_.detail, {}, {}};
    problem.fields.set("retry-after", std::to_string(options_.retry_after.count()));
    problem.fields.set("cache-control", "no-store");
    return request.exchange().refuse(problem);
  }

  void add_owner() noexcept { owners_.fetch_add(1, std::memory_order_relaxed); }
  void remove_owner() noexcept {
    if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  std::atomic<bool> active;

private:
  ~MaintenanceSwitch() = default;

  const MaintenanceOptions options_;
  const AddressList allowed_;
  std::atomic<std::size_t> owners_ = 1;
};

}  // namespace web

Maintenance::Maintenance(MaintenanceOptions options) : switch_(new web::MaintenanceSwitch(std::move(options))) {}

Maintenance::Maintenance(const Maintenance& other) noexcept : switch_(other.switch_) {
  switch_->add_owner();
}

Maintenance& Maintenance::operator=(const Maintenance& other) noexcept {
  other.switch_->add_owner();
  switch_->remove_owner();
  switch_ = other.switch_;
  return *this;
}

Maintenance::~Maintenance() {
  switch_->remove_owner();
}

void Maintenance::begin() const noexcept {
  switch_->active.store(true, std::memory_order_relaxed);
}

void Maintenance::end() const noexcept {
  switch_->active.store(false, std::memory_order_relaxed);
}

bool Maintenance::is_active() const noexcept {
  return switch_->active.load(std::memory_order_relaxed);
}

Reply Maintenance::operator()(Request& request, Next next) const {
  if (switch_->passes(request)) return next();
  return switch_->refuse(request);
}

}  // namespace tern
