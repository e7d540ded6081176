// The options of App::openapi(): what a document says about the service as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tern {

struct OpenApiServer {
  std::string url;
  std::string description = {};
};

struct OpenApiTag {
  std::string name;
  std::string description = {};
};

// A security scheme: its name, for security("name") at a route, group or middleware, and the Security Scheme Object as
// JSON text: {"bearer", R"({"type":"http","scheme":"bearer"})"}.
struct OpenApiSecurity {
  std::string name;
  std::string json;
};

enum class OpenApiViewer : std::uint8_t {
  Tern,       // our own page, which requests nothing from elsewhere
  SwaggerUi,  // loaded from `viewer_address`; its page allows inline styles
  Scalar,     // the same
};

struct OpenApiOptions {
  std::string title = "API";
  std::string version = "1.0.0";  // of the service
  std::string summary = {};
  std::string description = {};  // CommonMark
  std::string terms = {};        // the URL of the terms of service
  std::string contact_name = {};
  std::string contact_url = {};
  std::string contact_email = {};
  std::string license = {};  // its name
  std::string license_url = {};
  std::vector<OpenApiServer> servers = {};  // empty: the server that sends the document
  std::vector<OpenApiTag> tags = {};        // their order and descriptions; others follow
  std::vector<OpenApiSecurity> security = {};

  // Whose routes the document has, and where it is served: those of App::listener(), or those that requests to an
  // App::host() reach. Both empty: the routes of neither.
  std::string listener = {};
  std::string host = {};
  // Where the document is served; empty: not there.
  std::string json = "/openapi.json";
  std::string yaml = "/openapi.yaml";
  // Where the documentation page is served, such as "/docs"; empty: nowhere. It needs `json`.
  std::string docs = {};
  OpenApiViewer viewer = OpenApiViewer::Tern;
  // Of another viewer: the folder with its script and style (Swagger UI), or its script (Scalar).
  std::string viewer_address = {};
};

}  // namespace tern
