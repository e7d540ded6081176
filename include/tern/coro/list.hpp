// An intrusive list: an element unlinks itself when it is destroyed.
#pragma once

namespace tern::coro {

template <class T>
class List;

// Base class of T; an element is in at most one List<T> at a time.
template <class T>
class Hook {
public:
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;

  bool linked() const noexcept { return next_ != nullptr; }
  void unlink() noexcept {
    if (!linked()) return;
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = next_ = nullptr;
  }

protected:
  Hook() noexcept = default;
  ~Hook() { unlink(); }

private:
  friend class List<T>;
  Hook* previous_ = nullptr;
  Hook* next_ = nullptr;
};

// First in, first out. Does not own its elements; its destructor unlinks them.
template <class T>
class List {
public:
  List() noexcept { close(); }
  List(const List&) = delete;
  List& operator=(const List&) = delete;
  ~List() {
    while (!empty()) ends_.next_->unlink();
    ends_.previous_ = ends_.next_ = nullptr;
  }

  bool empty() const noexcept { return ends_.next_ == &ends_; }
  void push(T& item) noexcept {
    Hook<T>& hook = item;
    hook.previous_ = ends_.previous_;
    hook.next_ = &ends_;
    ends_.previous_->next_ = &hook;
    ends_.previous_ = &hook;
  }
  // Null if the list is empty.
  const T* front() const noexcept { return empty() ? nullptr : static_cast<const T*>(ends_.next_); }
  // Removes the first element; null if the list is empty.
  T* pop() noexcept {
    if (empty()) return nullptr;
    Hook<T>* first = ends_.next_;
    first->unlink();
    return static_cast<T*>(first);
  }
  // Moves all elements of `other` to the end of this list.
  void splice(List& other) noexcept {
    if (other.empty()) return;
    ends_.previous_->next_ = other.ends_.next_;
    other.ends_.next_->previous_ = ends_.previous_;
    ends_.previous_ = other.ends_.previous_;
    ends_.previous_->next_ = &ends_;
    other.close();
  }

private:
  struct Ends : Hook<T> {};
  void close() noexcept { ends_.previous_ = ends_.next_ = &ends_; }
  Ends ends_;
};

}  // namespace tern::coro
