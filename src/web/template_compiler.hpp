// Compiles Mustache templates (the specification at mustache.github.io, with inheritance and without lambdas and
// dynamic names).
#pragma once

#include "web/template_program.hpp"

#include <tern/web/templates.hpp>

#include <span>
#include <string>

namespace tern::web {

// "{{asset "/assets/style.css"}}" is resolved by `assets`. Partials are not linked: the text of the instruction is the
// indentation, and `references` of the result has their names. Throws TemplateError.
struct TemplateReference {
  std::size_t instruction;
  std::string_view name;
};
void compile_template(TemplateProgram& program, std::vector<TemplateReference>& references,
                      std::span<const TemplateAssets> assets);

}  // namespace tern::web
