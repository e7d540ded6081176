#include "openapi/document.hpp"

#include "openapi/document_model.hpp"
#include "openapi/schema_writer.hpp"

#include <tern/http/response.hpp>

#include <algorithm>
#include <utility>

namespace tern::openapi {
namespace {

using json::Writer;

constexpr std::string_view problem_schema =
    R"json({"type":"object","description":"An error response (RFC 9457)","properties":{"type":{"type":"string",)json"
    R"json("format":"uri-reference"},"title":{"type":"string"},"status":{"type":"integer","minimum":100,)json"
    R"json("maximum":599},"detail":{"type":"string"},"instance":{"type":"string","format":"uri-reference"},)json"
    R"json("errors":{"type":"array","items":{"type":"object","properties":{"pointer":{"type":"string"},)json"
    R"json("detail":{"type":"string"}},"required":["detail"]}}},"required":["type","title","status"]})json";

// What patterns or representations differ in.
template <class Model, class Write>
void any_of(Writer& out, const Model& model, Write write) {
  if (model.others.empty()) return write(model);
  out.begin_object();
  out.key("anyOf");
  out.begin_array();
  write(model);
  for (const Model& other : model.others) write(other);
  out.end_array();
  out.end_object();
}

class DocumentWriter {
public:
  explicit DocumentWriter(const DocumentModel& model)
      : options_(model.options()), paths_(model.paths()), components_(model.components()), model_(model) {}
  std::string write();

private:
  void info(Writer& out) const;
  void servers(Writer& out) const;
  void tags(Writer& out) const;
  void operation(Writer& out, const OperationModel& operation);
  static void security(Writer& out, const OperationModel& operation);
  void parameter(Writer& out, const ParameterModel& parameter);
  void parameter_schema(Writer& out, const ParameterModel& parameter);
  static bool has_schema(const ContentModel& content);
  void content_schema(Writer& out, const ContentModel& content);
  void request(Writer& out, const OperationModel& operation);
  void content(Writer& out, const ContentModel& content, const OperationModel& operation);
  void response(Writer& out, const ResponseModel& response, const OperationModel& operation);
  void components(Writer& out);
  static void text(Writer& out, std::string_view key, std::string_view value);

  const OpenApiOptions& options_;
  const std::deque<PathModel>& paths_;
  const Components& components_;
  const DocumentModel& model_;
};

void DocumentWriter::text(Writer& out, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  out.key(key);
  out.text(value);
}

void DocumentWriter::info(Writer& out) const {
  out.key("info");
  out.begin_object();
  out.key("title");
  out.text(options_.title);
  text(out, "summary", options_.summary);
  text(out, "description", options_.description);
  text(out, "termsOfService", options_.terms);
  if (!options_.contact_name.empty() || !options_.contact_url.empty() || !options_.contact_email.empty()) {
    out.key("contact");
    out.begin_object();
    text(out, "name", options_.contact_name);
    text(out, "url", options_.contact_url);
    text(out, "email", options_.contact_email);
    out.end_object();
  }
  if (!options_.license.empty()) {
    out.key("license");
    out.begin_object();
    text(out, "name", options_.license);
    text(out, "url", options_.license_url);
    out.end_object();
  }
  out.key("version");
  out.text(options_.version);
  out.end_object();
}

void DocumentWriter::servers(Writer& out) const {
  if (options_.servers.empty()) return;
  out.key("servers");
  out.begin_array();
  for (const OpenApiServer& server : options_.servers) {
    out.begin_object();
    text(out, "url", server.url);
    text(out, "description", server.description);
    out.end_object();
  }
  out.end_array();
}

// Those of the options, then others in the order of their first use.
void DocumentWriter::tags(Writer& out) const {
  std::vector<OpenApiTag> all = options_.tags;
  each_operation(paths_, [&all](const OperationModel& operation) {
    for (const std::string& name : operation.tags) {
      if (std::ranges::find(all, name, &OpenApiTag::name) == all.end()) all.push_back({name, {}});
    }
  });
  if (all.empty()) return;
  out.key("tags");
  out.begin_array();
  for (const OpenApiTag& tag : all) {
    out.begin_object();
    out.key("name");
    out.text(tag.name);
    text(out, "description", tag.description);
    out.end_object();
  }
  out.end_array();
}

void DocumentWriter::parameter(Writer& out, const ParameterModel& parameter) {
  constexpr std::string_view places[] = {"path", "query", "header", "cookie"};
  out.begin_object();
  out.key("name");
  out.text(parameter.name);
  out.key("in");
  out.text(places[static_cast<std::size_t>(parameter.in)]);
  const RulesAt rules{parameter.rules, 0, true};
  std::string_view description = parameter.description;
  for (const json::Rule& rule : parameter.rules) {
    if (rule.depth == 0 && rule.kind == json::RuleKind::Description && description.empty()) description = rule.text;
  }
  text(out, "description", description);
  if (rules.has({json::RuleKind::Deprecated})) {
    out.key("deprecated");
    out.boolean(true);
  }
  if (parameter.required) {
    out.key("required");
    out.boolean(true);
  }
  out.key("schema");
  any_of(out, parameter, [this, &out](const ParameterModel& each) { parameter_schema(out, each); });
  out.end_object();
}

void DocumentWriter::parameter_schema(Writer& out, const ParameterModel& parameter) {
  SchemaWriter schemas(out, components_);
  const json::Schema& schema = parameter.schema != nullptr ? *parameter.schema : json::SchemaOf<std::string>::value;
  schemas.value(schema, parameter.default_json, parameter.pattern, {parameter.rules, 0, true});
}

bool DocumentWriter::has_schema(const ContentModel& content) {
  switch (content.kind) {
    case ContentModel::Kind::Text: return content.media_type != "text/event-stream";  // a sequence of events
    case ContentModel::Kind::Schema: return content.schema != nullptr;
    default: return true;
  }
}

void DocumentWriter::content_schema(Writer& out, const ContentModel& content) {
  SchemaWriter schemas(out, components_);
  if (content.kind == ContentModel::Kind::Text) {
    out.raw(R"({"type":"string"})");
  } else if (content.kind == ContentModel::Kind::Form) {
    content.schema != nullptr ? schemas.form(*content.schema) : out.raw(R"({"type":"object"})");
  } else if (content.schema != nullptr) {
    schemas.value(*content.schema);
  } else {
    out.raw(R"({"type":"string","format":"binary"})");
  }
}

void DocumentWriter::content(Writer& out, const ContentModel& content, const OperationModel& operation) {
  out.key(content.media_type);
  out.begin_object();
  if (has_schema(content)) {
    out.key("schema");
    any_of(out, content, [this, &out](const ContentModel& each) { content_schema(out, each); });
  }
  for (const app::RouteNotes* notes : (content.entry != nullptr ? content.entry : operation.entry)->notes) {
    const auto example = std::ranges::find_if(notes->examples, [&content](const app::RouteNotes::Example& each) {
      return content.schema != nullptr && each.schema == &target_of(*content.schema);
    });
    if (example == notes->examples.end()) continue;
    out.key("example");
    out.raw(example->json);
    break;
  }
  out.end_object();
}

void DocumentWriter::request(Writer& out, const OperationModel& operation) {
  if (operation.contents.empty()) return;
  out.key("requestBody");
  out.begin_object();
  if (operation.content_required) {
    out.key("required");
    out.boolean(true);
  }
  out.key("content");
  out.begin_object();
  for (const ContentModel& each : operation.contents) content(out, each, operation);
  out.end_object();
  out.end_object();
}

void DocumentWriter::response(Writer& out, const ResponseModel& response, const OperationModel& operation) {
  out.begin_object();
  out.key("description");
  out.text(response.description);
  if (response.has_location) {
    out.key("headers");
    out.raw(R"({"Location":{"schema":{"type":"string","format":"uri-reference"}}})");
  }
  const bool describes_problem = response.is_problem && !operation.entry->renders_problems;
  if (!response.contents.empty() || describes_problem) {
    out.key("content");
    out.begin_object();
    for (const ContentModel& each : response.contents) content(out, each, operation);
    if (describes_problem) {
      out.key(media::problem);
      out.raw(R"({"schema":{"$ref":"#/components/schemas/Problem"}})");
    }
    out.end_object();
  }
  out.end_object();
}

// An object for each way to be served: all schemes in it are needed.
void DocumentWriter::security(Writer& out, const OperationModel& operation) {
  if (operation.security.empty() && operation.authentication.empty()) return;
  const auto write_requirement = [&](const OpenApiSecurity* alternative) {
    out.begin_object();
    for (const std::string& scheme : operation.security) {
      out.key(scheme);
      out.raw("[]");
    }
    if (alternative != nullptr) {
      out.key(alternative->name);
      out.begin_array();
      for (const std::string& grant : operation.grants) out.text(grant);
      out.end_array();
    }
    out.end_object();
  };
  out.key("security");
  out.begin_array();
  for (const OpenApiSecurity& each : operation.authentication) write_requirement(&each);
  if (operation.authentication.empty() || (operation.allows_anonymous && !operation.needs_identity)) {
    write_requirement(nullptr);
  }
  out.end_array();
}

void DocumentWriter::operation(Writer& out, const OperationModel& operation) {
  // The route's own, or that of the group around it that has one.
  const auto stated = [&operation](std::string app::RouteNotes::* text) {
    const auto found = std::ranges::find_if(operation.entry->notes,
                                            [text](const app::RouteNotes* notes) { return !(notes->*text).empty(); });
    return found == operation.entry->notes.end() ? std::string() : (*found)->*text;
  };
  const auto any = [&operation](bool app::RouteNotes::* flag) {
    return std::ranges::any_of(operation.entry->notes, flag);
  };
  out.key(method_key(*operation.entry));
  out.begin_object();
  if (!operation.tags.empty()) {
    out.key("tags");
    out.begin_array();
    for (const std::string& tag : operation.tags) out.text(tag);
    out.end_array();
  }
  std::string description = stated(&app::RouteNotes::description);
  for (const std::string& pattern : operation.also) {
    description.append(description.empty() ? "" : "\n\n").append("Other paths of this form are `" + pattern + "`.");
  }
  text(out, "summary", stated(&app::RouteNotes::summary));
  text(out, "description", description);
  out.key("operationId");
  out.text(operation.id);
  if (any(&app::RouteNotes::deprecated)) {
    out.key("deprecated");
    out.boolean(true);
  }
  security(out, operation);
  if (!operation.parameters.empty()) {
    out.key("parameters");
    out.begin_array();
    for (const ParameterModel& each : operation.parameters) parameter(out, each);
    out.end_array();
  }
  request(out, operation);
  out.key("responses");
  out.begin_object();
  for (const auto& [status, each] : operation.responses) {
    out.key(status);
    response(out, each, operation);
  }
  out.end_object();
  out.end_object();
}

void DocumentWriter::components(Writer& out) {
  if (components_.named().empty() && !model_.has_problems() && model_.security().empty()) return;
  out.key("components");
  out.begin_object();
  if (!components_.named().empty() || model_.has_problems()) {
    out.key("schemas");
    out.begin_object();
    SchemaWriter schemas(out, components_);
    bool problem_is_written = !model_.has_problems();
    for (const auto& [name, entry] : components_.named()) {
      if (!problem_is_written && name > "Problem") {
        out.key("Problem");
        out.raw(problem_schema);
        problem_is_written = true;
      }
      out.key(name);
      schemas.component(entry);
    }
    if (!problem_is_written) {
      out.key("Problem");
      out.raw(problem_schema);
    }
    out.end_object();
  }
  if (!model_.security().empty()) {
    out.key("securitySchemes");
    out.begin_object();
    for (const OpenApiSecurity& scheme : model_.security()) {
      out.key(scheme.name);
      out.raw(scheme.json);
    }
    out.end_object();
  }
  out.end_object();
}

std::string DocumentWriter::write() {
  std::string document;
  Writer out(document);
  out.begin_object();
  out.key("openapi");
  out.text("3.1.0");
  info(out);
  servers(out);
  tags(out);
  out.key("paths");
  out.begin_object();
  for (const PathModel& path : paths_) {
    out.key(path.path);
    out.begin_object();
    for (const OperationModel& each : path.operations) operation(out, each);
    out.end_object();
  }
  out.end_object();
  components(out);
  out.end_object();
  return document;
}

}  // namespace

std::string make_document(const OpenApiOptions& options, const app::Core& outermost, const app::Core& within) {
  const DocumentModel model(options, outermost, within);
  return DocumentWriter(model).write();
}

}  // namespace tern::openapi
