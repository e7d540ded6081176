// The elements of a container, whose type only its description knows.
#pragma once

#include <tern/config/type.hpp>

#include <string_view>
#include <type_traits>
#include <utility>

namespace tern::configuration {

// Calls f(key, element) for each element of an Optional, List or Map. The key is empty but in a map.
template <class F>
void visit_elements(const Type& type, const void* container, F&& f) {
  type.each(container, &f, [](void* context, std::string_view key, const void* element) {
    (*static_cast<std::remove_reference_t<F>*>(context))(key, element);
  });
}

}  // namespace tern::configuration
