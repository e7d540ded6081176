#include <tern/json/error.hpp>

namespace tern::json {

std::string Error::to_string() const {
  std::string text;
  for (const Problem& problem : problems) {
    if (!text.empty()) text.append("; ");
    if (!problem.path.empty()) text.append(problem.path).append(": ");
    text.append(problem.message);
  }
  return text;
}

}  // namespace tern::json
