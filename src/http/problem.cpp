#include <tern/http/problem.hpp>

#include <tern/base/number.hpp>
#include <tern/json/write.hpp>

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace tern {
namespace {

constexpr std::string_view standard_members[] = {"type", "title", "status", "detail", "instance", "errors"};

void add_text(std::string& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out += key;
  json::write(out, value);
}

void add_item(std::string& out, const ProblemItem& item) {
  out += R"({"detail":)";
  json::write(out, std::string_view(item.detail));
  out += R"(,"pointer":)";
  json::write(out, std::string_view(item.pointer));
  add_text(out, R"(,"in":)", item.in);
  add_text(out, R"(,"code":)", item.code);
  if (!item.expected.empty()) out.append(R"(,"expected":)").append(item.expected);
  out += '}';
}

}  // namespace

void Problem::set_json_member(std::string_view name, std::string json) {
  if (std::ranges::find(standard_members, name) != std::end(standard_members)) {
    throw std::invalid_argument("'" + std::string(name) + "' is a standard member of a problem, not an extension");
  }
  const auto found = std::ranges::find(extensions, name, &ProblemMember::name);
  if (found != extensions.end()) {
    found->json = std::move(json);
  } else {
    extensions.push_back({std::string(name), std::move(json)});
  }
}

std::string to_json(const Problem& problem) {
  std::string out = R"({"type":)";
  json::write(out, problem.type.empty() ? std::string_view("about:blank") : std::string_view(problem.type));
  out += R"(,"title":)";
  json::write(out, problem.title.empty() ? reason(problem.status) : std::string_view(problem.title));
  out += R"(,"status":)";
  base::append_integer(out, code(problem.status));
  add_text(out, R"(,"detail":)", problem.detail);
  add_text(out, R"(,"instance":)", problem.instance);
  if (!problem.errors.empty()) {
    out += R"(,"errors":[)";
    bool first = true;
    for (const ProblemItem& error : problem.errors) {
      if (!std::exchange(first, false)) out += ',';
      add_item(out, error);
    }
    out += ']';
  }
  for (const ProblemMember& member : problem.extensions) {
    out += ',';
    json::write(out, std::string_view(member.name));
    out += ':';
    out += member.json;
  }
  out += '}';
  return out;
}

}  // namespace tern
