#include "app/docs_page.hpp"

#include <tern/base/sha1.hpp>
#include "app/docs_page_text.hpp"
#include "app/quoted.hpp"
#include "base/base64.hpp"
#include "http/hash_source.hpp"

#include <tern/base/expects.hpp>

#include <cstddef>
#include <initializer_list>
#include <utility>

namespace tern::app {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
}

// `text` with each "{{name}}" of `values` replaced by its value, escaped for HTML. A value is not searched for names.
std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string_view>> values) {
  std::string out;
  out.reserve(text.size() + 200);
  for (std::size_t open; (open = text.find("{{")) != text.npos;) {
    out += text.substr(0, open);
    text.remove_prefix(open);
    bool is_name = false;
    for (const auto& [name, value] : values) {
      if (!text.substr(2).starts_with(name) || !text.substr(2 + name.size()).starts_with("}}")) continue;
      append_escaped(out, value);
      text.remove_prefix(name.size() + 4);
      is_name = true;
      break;
    }
    if (is_name) continue;
    out += text.substr(0, 1);
    text.remove_prefix(1);
  }
  return out += text;
}

bool has_scheme(std::string_view address) {
  return address.starts_with("https://") || address.starts_with("http://");
}

// Visible ASCII without the characters that end a source, a directive or a policy.
bool fits_policy(std::string_view address) {
  for (const char c : address) {
    if (c <= ' ' || c > '~' || c == ';' || c == ',' || c == '\'' || c == '"' || c == '<' || c == '>') return false;
  }
  return !address.empty();
}

// A reference (RFC 3986, section 4.1) that is relative to the page's origin, or has http or https and a host. A
// reference to another host without a scheme ("//host") would make the policy depend on how the page was loaded.
bool is_address(std::string_view address) {
  if (!fits_policy(address) || address.starts_with("//")) return false;
  if (!has_scheme(address)) return !address.substr(0, address.find_first_of("/?#")).contains(':');
  const std::string_view rest = address.substr(address.find("://") + 3);
  return !rest.empty() && std::string_view("/?#:").find(rest.front()) == rest.npos;
}

// The origin of an address with a scheme, or that of the page.
std::string_view origin_of(std::string_view address) {
  if (!has_scheme(address)) return "'self'";
  return address.substr(0, address.find_first_of("/?#", address.find("://") + 3));
}

std::string connect_sources(const DocsPageConfig& config) {
  std::string sources = "connect-src 'self'";
  if (has_scheme(config.document)) sources.append(" ").append(origin_of(config.document));
  for (const std::string& origin : config.connect_to) sources.append(" ").append(origin_of(origin));
  return sources;
}

constexpr std::string_view confined = "; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

std::string own_policy(const DocsPageConfig& config) {
  return "default-src 'none'; script-src " + http::hash_source(docs_page_text.script_sha256) + "; style-src " +
         http::hash_source(docs_page_text.style_sha256) + "; img-src blob: data:; " + connect_sources(config) +
         "; require-trusted-types-for 'script'; trusted-types 'none'" + std::string(confined);
}

// For pages of others: `script` is the hash of our script that starts them, where there is one.
std::string foreign_policy(const DocsPageConfig& config, std::string_view script) {
  const std::string origin(origin_of(config.viewer_address));
  return "default-src 'none'; script-src " + origin + std::string(script) + "; style-src " + origin +
         " 'unsafe-inline'; img-src 'self' data: blob:; font-src " + origin + " data:; " + connect_sources(config) +
         std::string(confined);
}

constexpr std::string_view swagger_page = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title><link rel="stylesheet" href="{{viewer}}/swagger-ui.css"></head>
<body data-document="{{document}}"><div id="swagger-ui"></div>
<script src="{{viewer}}/swagger-ui-bundle.js"></script><script>)";
constexpr std::string_view swagger_page_end = "</script></body></html>\n";

constexpr std::string_view scalar_page = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{title}}</title></head>
<body><script id="api-reference" data-url="{{document}}"></script><script src="{{viewer}}"></script></body></html>
)";

}  // namespace

std::string docs_page_mistake(const DocsPageConfig& config) {
  if (!is_address(config.document)) {
    return "documentation page: " + quoted(config.document) + " is no address of a document";
  }
  for (const std::string& origin : config.connect_to) {
    if (!is_address(origin) || !has_scheme(origin)) {
      return "documentation page: " + quoted(origin) + " is no origin, which is like 'https://api.example.com'";
    }
  }
  const bool is_own = config.viewer == DocsViewer::Tern;
  if (is_own && !config.viewer_address.empty()) {
    return "documentation page: the address " + quoted(config.viewer_address) + " needs the viewer SwaggerUi or Scalar";
  }
  if (!is_own && !is_address(config.viewer_address)) {
    return "documentation page: " + quoted(config.viewer_address) + " is no address to load the viewer from";
  }
  return {};
}

DocsPage::DocsPage(const DocsPageConfig& config) {
  base::expects(docs_page_mistake(config).empty(), "a documentation page with a mistake in its configuration");
  std::string_view viewer = config.viewer_address;
  while (viewer.ends_with('/')) viewer.remove_suffix(1);
  switch (config.viewer) {
    case DocsViewer::Tern:
      content_ = filled(docs_page_text.page, {{"title", config.title}, {"document", config.document}});
      policy_ = own_policy(config);
      break;
    case DocsViewer::SwaggerUi:
      content_ = filled(swagger_page, {{"title", config.title}, {"document", config.document}, {"viewer", viewer}});
      content_.append(docs_page_text.swagger_start).append(swagger_page_end);
      policy_ = foreign_policy(config, " " + http::hash_source(docs_page_text.swagger_start_sha256));
      break;
    case DocsViewer::Scalar:
      content_ = filled(scalar_page, {{"title", config.title}, {"document", config.document}, {"viewer", viewer}});
      policy_ = foreign_policy(config, {});
      break;
  }
  const auto digest = base::sha1(content_ + policy_);
  etag_ = '"' + base::to_base64({reinterpret_cast<const char*>(digest.data()), digest.size()}) + '"';
}

Response DocsPage::respond(const Request& request) const {
  // A quoted tag can only stand in a list of tags as a whole.
  const std::string_view known = request.field("if-none-match").value_or("");
  Response response =
      known.find(etag_) != known.npos ? Response(Status::NotModified) : Response::static_content(media::html, content_);
  response.set("cache-control", "no-cache").set("etag", etag_).set("content-security-policy", policy_);
  response.set("x-content-type-options", "nosniff").set("referrer-policy", "no-referrer");
  return response;
}

}  // namespace tern::app
