// One operation of the document: what a route's contract, notes and middleware say, collected.
#pragma once

#include "app/operations.hpp"

#include <tern/app/contract.hpp>
#include <tern/app/openapi.hpp>
#include <tern/json/schema.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tern::openapi {

struct ParameterModel {
  In in = In::Query;
  std::string name = {};
  const json::Schema* schema = nullptr;  // null: text
  std::string description = {};
  std::string default_json = {};
  std::string pattern = {};
  bool required = false;
  std::span<const json::Rule> rules = {};
  std::vector<ParameterModel> others = {};  // what other patterns or representations read under this name
};

struct ContentModel {
  enum class Kind : std::uint8_t { Schema, Form, Bytes, Text };
  Kind kind = Kind::Bytes;
  std::string media_type = {};
  const json::Schema* schema = nullptr;
  std::vector<ContentModel> others = {};       // other types that it may have
  const app::OperationEntry* entry = nullptr;  // the route of it, where it is not the operation's
};

struct ResponseModel {
  std::string description = {};
  std::vector<ContentModel> contents = {};
  bool is_problem = false;
  bool has_location = false;
};

struct OperationModel {
  const app::OperationEntry* entry = nullptr;
  std::string path = {};  // with plain placeholders
  std::string id = {};
  std::vector<std::string> tags = {};
  std::vector<std::string> security = {};            // all are needed
  std::vector<OpenApiSecurity> authentication = {};  // one of them is needed, if there are any
  std::vector<std::string> grants = {};              // roles and scopes that it needs
  bool allows_anonymous = false;
  bool needs_identity = false;  // in spite of allows_anonymous
  std::vector<ParameterModel> parameters = {};
  std::vector<ContentModel> contents = {};  // of requests, by media type
  bool content_required = true;
  std::map<std::string, ResponseModel> responses = {};  // by status, "3XX" or "default"
  std::vector<std::string> also = {};                   // patterns that the document cannot tell from this one
};

OperationModel make_operation(const app::OperationEntry& entry);

}  // namespace tern::openapi
