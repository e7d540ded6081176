// Compares responses with a document.
#pragma once

#include "openapi/json_value.hpp"
#include "openapi/validator.hpp"

#include <string>
#include <string_view>

namespace tern::openapi {

class Checker {
public:
  struct Answer {
    std::string_view method;   // of the request: "GET"
    std::string_view pattern;  // of the route; empty: none
    int status = 0;
    std::string_view content_type;
    std::string_view content;
  };

  // `document` is an OpenAPI document as JSON.
  explicit Checker(std::string_view document);

  // Why the response is none that the document has for its operation; empty if it is one, or the document does not have
  // the operation.
  std::string violation(const Answer& answer);

private:
  const JsonValue* find_path(std::string_view pattern) const;
  std::string check_content(const JsonValue& response, const Answer& answer);

  JsonValue document_;
  Validator validator_;
};

}  // namespace tern::openapi
