#include "openapi/document_model.hpp"

#include <tern/app/pattern.hpp>
#include <tern/base/ascii.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tern::openapi {

// The key of a method in a Path Item Object; others than these eight are extensions, and so are WebSockets: a client
// that is made from the document does not GET them.
std::string method_key(const app::OperationEntry& entry) {
  if (entry.is_socket) return "x-websocket";
  std::string key(entry.method == Method::Extension ? std::string_view(entry.extension_method)
                                                    : method_name(entry.method));
  std::ranges::transform(key, key.begin(), base::to_lower);
  constexpr std::string_view known[] = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};
  return std::ranges::find(known, key) != std::end(known) ? key : "x-" + key;
}

namespace {

std::string shape_of(std::string_view path) {
  std::string shape;
  bool inside = false;
  for (const char c : path) {
    if (c == '{') inside = true;
    if (c == '}') inside = false;
    if (!inside) shape += c;
  }
  return shape;
}

std::string identifier(std::string_view text) {
  std::string id;
  for (const char c : text) {
    const bool usable = base::is_alpha(c) || base::is_digit(c) || c == '.' || c == '-' || c == '_';
    if (usable) {
      id += c;
    } else if (!id.empty() && id.back() != '_') {
      id += '_';
    }
  }
  while (id.ends_with('_')) id.pop_back();
  return id;
}

const ParameterModel* find_parameter(const std::vector<ParameterModel>& among, const ParameterModel& like) {
  const auto found = std::ranges::find_if(
      among, [&like](const ParameterModel& each) { return each.in == like.in && each.name == like.name; });
  return found == among.end() ? nullptr : &*found;
}

bool is_same_value(const ParameterModel& one, const ParameterModel& other) {
  return one.schema == other.schema && one.rules.data() == other.rules.data() && one.default_json == other.default_json;
}

bool is_same_value(const ContentModel& one, const ContentModel& other) {
  return one.kind == other.kind && one.schema == other.schema;
}

// Beside what `into` is already.
template <class Model>
void add_other(Model& into, const Model& other) {
  const auto is_same = [&other](const Model& each) { return is_same_value(each, other); };
  if (!is_same(into) && std::ranges::none_of(into.others, is_same)) into.others.push_back(other);
}

void merge_contents(std::vector<ContentModel>& into, const std::vector<ContentModel>& others,
                    const app::OperationEntry* entry) {
  for (ContentModel content : others) {
    content.entry = entry;
    const auto known = std::ranges::find(into, content.media_type, &ContentModel::media_type);
    if (known == into.end()) {
      into.push_back(std::move(content));
    } else {
      add_other(*known, content);
    }
  }
}

std::string_view stated_id(const OperationModel& operation) {
  for (const app::RouteNotes* notes : operation.entry->notes) {
    if (!notes->operation_id.empty()) return notes->operation_id;
  }
  return {};
}

}  // namespace

DocumentModel::DocumentModel(const OpenApiOptions& options, const app::Core& outermost, const app::Core& within)
    : options_(options),
      entries_(outermost.operations(within, options.listener, options.host)),
      security_(options.security) {
  for (const app::OperationEntry& entry : entries_) place(make_operation(entry));
  name_operations();
  check();
  each_operation(paths_, [this](const OperationModel& operation) { collect(operation); });
  components_.name_all();
}

// Paths that differ only in the names of placeholders are one.
void DocumentModel::place(OperationModel operation) {
  const std::string shape = shape_of(operation.path);
  const auto known = std::ranges::find(paths_, shape, &PathModel::shape);
  if (known == paths_.end()) {
    PathModel& path = paths_.emplace_back(PathModel{operation.path, shape, {}});
    path.operations.push_back(std::move(operation));
    return;
  }
  const auto same = std::ranges::find_if(known->operations, [&operation](const OperationModel& other) {
    return method_key(*other.entry) == method_key(*operation.entry);
  });
  if (same != known->operations.end()) {
    merge(*same, operation);
    return;
  }
  rename_placeholders(operation, known->path);
  known->operations.push_back(std::move(operation));
}

// Placeholders are the same by position; they have a type if both agree. What only one reads is not required.
void DocumentModel::merge_parameters(OperationModel& into, const OperationModel& other) {
  const auto is_in_path = [](const ParameterModel& parameter) { return parameter.in == In::Path; };
  auto theirs = std::ranges::find_if(other.parameters, is_in_path);
  for (ParameterModel& parameter : into.parameters) {
    if (!is_in_path(parameter)) {
      const ParameterModel* const same = find_parameter(other.parameters, parameter);
      parameter.required = parameter.required && same != nullptr && same->required;
      if (same != nullptr) add_other(parameter, *same);
      continue;
    }
    if (parameter.schema != theirs->schema || parameter.pattern != theirs->pattern ||
        parameter.rules.data() != theirs->rules.data()) {
      parameter.schema = nullptr;
      parameter.pattern.clear();
      parameter.rules = {};
    }
    theirs = std::find_if(theirs + 1, other.parameters.end(), is_in_path);
  }
  for (const ParameterModel& parameter : other.parameters) {
    if (is_in_path(parameter) || find_parameter(into.parameters, parameter) != nullptr) continue;
    into.parameters.push_back(parameter);
    into.parameters.back().required = false;
  }
}

// Several patterns of one method are one operation: what either takes and answers is in it.
void DocumentModel::merge(OperationModel& into, const OperationModel& other) {
  if (!other.entry->is_negotiated) into.also.push_back(other.entry->pattern);
  merge_parameters(into, other);
  const bool both_need_content = !into.contents.empty() && !other.contents.empty() && other.content_required;
  into.content_required = into.content_required && both_need_content;
  merge_contents(into.contents, other.contents, other.entry);
  for (const auto& [status, response] : other.responses) {
    const auto [known, is_new] = into.responses.try_emplace(status, response);
    if (is_new) {
      for (ContentModel& content : known->second.contents) content.entry = other.entry;
      continue;
    }
    known->second.is_problem = known->second.is_problem || response.is_problem;
    known->second.has_location = known->second.has_location || response.has_location;
    merge_contents(known->second.contents, response.contents, other.entry);
  }
}

void DocumentModel::rename_placeholders(OperationModel& operation, const std::string& path) {
  app::PatternReader reader(path);
  auto parameter = operation.parameters.begin();
  for (app::Segment segment; reader.next(segment);) {
    if (segment.kind == app::SegmentKind::Literal) continue;
    parameter++->name = segment.name;
  }
  operation.path = path;
}

// Those that are stated come first; names of routes, methods and paths must give way to them.
void DocumentModel::name_operations() {
  std::set<std::string> taken;
  std::map<std::string, int> uses;
  each_operation(paths_, [&](const OperationModel& operation) {
    taken.emplace(stated_id(operation));
    ++uses[operation.entry->name];
  });
  for (PathModel& path : paths_) {
    for (OperationModel& operation : path.operations) {
      operation.id = stated_id(operation);
      if (!operation.id.empty()) continue;
      const app::OperationEntry& entry = *operation.entry;
      std::string id = identifier(entry.name);
      if (id.empty()) {
        id = identifier(method_key(entry) + " " + operation.path);
      } else if (uses[entry.name] > 1) {  // the methods of one path
        id += "." + method_key(entry);
      }
      operation.id = id;
      for (int number = 2; !taken.insert(operation.id).second; ++number) {
        operation.id = id + "_" + std::to_string(number);
      }
    }
  }
}

void DocumentModel::check() const {
  app::Mistakes mistakes;
  std::set<std::string> stated;
  each_operation(paths_, [&](const OperationModel& operation) {
    const std::string title = method_key(*operation.entry) + " '" + operation.entry->pattern + "'";
    const std::string id(stated_id(operation));
    if (!id.empty() && !stated.insert(id).second) {
      mistakes.add({}, title + ": another operation has the id '" + id + "'");
    }
    check_notes(operation, title, mistakes);
  });
  mistakes.throw_if_any();
}

void DocumentModel::check_notes(const OperationModel& operation, const std::string& title,
                                app::Mistakes& mistakes) const {
  for (const std::string& scheme : operation.security) {
    if (std::ranges::find(options_.security, scheme, &OpenApiSecurity::name) == options_.security.end()) {
      mistakes.add({}, title + " needs the security scheme '" + scheme + "', which OpenApiOptions::security has not");
    }
  }
  const auto has = [](const std::vector<ContentModel>& contents, const json::Schema* schema) {
    return std::ranges::any_of(contents, [schema](const ContentModel& content) {
      const auto is_of_type = [schema](const ContentModel& each) {
        return each.schema != nullptr && &target_of(*each.schema) == schema;
      };
      return is_of_type(content) || std::ranges::any_of(content.others, is_of_type);
    });
  };
  for (const app::RouteNotes::Example& example : operation.entry->notes.empty()
                                                     ? std::vector<app::RouteNotes::Example>()
                                                     : operation.entry->notes.front()->examples) {
    const bool is_used =
        has(operation.contents, example.schema) || std::ranges::any_of(operation.responses, [&](const auto& response) {
          return has(response.second.contents, example.schema);
        });
    if (!is_used && example.schema->shape == json::detail::Shape::Struct) {
      mistakes.add({}, title + " has an example of type " + std::string(example.schema->type) +
                           ", which is neither its content nor its response");
    }
  }
}

void DocumentModel::collect(const OperationModel& operation) {
  for (const OpenApiSecurity& scheme : operation.authentication) {
    if (std::ranges::find(security_, scheme.name, &OpenApiSecurity::name) == security_.end()) {
      security_.push_back(scheme);
    }
  }
  for (const ParameterModel& parameter : operation.parameters) {
    collect(parameter);
    for (const ParameterModel& other : parameter.others) collect(other);
  }
  for (const ContentModel& content : operation.contents) {
    collect_request(content, operation);
    for (const ContentModel& other : content.others) collect_request(other, operation);
  }
  for (const auto& [status, response] : operation.responses) {
    has_problems_ = has_problems_ || response.is_problem;
    for (const ContentModel& content : response.contents) {
      if (content.schema != nullptr) components_.add(*content.schema, false);
      for (const ContentModel& other : content.others) {
        if (other.schema != nullptr) components_.add(*other.schema, false);
      }
    }
  }
}

void DocumentModel::collect(const ParameterModel& parameter) {
  if (parameter.schema != nullptr) components_.add(*parameter.schema, true);
}

void DocumentModel::collect_request(const ContentModel& content, const OperationModel& operation) {
  if (content.schema == nullptr) return;
  if (content.kind == ContentModel::Kind::Schema) {
    components_.add(*content.schema, true, operation.entry->deny_unknown);
  } else {  // the form itself is no component
    for (const json::SchemaMember& member : content.schema->members) components_.add(*member.schema, true);
  }
}

}  // namespace tern::openapi
