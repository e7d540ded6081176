#include "websockets/topics.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace tern::websockets {

using http::take_level;

struct Topics::Topic {
  http::TopicFilter key() const noexcept { return {filter, has_wildcards}; }

  std::string filter;
  bool has_wildcards = false;
  Node* node = nullptr;  // null without wildcards
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
  Node* parent = nullptr;
  std::string level = {};             // its key in the parent
  Map<std::unique_ptr<Node>> levels;  // including "+" and "#"
  Topic topic = {};
};

Topics::Topics() : wildcards_(std::make_unique<Node>()) {}
Topics::~Topics() = default;

Topics::Topic& Topics::topic_of(const http::TopicFilter& filter) {
  if (!filter.has_wildcards) {
    auto found = exact_.find(filter.text);
    if (found == exact_.end()) {
      auto topic = std::make_unique<Topic>(std::string(filter.text));
      found = exact_.emplace(std::string(filter.text), std::move(topic)).first;
    }
    return *found->second;
  }
  Node* node = wildcards_.get();
  try {
    std::string_view rest = filter.text;
    for (bool ended = false; !ended;) {
      const std::string_view level = take_level(rest, ended);
      auto found = node->levels.find(level);
      if (found == node->levels.end()) {
        auto below = std::make_unique<Node>(node, std::string(level));
        found = node->levels.emplace(std::string(level), std::move(below)).first;
      }
      node = found->second.get();
    }
    if (node->topic.filter.empty()) node->topic = {std::string(filter.text), true, node, {}};
  } catch (...) {
    prune(*node);
    throw;
  }
  return node->topic;
}

// Changes nothing if an allocation fails.
bool Topics::add(const http::TopicFilter& filter, Subscriber& subscriber) {
  Topic& topic = topic_of(filter);
  const auto same = [&topic](const auto& one) { return one->topic == &topic; };
  if (std::ranges::any_of(subscriber.subscriptions_, same)) return false;
  auto& own = subscriber.subscriptions_;
  const std::size_t before = own.size();
  try {
    own.push_back(std::make_unique<Subscriber::Subscription>(&subscriber, &topic, topic.subscriptions.size()));
    topic.subscriptions.push_back(own.back().get());
  } catch (...) {
    own.resize(before);
    if (topic.subscriptions.empty()) forget(topic);
    throw;
  }
  return true;
}

bool Topics::remove(const http::TopicFilter& filter, Subscriber& subscriber) noexcept {
  auto& own = subscriber.subscriptions_;
  const auto found = std::ranges::find_if(own, [filter](const auto& one) { return one->topic->key() == filter; });
  if (found == own.end()) return false;
  std::swap(*found, own.back());
  remove_last(subscriber);
  return true;
}

void Topics::remove_last(Subscriber& subscriber) noexcept {
  auto& own = subscriber.subscriptions_;
  Topic& topic = *own.back()->topic;
  auto& all = topic.subscriptions;
  const std::size_t index = own.back()->index;
  all[index] = all.back();
  all[index]->index = index;
  all.pop_back();
  own.pop_back();
  if (all.empty()) forget(topic);
}

http::TopicFilter Topics::last_filter(const Subscriber& subscriber) noexcept {
  return subscriber.subscriptions_.back()->topic->key();
}

// Removes the topic after its last subscription.
void Topics::forget(Topic& topic) noexcept {
  if (topic.node == nullptr) {
    exact_.erase(exact_.find(topic.filter));
    return;
  }
  topic.filter.clear();
  prune(*topic.node);
}

// Removes the node, and its ancestors, as far as they are unused.
void Topics::prune(Node& from) noexcept {
  Node* node = &from;
  while (node->parent != nullptr && node->levels.empty() && node->topic.subscriptions.empty()) {
    Node* const parent = node->parent;
    parent->levels.erase(parent->levels.find(node->level));
    node = parent;
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

}  // namespace tern::websockets
