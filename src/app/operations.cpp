// Notes on routes, and the list of operations for the OpenAPI document.
#include "app/operations.hpp"

#include "app/core.hpp"

#include <tern/base/ascii.hpp>

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
  if (openapi(options.listener, options.host) != nullptr) {
    return mistakes_.add(place,
                         "openapi() was called twice: an app has one document, and one for each listener and host");
  }
  if (!options.docs.empty() && options.json.empty()) {
    mistakes_.add(place, "openapi(): the page at '" + options.docs + "' shows the document at OpenApiOptions::json");
  }
  openapi_.push_back(std::move(options));
}

const OpenApiOptions* Core::openapi(std::string_view listener, std::string_view host) const noexcept {
  const auto found = std::ranges::find_if(openapi_, [&](const OpenApiOptions& options) {
    return options.listener == listener && base::equals_ignoring_case(options.host, host);
  });
  return found == openapi_.end() ? nullptr : &*found;
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

std::vector<OperationEntry> Core::operations(const Core& within, std::string_view listener,
                                             std::string_view host) const {
  const auto table = std::ranges::find_if(tables_, [&](const RouteTable& each) {
    return each.listener == listener && base::equals_ignoring_case(each.host, host);
  });
  if (table == tables_.end()) return {};
  const auto index = static_cast<std::size_t>(table - tables_.begin());
  std::vector<OperationEntry> list;
  for (const RouteEntry& route : routes_) {
    if (groups_[route.group].table == index) append_operation(route, within, list);
  }
  if (table->host.empty()) return list;
  for (const RouteEntry& route : routes_) {
    const bool is_everywhere = groups_[route.group].table == 0;
    if (is_everywhere && !table->router.holder(registered_method(route), route.pattern))
      append_operation(route, within, list);
  }
  return list;
}

// Appends the route, unless it is not within that app, or hidden.
void Core::append_operation(const RouteEntry& route, const Core& within, std::vector<OperationEntry>& list) const {
  const GroupEntry& group = groups_[route.group];
  if (route.faulty || !group.owner->is_within(within)) return;
  OperationEntry& entry = list.emplace_back();
  entry.method = route.method;
  entry.extension_method = route.extension_method;
  entry.pattern = route.pattern;
  entry.name = full_name(route);
  entry.contract = route.endpoint.contract;
  entry.owner = group.owner;
  entry.media_type = route.endpoint.media_type;
  entry.is_negotiated = route.representation.endpoint != nullptr;
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

}  // namespace tern::app
