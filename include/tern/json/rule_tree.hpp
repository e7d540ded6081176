// All types with rules that a document of type T may have, so that their patterns are compiled at the start.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <tern/json/reflect.hpp>
#include <tern/json/shape.hpp>
#include <tern/json/validate.hpp>

namespace tern::json {

namespace detail {

// Types that have been visited, by the address of their read functions.
class VisitedTypes {
public:
  VisitedTypes() noexcept;
  ~VisitedTypes();
  VisitedTypes(const VisitedTypes&) = delete;
  VisitedTypes& operator=(const VisitedTypes&) = delete;
  // False if it has been visited.
  bool add(const void* type);

private:
  std::vector<const void*> types_;
};

template <class T>
inline constexpr char type_mark = 0;

template <class T>
void compile_rules_in(VisitedTypes& visited);

template <class T>
inline constexpr bool is_scalar_shape =
    shape<T> < Shape::Optional || shape<T> == Shape::Time || shape<T> == Shape::Duration;

template <class T>
void compile_rules_at(VisitedTypes& visited) {
  if constexpr (!is_scalar_shape<T> || HasRules<T>) compile_rules_in<T>(visited);
}

template <template <class...> class V, class... A>
void compile_rules_of_alternatives(VisitedTypes& visited, const V<A...>*) {
  (compile_rules_at<std::remove_cv_t<A>>(visited), ...);
}

template <class T>
void compile_rules_in(VisitedTypes& visited) {
  constexpr Shape is = shape<T>;
  if constexpr (HasRules<T>) compiled_rules<T>();
  if constexpr (is == Shape::Struct) {
    if (!visited.add(&type_mark<T>)) return;
    [&visited]<std::size_t... I>(std::index_sequence<I...>) {
      (compile_rules_at<MemberType<T, I>>(visited), ...);
    }(std::make_index_sequence<member_count<T>>{});
  } else if constexpr (is == Shape::Pointer) {
    compile_rules_at<std::remove_cv_t<typename T::element_type>>(visited);
  } else if constexpr (is == Shape::Map) {
    compile_rules_at<std::remove_cv_t<typename T::mapped_type>>(visited);
  } else if constexpr (is == Shape::Variant || is == Shape::Tuple) {
    compile_rules_of_alternatives(visited, static_cast<const T*>(nullptr));
  } else if constexpr (!is_scalar_shape<T>) {
    compile_rules_at<std::remove_cv_t<typename T::value_type>>(visited);
  }
}

}  // namespace detail

// Throws std::invalid_argument, naming the type and the member, for a malformed pattern.
template <class T>
void compile_all_rules() {
  detail::VisitedTypes visited;
  detail::compile_rules_at<std::remove_cv_t<T>>(visited);
}

}  // namespace tern::json
