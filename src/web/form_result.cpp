#include <tern/web/form_result.hpp>

namespace tern::web {

void add_entered(FormFields& fields, const app::Pairs& pairs, std::string_view name) {
  FormField& field = fields[name];
  std::size_t from = 0;
  while (const std::string_view* text = pairs.find(name, from)) field.values.emplace_back(*text);
  if (!field.values.empty()) field.value = field.values.front();
}

// The first error of a field. Names may be JSON pointers.
void add_errors(FormFields& fields, std::vector<ProblemItem>& others, const Problem& problem) {
  for (const ProblemItem& item : problem.errors) {
    std::string_view name = item.pointer;
    if (name.starts_with('/')) name.remove_prefix(1);
    const auto field = fields.find(name.substr(0, name.find('/')));
    if (field == fields.end()) {
      others.push_back(item);
    } else if (field->second.error.empty()) {
      field->second.error = item.detail;
    }
  }
}

}  // namespace tern::web
