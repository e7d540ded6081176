#include "server/topics.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tern::server {

using http::take_level;

struct Topics::Topic {
  http::TopicFilter key() const noexcept { return {filter, has_wildcards}; }

  std::string filter;
  bool has_wildcards = false;
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

Topics::Topic& Topics::topic_of(const http::TopicFilter& filter) {
  if (!filter.has_wildcards) {
    auto found = exact_.find(filter.text);
    if (found == exact_.end()) found = exact_.emplace(std::string(filter.text), std::make_unique<Topic>()).first;
    return *found->second;
  }
  Node* node = wildcards_.get();
  std::string_view rest = filter.text;
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(rest, ended);
    auto found = node->levels.find(level);
    if (found == node->levels.end()) found = node->levels.emplace(std::string(level), std::make_unique<Node>()).first;
    node = found->second.get();
  }
  return node->topic;
}

bool Topics::add(const http::TopicFilter& filter, Subscriber& subscriber) {
  Topic& topic = topic_of(filter);
  const auto same = [&topic](const auto& one) { return one->topic == &topic; };
  if (std::ranges::any_of(subscriber.subscriptions_, same)) return false;
  if (topic.filter.empty()) {
    topic.filter = filter.text;
    topic.has_wildcards = filter.has_wildcards;
  }
  auto subscription = std::make_unique<Subscriber::Subscription>(&subscriber, &topic, topic.subscriptions.size());
  topic.subscriptions.push_back(subscription.get());
  subscriber.subscriptions_.push_back(std::move(subscription));
  return true;
}

bool Topics::remove(const http::TopicFilter& filter, Subscriber& subscriber) {
  auto& own = subscriber.subscriptions_;
  const auto found = std::ranges::find_if(own, [filter](const auto& one) { return one->topic->key() == filter; });
  if (found == own.end()) return false;
  auto& all = (*found)->topic->subscriptions;
  const std::size_t index = (*found)->index;
  all[index] = all.back();
  all[index]->index = index;
  all.pop_back();
  const bool last = all.empty();
  std::swap(*found, own.back());
  own.pop_back();
  if (last) forget(filter);
  return true;
}

http::TopicFilter Topics::last_filter(const Subscriber& subscriber) {
  return subscriber.subscriptions_.back()->topic->key();
}

// Nobody is left: takes the topic out, and the nodes that only it needed.
void Topics::forget(const http::TopicFilter& filter) {
  if (!filter.has_wildcards) {
    exact_.erase(exact_.find(filter.text));
    return;
  }
  std::string_view rest = filter.text;
  std::vector<std::pair<Node*, std::string>> path;
  Node* node = wildcards_.get();
  for (bool ended = false; !ended;) {
    const std::string_view level = take_level(rest, ended);
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
