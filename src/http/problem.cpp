#include <tern/http/problem.hpp>

#include <tern/base/number.hpp>
#include <tern/json/write.hpp>

namespace tern {
namespace {

struct Item {
  std::string_view detail;
  std::string_view pointer;
};

}  // namespace

std::string to_json(const Problem& problem) {
  std::string out = R"({"type":"about:blank","title":)";
  const std::string_view title = reason(problem.status);
  json::write(out, title);
  out += R"(,"status":)";
  base::append_integer(out, code(problem.status));
  if (!problem.detail.empty()) {
    out += R"(,"detail":)";
    json::write(out, std::string_view(problem.detail));
  }
  if (!problem.errors.empty()) {
    out += R"(,"errors":[)";
    bool first = true;
    for (const ProblemItem& error : problem.errors) {
      if (!std::exchange(first, false)) out += ',';
      json::write(out, Item{error.detail, error.pointer});
    }
    out += ']';
  }
  out += '}';
  return out;
}

}  // namespace tern
