// For tests: templates from strings.
#pragma once

#include "web/template_renderer.hpp"
#include "web/template_store.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {

using Partials = std::vector<std::pair<std::string, std::string>>;

inline TemplateSet make_set(std::string_view page, const Partials& partials, const TemplateOptions& options = {}) {
  std::vector<TemplateSource> sources = {{"page", "page.mustache", std::string(page)}};
  for (const auto& [name, text] : partials) sources.push_back({name, name + ".mustache", text});
  return {std::move(sources), options};
}

// In pieces of `piece` bytes or a little more.
template <class T>
std::string render_text(std::string_view page, const T& value, const Partials& partials = {},
                        std::size_t piece = SIZE_MAX) {
  const TemplateSet set = make_set(page, partials);
  TemplateRenderer renderer(set.find("page"), value_of(value));
  std::string whole;
  std::string out;
  bool is_done = false;
  while (!is_done) {
    out.clear();
    is_done = renderer.run(out, piece);
    whole += out;
  }
  return whole;
}

template <class T>
std::string mistake_of(std::string_view page, const T& value, const Partials& partials = {}) {
  try {
    static_cast<void>(render_text(page, value, partials));
  } catch (const TemplateError& error) {
    return error.what();
  }
  return "no mistake";
}

}  // namespace tern::web
