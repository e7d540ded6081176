// What is said about routes for the OpenAPI document, besides their types.
#pragma once

#include <tern/app/contract.hpp>
#include <tern/json/write.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::app {

struct RouteNotes {
  struct Example {
    const json::Schema* schema;
    std::string json;
  };
  struct Response {
    Status status;
    std::string description;
    std::string media_type;  // empty: without content
    const json::Schema* schema;
    bool is_problem;
  };
  std::string summary = {};
  std::string description = {};
  std::string operation_id = {};
  std::vector<std::string> tags = {};
  std::vector<std::string> security = {};
  std::vector<Example> examples = {};
  std::vector<Response> responses = {};
  bool deprecated = false;
  bool hidden = false;
};

// The settings of a route, a chain or a group for the document. Those of a group apply to all its routes; a route's own
// summary, description and tags take precedence. They have no effect without App::openapi().
template <class Self>
class Documented {
public:
  // One line.
  Self& summary(std::string text) {
    notes().summary = std::move(text);
    return self();
  }
  // CommonMark.
  Self& description(std::string text) {
    notes().description = std::move(text);
    return self();
  }
  // In place of the route's name; unique in the document.
  Self& operation_id(std::string id) {
    notes().operation_id = std::move(id);
    return self();
  }
  // In place of the name of the group.
  Self& tags(std::vector<std::string> names) {
    notes().tags = std::move(names);
    return self();
  }
  Self& deprecated(bool is = true) {
    notes().deprecated = is;
    return self();
  }
  // Not in the document.
  Self& hide(bool is = true) {
    notes().hidden = is;
    return self();
  }
  // An example of the content that is a T: of the request if the handler takes a Json<T>, of the response if it returns
  // a T.
  template <class T>
  Self& example(const T& value) {
    notes().examples.push_back({&json::SchemaOf<T>::value, json::to_string(value)});
    return self();
  }
  // A response that the result type does not show: that of a handler that returns tern::Response, or of a middleware.
  // T is its content as JSON; void: none.
  template <class T>
  Self& response(Status status, std::string description = {}) {
    if constexpr (std::is_void_v<T>) {
      notes().responses.push_back({status, std::move(description), {}, nullptr, false});
    } else {
      notes().responses.push_back(
          {status, std::move(description), "application/json", &json::SchemaOf<T>::value, false});
    }
    return self();
  }
  // The same with content of another type.
  Self& response(Status status, std::string description, std::string media_type) {
    notes().responses.push_back({status, std::move(description), std::move(media_type), nullptr, false});
    return self();
  }
  // An error response of the library, such as that of an HttpError which is thrown.
  Self& problem(Status status, std::string description = {}) {
    notes().responses.push_back({status, std::move(description), {}, nullptr, true});
    return self();
  }
  // A name of OpenApiOptions::security that requests need.
  Self& security(std::string scheme) {
    notes().security.push_back(std::move(scheme));
    return self();
  }

private:
  Self& self() { return static_cast<Self&>(*this); }
  RouteNotes& notes() { return self().route_notes(); }
};

}  // namespace tern::app
