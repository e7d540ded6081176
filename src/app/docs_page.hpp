// The documentation page: shows an OpenAPI document, searches it and sends requests
// (docs/adr/0050-documentation-page.md).
#pragma once

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::app {

enum class DocsViewer : std::uint8_t {
  Tern,       // our own page, which requests nothing from elsewhere
  SwaggerUi,  // loaded from an address; its page allows inline styles
  Scalar,     // the same
};

struct DocsPageConfig {
  std::string title = "API";
  // Of the OpenAPI document (JSON), relative to the page or with a scheme: "openapi.json" beside "/docs".
  std::string document = "openapi.json";
  // Origins besides the page's own that it may send requests to, such as "https://api.example.com": of the document
  // and of the servers that it names.
  std::vector<std::string> connect_to = {};
  DocsViewer viewer = DocsViewer::Tern;
  // Of the other viewers: the folder with swagger-ui-bundle.js and swagger-ui.css, or Scalar's script. Relative to the
  // page or with a scheme.
  std::string viewer_address = {};
};

// What is wrong in a configuration, for a message at the start; empty if nothing is.
std::string docs_page_mistake(const DocsPageConfig& config);

// A page that is made once and answered many times, by all loops. Must outlive the server: its content is not copied.
class DocsPage {
public:
  // Expects that docs_page_mistake(config) is empty.
  explicit DocsPage(const DocsPageConfig& config);

  // 200 with the page and its Content-Security-Policy, or 304 if If-None-Match has its entity tag.
  Response respond(const Request& request) const;

  std::string_view content() const noexcept { return content_; }
  std::string_view policy() const noexcept { return policy_; }

private:
  std::string content_;
  std::string policy_;
  std::string etag_;
};

}  // namespace tern::app
