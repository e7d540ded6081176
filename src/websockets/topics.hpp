// The topics of one loop and their subscribers.
//
// A literal topic is found by its hash; filters with wildcards are in a tree of levels. On the loop's thread.
#pragma once

#include "http/topic.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tern::websockets {

class Topics;

// Leaves all topics before it is destroyed.
class Subscriber {
public:
  Subscriber();
  Subscriber(const Subscriber&) = delete;
  Subscriber& operator=(const Subscriber&) = delete;
  bool subscribed() const noexcept { return !subscriptions_.empty(); }

protected:
  ~Subscriber();  // has left by then

private:
  friend class Topics;
  struct Subscription;
  std::vector<std::unique_ptr<Subscription>> subscriptions_;
  std::uint64_t seen_ = 0;  // the last publication offered to it
};

class Topics {
public:
  Topics();
  ~Topics();

  // False if nothing changes: it is subscribed already, or was not.
  bool add(const http::TopicFilter& filter, Subscriber& subscriber);
  bool remove(const http::TopicFilter& filter, Subscriber& subscriber) noexcept;
  // Calls left(filter) for each.
  template <class F>
  void remove_all(Subscriber& subscriber, F left) {
    while (subscriber.subscribed()) {
      left(last_filter(subscriber));
      remove_last(subscriber);
    }
  }
  // Calls f(Subscriber&) once for each that has a filter matching `topic` at this moment. f may call every function
  // here, but must not destroy a subscriber that has not left.
  template <class F>
  void match(std::string_view topic, F f) {
    found_.clear();
    find(topic);
    std::vector<Subscriber*> found = std::exchange(found_, {});
    for (Subscriber* subscriber : found) f(*subscriber);
    found_ = std::move(found);  // keeps its memory
  }

private:
  friend class Subscriber;
  struct Topic;
  struct Node;
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
  };
  template <class T>
  using Map = std::unordered_map<std::string, T, Hash, std::equal_to<>>;

  static http::TopicFilter last_filter(const Subscriber& subscriber) noexcept;
  void remove_last(Subscriber& subscriber) noexcept;
  Topic& topic_of(const http::TopicFilter& filter);
  void forget(Topic& topic) noexcept;
  static void prune(Node& node) noexcept;
  void find(std::string_view topic);
  void collect(const Node& node, std::string_view rest, bool ended);
  void collect(const Topic& topic);

  Map<std::unique_ptr<Topic>> exact_;
  std::unique_ptr<Node> wildcards_;
  std::vector<Subscriber*> found_;
  std::uint64_t publications_ = 0;
};

}  // namespace tern::websockets
