#include "openapi/checker.hpp"

#include <tern/app/pattern.hpp>
#include <tern/base/ascii.hpp>

#include <algorithm>
#include <stdexcept>

namespace tern::openapi {
namespace {

// "/a/{}/c", without the names of placeholders, which two patterns of one path need not share.
std::string shape_of_pattern(std::string_view pattern) {
  std::string shape;
  app::PatternReader reader(pattern);
  for (app::Segment segment; reader.next(segment);) {
    shape.append("/").append(segment.kind == app::SegmentKind::Literal ? segment.text : std::string_view("{}"));
  }
  return shape;
}

JsonValue parse(std::string_view document) {
  auto value = json::read<JsonValue>(document);
  if (!value) throw std::invalid_argument("the document is not JSON: " + value.error().to_string());
  return std::move(*value);
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), base::to_lower);
  return result;
}

const JsonValue* find_response(const JsonValue& responses, int status) {
  const std::string exact = std::to_string(status);
  if (const JsonValue* const found = responses.find(exact)) return found;
  if (const JsonValue* const found = responses.find(exact.substr(0, 1) + "XX")) return found;
  return responses.find("default");
}

bool is_json(std::string_view media_type) {
  return media_type == "application/json" || media_type.ends_with("+json");
}

std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list.append(list.empty() ? "" : ", ").append(name);
  return list.empty() ? "none" : list;
}

}  // namespace

Checker::Checker(std::string_view document) : document_(parse(document)), validator_(document_) {}

const JsonValue* Checker::find_path(std::string_view pattern) const {
  const JsonValue* const paths = document_.find("paths");
  if (paths == nullptr || pattern.empty()) return nullptr;
  const std::string shape = shape_of_pattern(pattern);
  for (std::size_t i = 0; i < paths->keys.size(); ++i) {
    if (shape_of_pattern(paths->keys[i]) == shape) return &paths->items[i];
  }
  return nullptr;
}

std::string Checker::violation(const Answer& answer) {
  const JsonValue* const path = find_path(answer.pattern);
  if (path == nullptr) return {};
  const std::string key = lower(answer.method);
  const JsonValue* operation = path->find(key);
  if (operation == nullptr) operation = path->find(key == "head" ? "get" : "x-" + key);
  const JsonValue* const responses = operation == nullptr ? nullptr : operation->find("responses");
  if (responses == nullptr) return {};
  const std::string title =
      std::string(answer.method) + " '" + std::string(answer.pattern) + "' responded " + std::to_string(answer.status);
  const JsonValue* const response = find_response(*responses, answer.status);
  if (response == nullptr) {
    return title + ", which its contract does not have; it has " + list_of(responses->keys);
  }
  const bool has_content = answer.method != "HEAD" && answer.status != 304 && !answer.content.empty();
  if (!has_content) return {};
  const std::string why = check_content(*response, answer);
  return why.empty() ? why : title + " " + why;
}

std::string Checker::check_content(const JsonValue& response, const Answer& answer) {
  const JsonValue* const contents = response.find("content");
  if (contents == nullptr) return {};  // the contract does not say
  const std::string media_type = lower(base::trim(answer.content_type.substr(0, answer.content_type.find(';'))));
  const JsonValue* content = contents->find(media_type);
  if (content == nullptr) content = contents->find("*/*");
  if (content == nullptr) {
    return "with content of type '" + media_type + "', which its contract does not have; it has " +
           list_of(contents->keys);
  }
  const JsonValue* const schema = content->find("schema");
  if (schema == nullptr || !is_json(media_type)) return {};
  const auto value = json::read<JsonValue>(answer.content);
  if (!value) return "with content that is not JSON: " + value.error().to_string();
  const std::string why = validator_.violation(*schema, *value);
  return why.empty() ? why
                     : "with content that its contract does not allow: " + why + "\n" + std::string(answer.content);
}

}  // namespace tern::openapi
