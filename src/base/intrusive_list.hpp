// A doubly linked list through its elements: it allocates nothing, and removes in constant time.
#pragma once

namespace tern::base {

// `T` derives publicly from IntrusiveList<T>::Links. The list does not own its elements.
template <class T>
class IntrusiveList {
public:
  class Links {
    friend IntrusiveList;
    T* next_ = nullptr;
    T** previous_ = nullptr;  // the pointer that refers to this element
  };

  IntrusiveList() noexcept = default;
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  T* first() const noexcept { return first_; }
  static T* next(const T& element) noexcept { return links(element).next_; }

  void push_front(T& element) noexcept {
    Links& its = element;
    its.next_ = first_;
    its.previous_ = &first_;
    if (first_ != nullptr) links_of(*first_).previous_ = &its.next_;
    first_ = &element;
  }
  static void remove(T& element) noexcept {
    Links& its = element;
    *its.previous_ = its.next_;
    if (its.next_ != nullptr) links_of(*its.next_).previous_ = its.previous_;
    its.next_ = nullptr;
    its.previous_ = nullptr;
  }

  // Calls `call` with each element, which may be removed meanwhile.
  template <class F>
  void for_each(F&& call) const {
    for (T* element = first_; element != nullptr;) {
      T* following = next(*element);
      call(*element);
      element = following;
    }
  }

private:
  static Links& links_of(T& element) noexcept { return element; }
  static const Links& links(const T& element) noexcept { return element; }

  T* first_ = nullptr;
};

}  // namespace tern::base
