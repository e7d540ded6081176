// Renders the cases of the Mustache specification: mustache-spec FILE.json…, each with what its JSON values give.
#include "web/template_renderer.hpp"
#include "web/template_store.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using nlohmann::json;
using tern::web::TemplateKind;
using tern::web::TemplateType;
using tern::web::TemplateValue;

const json& as_json(const void* object) {
  return *static_cast<const json*>(object);
}

std::string_view name() {
  return "JSON";
}
bool holds(const void* object) {
  const json& value = as_json(object);
  return value.is_object() ? !value.empty() : value.get<bool>();
}
std::string_view text(const void* object, std::string& scratch) {
  const json& value = as_json(object);
  if (value.is_string()) return value.get_ref<const std::string&>();
  scratch = value.dump();
  return scratch;
}

TemplateValue value_of(const json& value);

bool member(const void* object, std::string_view key, TemplateValue& found) {
  const auto at = as_json(object).find(std::string(key));
  if (at == as_json(object).end()) return false;
  found = value_of(*at);
  return true;
}
void elements(const void* object, std::vector<TemplateValue>& out) {
  for (const json& element : as_json(object)) out.push_back(value_of(element));
}

constexpr TemplateType boolean{TemplateKind::Boolean, &name, &holds, &text};
constexpr TemplateType string{TemplateKind::Text, &name, nullptr, &text};
constexpr TemplateType number{TemplateKind::Scalar, &name, nullptr, &text};
constexpr TemplateType map{.kind = TemplateKind::Map, .name = &name, .holds = &holds, .element = &member};
constexpr TemplateType list{.kind = TemplateKind::List, .name = &name, .elements = &elements};

TemplateValue value_of(const json& value) {
  if (value.is_null()) return {};
  if (value.is_boolean()) return {&value, &boolean};
  if (value.is_string()) return {&value, &string};
  if (value.is_object()) return {&value, &map};
  if (value.is_array()) return {&value, &list};
  return {&value, &number};
}

std::string render(const json& test) {
  std::vector<tern::web::TemplateSource> sources = {{"the page", "page", test.at("template").get<std::string>()}};
  const json partials = test.value("partials", json::object());
  for (const auto& [partial, content] : partials.items()) {
    sources.push_back({partial, partial, content.get<std::string>()});
  }
  const tern::web::TemplateSet set(std::move(sources), {});
  tern::web::TemplateRenderer renderer(set.find("the page"), value_of(test.at("data")));
  std::string out;
  renderer.run(out, std::string::npos);
  return out;
}

bool check(const std::string& file, const json& test) {
  const auto title = test.at("name").get<std::string>();
  // A template that includes what does not exist is refused at the start (ADR 44).
  const bool refused = title == "Failed Lookup";
  const auto expected = refused ? "error: page:1: there is no template 'text'" : test.at("expected").get<std::string>();
  std::string is;
  try {
    is = render(test);
  } catch (const std::exception& error) {
    is = std::string("error: ") + error.what();
  }
  if (is == expected) return true;
  std::printf("%s: %s: %s\n  expected %s\n  rendered %s\n", file.c_str(), title.c_str(), test.dump().c_str(),
              json(expected).dump().c_str(), json(is).dump().c_str());
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t passed = 0;
  std::size_t failed = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i]);
    const json cases = json::parse(in);
    for (const json& test : cases.at("tests")) ++(check(argv[i], test) ? passed : failed);
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return passed > 0 && failed == 0 ? 0 : 1;
}
