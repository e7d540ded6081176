// LruMap: a map from text to values, bounded in bytes: the least recently used values are dropped first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::base {

// For keys of clients too: a lookup compares at most `max_chain` keys, whatever their hashes are. Not thread-safe.
// T is nothrow-movable.
template <class T>
class LruMap {
public:
  static constexpr std::size_t max_chain = 16;  // of 10^12 buckets with regular hashes, less than one has more

  explicit LruMap(std::size_t max_bytes) : buckets_(16), max_bytes_(max_bytes) {}
  LruMap(const LruMap&) = delete;
  LruMap& operator=(const LruMap&) = delete;
  ~LruMap() { clear(); }

  // Null if there is none. Valid until the next change of the map; counts as a use.
  T* find(std::string_view key) noexcept {
    Node* const node = look_up(key, hash_of(key));
    if (node == nullptr) return nullptr;
    unlink(*node);
    link_first(*node);
    return &node->value;
  }

  // Replaces the value of that key. `bytes` is the size of the value beyond sizeof(T). A value that exceeds the bound
  // by itself is not stored: false. If memory is missing, std::bad_alloc is thrown, and the map has no value for the
  // key.
  bool put(std::string_view key, T value, std::size_t bytes) {
    erase(key);
    bytes += sizeof(Node) + key.size();
    if (bytes > max_bytes_) return false;
    grow();
    const std::size_t hash = hash_of(key);
    Node* const node = new Node{std::string(key), std::move(value), hash, bytes};
    shorten_chain(bucket_of(hash));
    node->chained = std::exchange(bucket_of(hash), node);
    link_first(*node);
    bytes_ += bytes;
    ++size_;
    while (bytes_ > max_bytes_) drop(*last_);
    return true;
  }

  bool erase(std::string_view key) noexcept {
    Node* const node = look_up(key, hash_of(key));
    if (node != nullptr) drop(*node);
    return node != nullptr;
  }

  // Removes the values for which matches(const T&) holds; returns their number.
  template <class F>
  std::size_t erase_if(F matches) {
    std::size_t erased = 0;
    for (Node* node = first_; node != nullptr;) {
      Node* const next = node->next;
      if (matches(std::as_const(node->value))) {
        drop(*node);
        ++erased;
      }
      node = next;
    }
    return erased;
  }

  void clear() noexcept {
    while (first_ != nullptr) drop(*first_);
  }

  std::size_t size() const noexcept { return size_; }
  // With the keys, and what the map needs itself for each.
  std::size_t bytes() const noexcept { return bytes_; }

private:
  struct Node {
    std::string key;
    T value;
    std::size_t hash;
    std::size_t bytes;
    Node* chained = nullptr;  // the next in the bucket
    Node* previous = nullptr;
    Node* next = nullptr;
  };

  static std::size_t hash_of(std::string_view key) noexcept { return std::hash<std::string_view>()(key); }
  Node*& bucket_of(std::size_t hash) noexcept { return buckets_[hash & (buckets_.size() - 1)]; }

  Node* look_up(std::string_view key, std::size_t hash) noexcept {
    for (Node* node = bucket_of(hash); node != nullptr; node = node->chained) {
      if (node->hash == hash && node->key == key) return node;
    }
    return nullptr;
  }

  // The last of a full chain was added first.
  void shorten_chain(Node* node) noexcept {
    for (std::size_t length = 1; node != nullptr; node = node->chained, ++length) {
      if (length == max_chain) return drop(*node);
    }
  }

  void grow() {
    if (size_ < buckets_.size()) return;
    std::vector<Node*> old(buckets_.size() * 2);
    old.swap(buckets_);
    for (Node* node : old) {
      while (node != nullptr) {
        Node* const rest = node->chained;
        node->chained = std::exchange(bucket_of(node->hash), node);
        node = rest;
      }
    }
  }

  void drop(Node& node) noexcept {
    Node** from = &bucket_of(node.hash);
    while (*from != &node) from = &(*from)->chained;
    *from = node.chained;
    unlink(node);
    bytes_ -= node.bytes;
    --size_;
    delete &node;
  }

  void link_first(Node& node) noexcept {
    node.previous = nullptr;
    node.next = first_;
    (first_ != nullptr ? first_->previous : last_) = &node;
    first_ = &node;
  }

  void unlink(Node& node) noexcept {
    (node.previous != nullptr ? node.previous->next : first_) = node.next;
    (node.next != nullptr ? node.next->previous : last_) = node.previous;
  }

  std::vector<Node*> buckets_;  // their number is a power of two
  Node* first_ = nullptr;       // the last used
  Node* last_ = nullptr;
  std::size_t max_bytes_;
  std::size_t bytes_ = 0;
  std::size_t size_ = 0;
};

}  // namespace tern::base
