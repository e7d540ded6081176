// Notes on routes, and the list of operations for the OpenAPI document.
#include "app/operations.hpp"

#include "app/core.hpp"

#include <algorithm>
#include <utility>

namespace tern::app {

RouteNotes& Core::route_notes(std::size_t route) {
  require_open("a route was described");
  base::Box<RouteNotes>& notes = routes_[route].notes;
  if (!notes) notes = base::make_box<RouteNotes>();
  return *notes;
}

RouteNotes& Core::group_notes(std::size_t group) {
  require_open("a group was described");
  base::Box<RouteNotes>& notes = groups_[group].notes;
  if (!notes) notes = base::make_box<RouteNotes>();
  return *notes;
}

void Core::set_openapi(OpenApiOptions options, const std::source_location& place) {
  require_open("openapi() was called");
  if (openapi_) return mistakes_.add(place, "openapi() was called twice: an app has one document");
  if (!options.docs.empty() && options.json.empty()) {
    mistakes_.add(place, "openapi(): the page at '" + options.docs + "' shows the document at OpenApiOptions::json");
  }
  openapi_ = base::make_box<OpenApiOptions>(std::move(options));
}

void Core::when_complete(base::Function<void(const Core& outermost)> work) {
  require_open("openapi() was called");
  when_complete_.push_back(std::move(work));
}

bool Core::is_within(const Core& other) const noexcept {
  return this == &other || (outer_ != nullptr && outer_->is_within(other));
}

const ResultContract* Core::mapped_result(const void* key) const {
  const auto found = std::ranges::find(mappings_, key, &ErrorMapping::key);
  if (found != mappings_.end()) return found->result;
  return outer_ == nullptr ? nullptr : outer_->mapped_result(key);
}

bool Core::renders_problems() const noexcept {
  return render_ || (outer_ != nullptr && outer_->renders_problems());
}

void Core::describe_groups(OperationEntry& entry, std::size_t index) const {
  for (std::size_t at = index;; at = groups_[at].parent) {
    const GroupEntry& group = groups_[at];
    if (group.notes) entry.notes.push_back(group.notes.get());
    if (!group.is_path && !group.name.empty()) {
      entry.group = entry.group.empty() ? group.name : group.name + "." + entry.group;
    }
    for (const MiddlewareBox& middleware : group.middleware) {
      if (middleware.describe != nullptr) entry.middleware.push_back({middleware.describe, middleware.object});
    }
    if (at == 0) return;
  }
}

std::vector<OperationEntry> Core::operations(const Core& within) const {
  std::vector<OperationEntry> list;
  for (const RouteEntry& route : routes_) {
    const GroupEntry& group = groups_[route.group];
    if (route.faulty || group.table != 0 || !group.owner->is_within(within)) continue;
    OperationEntry& entry = list.emplace_back();
    entry.method = route.method;
    entry.extension_method = route.extension_method;
    entry.pattern = route.pattern;
    entry.name = full_name(route);
    entry.contract = route.endpoint.contract;
    entry.owner = group.owner;
    entry.is_socket = route.endpoint.is_socket;
    entry.deny_unknown = group.owner->denies_unknown_members();
    entry.renders_problems = group.owner->renders_problems();
    if (route.notes) entry.notes.push_back(route.notes.get());
    for (const MiddlewareBox& middleware : route.middleware) {
      if (middleware.describe != nullptr) entry.middleware.push_back({middleware.describe, middleware.object});
    }
    describe_groups(entry, route.group);
    if (std::ranges::any_of(entry.notes, &RouteNotes::hidden)) list.pop_back();
  }
  return list;
}

}  // namespace tern::app
