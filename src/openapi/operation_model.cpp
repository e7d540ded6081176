#include "openapi/operation_model.hpp"

#include "app/core.hpp"
#include "openapi/components.hpp"
#include "openapi/schema_writer.hpp"

#include <tern/app/pattern.hpp>
#include <tern/http/response.hpp>

#include <algorithm>

namespace tern::openapi {
namespace {

using app::ParameterContract;
using app::Reads;
using app::Responds;
using app::ResultContract;
using json::Schema;
using json::detail::Shape;

std::string status_key(Status status) {
  return std::to_string(code(status));
}

class Builder final : public Operation {
public:
  Builder(OperationModel& model, const app::Core& core) : model_(model), core_(core) {}

  void read_pattern();
  void read_contract();
  void read_notes();

private:
  void add_parameter(In in, std::string_view name, const Schema& schema, std::string_view description,
                     bool required) override {
    add({in, std::string(name), &target_of(schema), std::string(description), {}, {}, required || in == In::Path, {}});
    if (in == In::Query) may_be_malformed_query();
  }
  void add_query(const Schema& schema) override { query(schema, false); }
  void add_content(std::string_view media_type, const Schema* schema, bool required) override {
    const auto kind = schema != nullptr ? ContentModel::Kind::Schema : ContentModel::Kind::Bytes;
    model_.contents.push_back({kind, std::string(media_type), schema});
    model_.content_required = required;
  }
  void add_response(Status status, std::string_view description, std::string_view media_type,
                    const Schema* schema) override {
    state_response(status, description, media_type, schema);
  }
  void add_problem(Status status, std::string_view description) override { problem(status, description); }
  bool has_safe_method() const override {
    const Method method = model_.entry->method;
    return method == Method::Get || method == Method::Head || method == Method::Options || method == Method::Query;
  }
  void add_security(std::string_view scheme) override { model_.security.emplace_back(scheme); }
  void add_authentication(std::string_view scheme, std::string_view json) override {
    const auto same = [scheme](const OpenApiSecurity& each) { return each.name == scheme; };
    if (std::ranges::any_of(model_.authentication, same)) return;
    model_.authentication.push_back({std::string(scheme), std::string(json)});
  }
  void allow_anonymous() override { model_.allows_anonymous = true; }
  void add_grants(std::span<const std::string> grants) override {
    model_.needs_identity = true;
    model_.grants.insert(model_.grants.end(), grants.begin(), grants.end());
  }

  void add(ParameterModel parameter);
  void parameter(const ParameterContract& contract, std::size_t& position);
  void placeholder(std::string_view name, const ParameterContract& contract);
  void query(const Schema& schema, bool optional);
  void query_parameter(const ParameterContract& contract);
  void field(const ParameterContract& contract, In in);
  void content(const ParameterContract& contract);
  void may_be_malformed_query();
  void problem(Status status, std::string_view description);
  void result(const ResultContract& contract);
  void respond(const std::string& key, std::string_view description, ContentModel content, bool has_location = false);
  void respond_empty(const std::string& key, std::string_view description, bool has_location = false);
  void any_problem(std::string_view description);
  std::string type_or(std::string_view media_type) const;
  void state_response(Status status, std::string_view description, std::string_view media_type, const Schema* schema);
  bool states(bool errors) const;

  OperationModel& model_;
  const app::Core& core_;
  std::string success_ = "200";
  bool created_ = false;
};

// The path without the expressions, and a parameter for each placeholder.
void Builder::read_pattern() {
  app::PatternReader reader(model_.entry->pattern);
  for (app::Segment segment; reader.next(segment);) {
    model_.path += '/';
    if (segment.kind == app::SegmentKind::Literal) {
      model_.path += segment.text;
      continue;
    }
    model_.path.append("{").append(segment.name).append("}");
    ParameterModel parameter{.in = In::Path, .name = std::string(segment.name), .required = true};
    if (segment.kind == app::SegmentKind::Regex) {
      parameter.pattern = "^(?:" + std::string(segment.regex) + ")$";
      problem(Status::NotFound, "There is nothing at this path");
    }
    if (segment.kind == app::SegmentKind::Rest) parameter.description = "The rest of the path, with slashes";
    model_.parameters.push_back(std::move(parameter));
  }
  if (!model_.parameters.empty()) problem(Status::BadRequest, "The path is malformed");
}

void Builder::add(ParameterModel parameter) {
  const auto same = [&parameter](const ParameterModel& other) {
    return other.in == parameter.in && other.name == parameter.name;
  };
  const auto known = std::ranges::find_if(model_.parameters, same);
  if (known == model_.parameters.end()) {
    model_.parameters.push_back(std::move(parameter));
  } else {  // read by two extractors
    known->required = known->required || parameter.required;
  }
}

void Builder::placeholder(std::string_view name, const ParameterContract& contract) {
  const auto found = std::ranges::find_if(
      model_.parameters, [name](const ParameterModel& each) { return each.in == In::Path && each.name == name; });
  if (found == model_.parameters.end()) return;
  if (contract.rules != nullptr) {
    found->rules = contract.rules->of_value();
    problem(Status::UnprocessableContent, "Some parameters are invalid");
  }
  if (contract.schema->shape == Shape::Text) return;
  found->schema = contract.schema;
  problem(Status::NotFound, "There is nothing at this path");
}

void Builder::may_be_malformed_query() {
  problem(Status::BadRequest, "The query is malformed");
  problem(Status::UnprocessableContent, "Some parameters are invalid");
}

void Builder::query(const Schema& schema, bool optional) {
  const std::vector<std::string> defaults = defaults_of(schema);
  for (std::size_t i = 0; i < schema.members.size(); ++i) {
    const Schema& member = *schema.members[i].schema;
    const bool may_be_missing = member.shape == Shape::Sequence || member.shape == Shape::Optional;
    add({.in = In::Query,
         .name = std::string(schema.members[i].name),
         .schema = &target_of(member),
         .default_json = defaults[i],
         .required = !optional && !may_be_missing && is_required(schema, i),
         .rules = rules_of_member(schema, i).rules});
  }
  may_be_malformed_query();
}

void Builder::query_parameter(const ParameterContract& contract) {
  ParameterModel parameter{.in = In::Query, .name = std::string(contract.name), .schema = &target_of(*contract.schema)};
  if (contract.append_default != nullptr) contract.append_default(parameter.default_json);
  const Shape shape = contract.schema->shape;
  parameter.required =
      !contract.optional && contract.append_default == nullptr && shape != Shape::Optional && shape != Shape::Sequence;
  if (contract.rules != nullptr) parameter.rules = contract.rules->of_value();
  add(std::move(parameter));
  may_be_malformed_query();
}

void Builder::field(const ParameterContract& contract, In in) {
  ParameterModel parameter{
      .in = in, .name = std::string(contract.name), .schema = contract.schema, .required = !contract.optional};
  if (contract.rules != nullptr) {
    parameter.rules = contract.rules->of_value();
    problem(Status::UnprocessableContent, "Some parameters are invalid");
  }
  add(std::move(parameter));
  if (!contract.optional || contract.schema->shape != Shape::Text) {
    problem(Status::BadRequest, "A field or cookie is missing or invalid");
  }
}

void Builder::content(const ParameterContract& contract) {
  using Kind = ContentModel::Kind;
  model_.content_required = !contract.optional;
  problem(Status::ContentTooLarge, "The content is too large");
  if (contract.reads == Reads::Bytes) {
    model_.content_required = false;
    model_.contents.push_back({Kind::Bytes, std::string(media::bytes), nullptr});
    return;
  }
  problem(Status::BadRequest, "The content is malformed");
  problem(Status::UnsupportedMediaType, "The content is of another type");
  if (contract.schema != nullptr) problem(Status::UnprocessableContent, "Some members of the content are invalid");
  if (contract.reads == Reads::Json) {
    model_.contents.push_back({Kind::Schema, "application/json", contract.schema});
  } else if (contract.reads == Reads::Form) {
    model_.contents.push_back({Kind::Form, "application/x-www-form-urlencoded", contract.schema});
  } else {
    model_.contents.push_back({Kind::Form, "multipart/form-data", contract.schema});
  }
}

void Builder::parameter(const ParameterContract& contract, std::size_t& position) {
  switch (contract.reads) {
    case Reads::Nothing: return;
    case Reads::Placeholder: {
      std::size_t left = position++;
      for (const ParameterModel& each : model_.parameters) {
        if (each.in == In::Path && left-- == 0) return placeholder(std::string(each.name), contract);
      }
      return;
    }
    case Reads::Path: return placeholder(contract.name, contract);
    case Reads::Query: return query(*contract.schema, contract.optional);
    case Reads::QueryParam: return query_parameter(contract);
    case Reads::Header: return field(contract, In::Header);
    case Reads::Cookie: return field(contract, In::Cookie);
    case Reads::Json:
    case Reads::Form:
    case Reads::Multipart:
    case Reads::Bytes: return content(contract);
    case Reads::Described: return contract.describe(*this);
  }
}

void Builder::problem(Status status, std::string_view description) {
  ResponseModel& response = model_.responses[status_key(status)];
  if (description.empty()) description = reason(status);
  if (response.description.empty()) {
    response.description = description;
  } else if (response.description.find(description) == std::string::npos) {
    response.description.append("; ").append(description);
  }
  response.is_problem = true;
}

void Builder::any_problem(std::string_view description) {
  if (states(true)) return;  // those that can happen
  ResponseModel& response = model_.responses["default"];
  response.description = description;
  response.is_problem = true;
}

// Whether the route states responses of its own: errors, or others.
bool Builder::states(bool errors) const {
  return std::ranges::any_of(model_.entry->notes, [errors](const app::RouteNotes* notes) {
    return std::ranges::any_of(notes->responses, [errors](const app::RouteNotes::Response& response) {
      return (code(response.status) >= 400) == errors;
    });
  });
}

void Builder::respond(const std::string& key, std::string_view description, ContentModel content, bool has_location) {
  respond_empty(key, description, has_location);
  model_.responses[key].contents.push_back(std::move(content));
}

void Builder::respond_empty(const std::string& key, std::string_view description, bool has_location) {
  ResponseModel& response = model_.responses[key];
  if (response.description.empty()) response.description = description;
  response.has_location = response.has_location || has_location;
}

// The media type of a result: that of produces(), if there is one.
std::string Builder::type_or(std::string_view media_type) const {
  return std::string(model_.entry->media_type.empty() ? media_type : model_.entry->media_type);
}

void Builder::result(const ResultContract& contract) {
  using Kind = ContentModel::Kind;
  const std::string_view done = created_ ? "Created" : "OK";
  switch (contract.responds) {
    case Responds::Unknown:
      if (states(false)) return;
      if (model_.entry->media_type.empty()) return respond_empty("default", "Any response");
      return respond(success_, done, {Kind::Bytes, type_or({}), nullptr}, created_);
    case Responds::Empty: return respond_empty(success_ == "200" ? "204" : success_, "No content", created_);
    case Responds::Text: return respond(success_, done, {Kind::Text, type_or("text/plain"), nullptr}, created_);
    case Responds::Bytes: return respond(success_, done, {Kind::Bytes, type_or(media::bytes), nullptr}, created_);
    case Responds::Json:
      return respond(success_, done, {Kind::Schema, type_or(media::json), contract.schema}, created_);
    case Responds::Status:
      if (!states(false)) respond_empty("default", "The status is the result");
      if (!states(false)) model_.responses["default"].is_problem = true;
      return;
    case Responds::Problem: return any_problem("An error");
    case Responds::Redirect: return respond_empty("3XX", "A redirect", true);
    case Responds::Optional: problem(Status::NotFound, "There is nothing at this path"); return result(*contract.of);
    case Responds::Expected: result(*contract.error); return result(*contract.of);
    case Responds::Created:
      created_ = true;
      success_ = "201";
      return result(*contract.of);
    case Responds::AnyStatus:
      if (states(false)) return;
      success_ = "default";
      return result(*contract.of);
    case Responds::Described: return contract.describe(*this);
    case Responds::Mapped:
      if (const ResultContract* mapped = core_.mapped_result(contract.key)) {
        mapped->responds == Responds::Unknown ? any_problem("An error") : result(*mapped);
      } else {
        any_problem("An error");
      }
      return;
  }
}

void Builder::read_contract() {
  const app::Contract& contract = *model_.entry->contract;
  std::size_t position = 0;
  for (std::size_t i = 0; i < contract.parameter_count; ++i) parameter(*contract.parameters[i], position);
  if (model_.entry->is_negotiated) problem(Status::NotAcceptable, "The client accepts none of the types");
  if (model_.entry->method == Method::Query) problem(Status::BadRequest, "QUERY has a Content-Type");
  if (model_.entry->is_socket) {
    respond_empty("101", "The connection becomes a WebSocket");
    problem(Status::BadRequest, "The request is no handshake of a WebSocket");
    problem(Status::UpgradeRequired, "A WebSocket is opened here");
  } else {
    result(*contract.result);
  }
  for (const app::OperationEntry::Middleware& each : model_.entry->middleware) each.describe(each.object, *this);
}

void Builder::state_response(Status status, std::string_view description, std::string_view media_type,
                             const Schema* schema) {
  ResponseModel& response = model_.responses[status_key(status)];
  response.description = description.empty() ? reason(status) : description;
  response.is_problem = false;
  response.contents.clear();
  if (media_type.empty()) return;
  const auto kind = schema != nullptr                 ? ContentModel::Kind::Schema
                    : media_type.starts_with("text/") ? ContentModel::Kind::Text
                                                      : ContentModel::Kind::Bytes;
  response.contents.push_back({kind, std::string(media_type), schema});
}

// The outermost group first, so that the route's own take precedence.
void Builder::read_notes() {
  const std::vector<const app::RouteNotes*>& all = model_.entry->notes;
  for (auto notes = all.rbegin(); notes != all.rend(); ++notes) {
    for (const app::RouteNotes::Response& response : (*notes)->responses) {
      if (!response.is_problem) {
        state_response(response.status, response.description, response.media_type, response.schema);
      } else {
        ResponseModel& model = model_.responses[status_key(response.status)];
        if (!response.description.empty()) model.description.clear();
        problem(response.status, response.description);
      }
    }
    for (const std::string& scheme : (*notes)->security) model_.security.push_back(scheme);
  }
  for (const app::RouteNotes* notes : all) {
    if (model_.tags.empty()) model_.tags = notes->tags;
  }
  if (model_.tags.empty() && !model_.entry->group.empty()) model_.tags.push_back(model_.entry->group);
}

}  // namespace

OperationModel make_operation(const app::OperationEntry& entry) {
  OperationModel model;
  model.entry = &entry;
  Builder builder(model, *entry.owner);
  builder.read_pattern();
  builder.read_contract();
  builder.read_notes();
  return model;
}

}  // namespace tern::openapi
