#include "server/topics.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tern::server {
namespace {

constexpr std::size_t longest_filter = 1024;
constexpr std::size_t most_levels = 64;

// Takes the first level off; `ended` when it was the last.
std::string_view take_level(std::string_view& rest, bool& ended) noexcept {
  const std::size_t slash = rest.find('/');
  const std::string_view level = rest.substr(0, slash);
  ended = slash == std::string_view::npos;
  rest.remove_prefix(ended ? rest.size() : slash + 1);
  return level;
}

}  // namespace

struct Topics::Topic {
  std::string filter;
  std::vector<Subscriber::Subscription*> subscriptions;
};

struct Subscriber::Subscription {
  Subscriber* subscriber;
  Topics::Topic* topic;
  std::size_t index;  // in the topic's list
};

Subscriber::Subscriber() = default;
Subscriber::~Subscriber() = default;

struct Topics::Node {
  Map<std::unique_ptr<Node>> levels;  // "+" and "#" among them
  Topic topic;
};

Topics::Topics() : wildcards_(std::make_unique<Node>()) {}
Topics::~Topics() = default;

bool Topics::is_filter(std::string_view text) noexcept {
  if (text.empty() || text.size() > longest_filter) return false;
  std::size_t levels = 0;
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(text, ended);
    if (++levels > most_levels) return false;
    if (has_wildcards(level) && level.size() != 1) return false;
    if (level == "#" && !ended) return false;
  }
  return true;
}

Topics::Topic& Topics::topic_of(std::string_view filter) {
  if (!has_wildcards(filter)) {
    auto found = exact_.find(filter);
    if (found == exact_.end()) found = exact_.emplace(std::string(filter), std::make_unique<Topic>()).first;
    return *found->second;
  }
  Node* node = wildcards_.get();
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(filter, ended);
    auto found = node->levels.find(level);
    if (found == node->levels.end()) found = node->levels.emplace(std::string(level), std::make_unique<Node>()).first;
    node = found->second.get();
  }
  return node->topic;
}

bool Topics::add(std::string_view filter, Subscriber& subscriber) {
  if (!is_filter(filter)) return false;
  Topic& topic = topic_of(filter);
  const auto same = [&topic](const auto& one) { return one->topic == &topic; };
  if (std::ranges::any_of(subscriber.subscriptions_, same)) return false;
  if (topic.filter.empty()) topic.filter = filter;
  auto subscription = std::make_unique<Subscriber::Subscription>(&subscriber, &topic, topic.subscriptions.size());
  topic.subscriptions.push_back(subscription.get());
  subscriber.subscriptions_.push_back(std::move(subscription));
  return true;
}

bool Topics::remove(std::string_view filter, Subscriber& subscriber) {
  auto& own = subscriber.subscriptions_;
  const auto found = std::ranges::find_if(own, [filter](const auto& one) { return one->topic->filter == filter; });
  if (found == own.end()) return false;
  auto& all = (*found)->topic->subscriptions;
  const std::size_t index = (*found)->index;
  all[index] = all.back();
  all[index]->index = index;
  all.pop_back();
  const bool last = all.empty();
  std::swap(*found, own.back());
  own.pop_back();
  if (last) forget(std::string(filter));
  return true;
}

std::string Topics::last_filter(const Subscriber& subscriber) {
  return subscriber.subscriptions_.back()->topic->filter;
}

// Nobody is left: takes the topic out, and the nodes that only it needed.
void Topics::forget(std::string_view filter) {
  if (!has_wildcards(filter)) {
    exact_.erase(exact_.find(filter));
    return;
  }
  std::vector<std::pair<Node*, std::string>> path;
  Node* node = wildcards_.get();
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(filter, ended);
    path.emplace_back(node, level);
    node = node->levels.find(level)->second.get();
  }
  node->topic.filter.clear();
  while (!path.empty() && node->levels.empty() && node->topic.subscriptions.empty()) {
    node = path.back().first;
    node->levels.erase(path.back().second);
    path.pop_back();
  }
}

void Topics::find(std::string_view topic) {
  ++publications_;
  if (const auto found = exact_.find(topic); found != exact_.end()) collect(*found->second);
  if (!wildcards_->levels.empty()) collect(*wildcards_, topic, false);
}

void Topics::collect(const Node& node, std::string_view rest, bool ended) {
  if (const auto all = node.levels.find(std::string_view("#")); all != node.levels.end()) collect(all->second->topic);
  if (ended) return collect(node.topic);
  const std::string_view level = take_level(rest, ended);
  for (const std::string_view one : {level, std::string_view("+")}) {
    const auto found = node.levels.find(one);
    if (found != node.levels.end()) collect(*found->second, rest, ended);
  }
}

void Topics::collect(const Topic& topic) {
  for (const auto* subscription : topic.subscriptions) {
    Subscriber& subscriber = *subscription->subscriber;
    if (std::exchange(subscriber.seen_, publications_) != publications_) found_.push_back(&subscriber);
  }
}

}  // namespace tern::server
