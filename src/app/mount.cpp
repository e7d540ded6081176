// Mounting: the routes of one app become routes of another, below a prefix, and keep their own states, middleware,
// error mappings and problem renderer.
#include "app/core.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tern::app {

std::size_t Core::mount(std::size_t parent, const PlacedPattern& prefix, base::Box<Core> mounted) {
  require_open("an app was mounted");
  if (mounted->frozen_) throw SetupError("an app was mounted after its own start: mount it before");
  const std::size_t around = add_group(parent, prefix);
  const std::string where = "mount '" + groups_[around].prefix + "': ";
  if (examine(groups_[around].prefix).placeholders != 0) {
    groups_[around].faulty = true;
    mistakes_.add(prefix.place, where + "the prefix of a mounted app has no placeholders");
  }
  if (mounted->bus_) mistakes_.add(prefix.place, where + "a mounted app has no bus: give it to the app around it");
  if (mounted->observer_) {
    mistakes_.add(prefix.place, where + "a mounted app has no metrics and no admin address: use those around it");
  }
  for (const RouteTable& table : mounted->tables_) {
    if (table.root == 0) continue;
    const std::string_view kind = table.host.empty() ? "listeners" : "hosts";
    mistakes_.add(table.place,
                  where + "a mounted app has no routes of " + std::string(kind) + ": give them to the app around it");
  }
  const std::size_t first_group = groups_.size();
  adopt_groups(*mounted, around);
  adopt_routes(*mounted, first_group);
  mistakes_.append(mounted->mistakes_);
  std::ranges::move(mounted->hooks_.start, std::back_inserter(hooks_.start));
  std::ranges::move(mounted->hooks_.stop, std::back_inserter(hooks_.stop));
  std::ranges::move(mounted->hooks_.every, std::back_inserter(hooks_.every));
  std::ranges::move(mounted->hooks_.reload, std::back_inserter(hooks_.reload));
  std::ranges::move(mounted->when_complete_, std::back_inserter(when_complete_));
  std::ranges::move(mounted->links_, std::back_inserter(links_));
  mounted->outer_ = this;
  mounted->frozen_ = true;
  mounted_.push_back(std::move(mounted));
  return around;
}

void Core::adopt_groups(Core& mounted, std::size_t around) {
  const std::size_t first = groups_.size();
  for (std::size_t i = 0; i < mounted.groups_.size(); ++i) {
    GroupEntry group = std::move(mounted.groups_[i]);
    group.prefix = join(groups_[around].prefix, group.prefix);
    group.parent = i == 0 ? around : first + group.parent;
    group.table = groups_[around].table;
    group.faulty = group.faulty || groups_[around].faulty;
    groups_.push_back(std::move(group));
  }
}

void Core::adopt_routes(Core& mounted, std::size_t first_group) {
  for (RouteEntry& adopted : mounted.routes_) {
    RouteEntry& route = routes_.emplace_back(std::move(adopted));
    route.group += first_group;
    route.pattern = join(groups_[first_group].prefix, route.pattern);
    route.faulty = route.faulty || groups_[first_group].faulty;
    route.offered.clear();
    route.representations.clear();
    if (route.faulty) continue;
    try {
      enter(route);
    } catch (const SetupError& error) {
      route.faulty = true;
      mistakes_.add(route.place, error.what());
    }
  }
}

}  // namespace tern::app
