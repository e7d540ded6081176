// The contract of a handler as constant data: what its parameters read from a request, and which responses its result
// type allows. The room openapi makes the document of it.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/http/status.hpp>
#include <tern/json/schema.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace tern {

// The place of a parameter.
enum class In : std::uint8_t { Path, Query, Header, Cookie };

// An operation of the OpenAPI document, as extractors, responders and middleware of a program describe their part of
// it: `static void describe(tern::Operation& operation)` in a specialisation of Extract or Respond. Called at the
// start, once for each operation; texts are copied.
class Operation {
public:
  // A parameter of type T, which is a type of a Query<T>'s member.
  template <class T = std::string>
  void parameter(In in, std::string_view name, std::string_view description = {}, bool required = false) {
    add_parameter(in, name, json::SchemaOf<T>::value, description, required);
  }
  // One parameter of the query string for each member of T.
  template <class T>
  void query() {
    add_query(json::SchemaOf<T>::value);
  }
  // Content as JSON.
  template <class T>
  void json_content(bool required = true) {
    add_content("application/json", &json::SchemaOf<T>::value, required);
  }
  // Content of another type.
  void content(std::string_view media_type, bool required = true) { add_content(media_type, nullptr, required); }

  // A response with JSON; with T = void, a response without content.
  template <class T>
  void response(Status status, std::string_view description = {}) {
    if constexpr (std::is_void_v<T>) {
      add_response(status, description, {}, nullptr);
    } else {
      add_response(status, description, "application/json", &json::SchemaOf<T>::value);
    }
  }
  // A response with other content.
  void response(Status status, std::string_view description, std::string_view media_type) {
    add_response(status, description, media_type, nullptr);
  }
  // An error response of the library (RFC 9457).
  void problem(Status status, std::string_view description = {}) { add_problem(status, description); }
  // Whether its method is safe (RFC 9110, section 9.2.1).
  bool is_safe() const { return has_safe_method(); }
  // A name of OpenApiOptions::security, and the scopes that it needs.
  void security(std::string_view scheme) { add_security(scheme); }
  // A scheme by which a middleware authenticates, with its Security Scheme Object as JSON text, unless
  // OpenApiOptions::security has one of that name. Several are alternatives.
  void authentication(std::string_view scheme, std::string_view json) { add_authentication(scheme, json); }
  // Those schemes are optional: requests without credentials are served, too.
  void authentication_is_optional() { allow_anonymous(); }
  // They are not optional here, and users need these roles or scopes.
  void needs_identity(std::span<const std::string> grants) { add_grants(grants); }

protected:
  ~Operation() = default;

private:
  virtual void add_parameter(In in, std::string_view name, const json::Schema& schema, std::string_view description,
                             bool required) = 0;
  virtual void add_query(const json::Schema& schema) = 0;
  virtual void add_content(std::string_view media_type, const json::Schema* schema, bool required) = 0;
  virtual void add_response(Status status, std::string_view description, std::string_view media_type,
                            const json::Schema* schema) = 0;
  virtual void add_problem(Status status, std::string_view description) = 0;
  virtual bool has_safe_method() const = 0;
  virtual void add_security(std::string_view scheme) = 0;
  virtual void add_authentication(std::string_view scheme, std::string_view json) = 0;
  virtual void allow_anonymous() = 0;
  virtual void add_grants(std::span<const std::string> grants) = 0;
};

namespace app {

enum class Reads : std::uint8_t {
  Nothing,      // of the contract: a state, say
  Placeholder,  // by position
  Path,         // by name
  Query,        // a struct
  QueryParam,
  Header,
  Cookie,
  Json,
  Form,
  Multipart,
  Bytes,      // content of any type
  Described,  // by describe()
};

struct ParameterContract {
  Reads reads = Reads::Nothing;
  bool optional = false;
  std::string_view name = {};
  const json::Schema* schema = nullptr;
  void (*append_default)(std::string& json) = nullptr;  // null: it has none
  void (*describe)(Operation& operation) = nullptr;
  const json::RuleTable* rules = nullptr;  // of the parameter itself
};

enum class Responds : std::uint8_t {
  Unknown,  // a Response or Reply: any status, any content
  Empty,    // 204
  Text,
  Bytes,
  Json,
  Status,     // any, without content or with a problem
  Problem,    // any error
  Redirect,   // any 3xx
  Optional,   // `of`, or a 404
  Expected,   // `of`, or `error`
  Created,    // `of` as a 201 with Location
  AnyStatus,  // `of` with any status
  Described,  // by describe()
  Mapped,     // by App::on_error(), for `key`
};

struct ResultContract {
  Responds responds = Responds::Unknown;
  const json::Schema* schema = nullptr;
  const ResultContract* of = nullptr;
  const ResultContract* error = nullptr;
  const void* key = nullptr;
  void (*describe)(Operation& operation) = nullptr;
};

struct Contract {
  const ResultContract* result = nullptr;
  const ParameterContract* const* parameters = nullptr;
  std::size_t parameter_count = 0;
};

// What a value of a placeholder, field or query parameter looks like. A std::optional is what it holds.
template <class T>
inline constexpr const json::Schema* schema_of = &json::SchemaOf<T>::value;

inline constexpr ParameterContract reads_nothing{};

// The rules of a parameter with a type of its own; null without.
template <class A>
consteval const json::RuleTable* parameter_rules() {
  if constexpr (json::detail::HasRules<A>) {
    return &json::rules_of<A>();
  } else {
    return nullptr;
  }
}

template <class T>
inline constexpr ParameterContract placeholder_contract{Reads::Placeholder, false, {}, schema_of<T>, nullptr, nullptr};

template <class A>
inline constexpr ParameterContract described_parameter{Reads::Described, false,   {},
                                                       nullptr,          nullptr, &Extract<A>::describe};

// That of a parameter with a type of its own.
constexpr ParameterContract with_rules(ParameterContract contract, const json::RuleTable* rules) {
  contract.rules = rules;
  return contract;
}

// An optional extractor's.
constexpr ParameterContract made_optional(ParameterContract contract) {
  contract.optional = true;
  return contract;
}

template <class A>
consteval const ParameterContract* parameter_contract() {
  if constexpr (TextValue<A>) {
    return &placeholder_contract<A>;
  } else if constexpr (requires { Extract<A>::contract; }) {
    return &Extract<A>::contract;
  } else if constexpr (requires(Operation& operation) { Extract<A>::describe(operation); }) {
    return &described_parameter<A>;
  } else {
    return &reads_nothing;
  }
}

}  // namespace app
}  // namespace tern
