// App::openapi(): the document and the page as routes. Their bytes are made when the setup is complete.
#include "app/docs_page.hpp"
#include "openapi/document.hpp"

#include <tern/base/sha1.hpp>
#include "http/list.hpp"

#include <tern/app/app.hpp>

#include <memory>
#include <string>
#include <utility>

namespace tern {
namespace openapi {
namespace {

struct Served {
  std::string path;
  std::string_view media_type;
  std::string content = {};
  std::string etag = {};

  void set(std::string bytes) {
    content = std::move(bytes);
    constexpr std::string_view digits = "0123456789abcdef";
    etag = "\"";
    for (const std::uint8_t byte : base::sha1(content)) {
      etag += digits[byte >> 4];
      etag += digits[byte & 15];
    }
    etag += '"';
  }
};

// If-None-Match (RFC 9110, section 13.1.2): a weak comparison.
bool is_known(const Request& request, std::string_view etag) {
  std::string_view list = request.field("if-none-match").value_or("");
  while (!list.empty()) {
    std::string_view tag = http::take_element(list);
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag || tag == "*") return true;
  }
  return false;
}

Response respond(const Served& served, const Request& request) {
  Response response = is_known(request, served.etag) ? Response(Status::NotModified)
                                                     : Response::static_content(served.media_type, served.content);
  response.set("etag", served.etag).set("cache-control", "no-cache");
  return response;
}

// "https://api.example.com" of a server's URL; empty if it is relative to the document.
std::string origin_of(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == url.npos) return {};
  return std::string(url.substr(0, url.find_first_of("/?#", scheme + 3)));
}

app::DocsPageConfig page_config(const OpenApiOptions& options, std::string_view document) {
  app::DocsPageConfig config{.title = options.title,
                             .document = std::string(document),
                             .viewer = static_cast<app::DocsViewer>(options.viewer),
                             .viewer_address = options.viewer_address};
  for (const OpenApiServer& server : options.servers) {
    if (std::string origin = origin_of(server.url); !origin.empty()) config.connect_to.push_back(std::move(origin));
  }
  return config;
}

// What App::openapi() serves. Shared by its routes; constant once the setup is complete.
struct Publication {
  OpenApiOptions options;
  Served json{{}, "application/json"};
  Served yaml{{}, "application/yaml"};
  std::unique_ptr<app::DocsPage> docs;

  void make(const app::Core& outermost, const app::Core& within) {
    json.set(make_document(options, outermost, within));
    if (!yaml.path.empty()) yaml.set(to_yaml(json.content));
    if (options.docs.empty()) return;
    const app::DocsPageConfig config = page_config(options, relative(options.docs, json.path));
    if (std::string mistake = docs_page_mistake(config); !mistake.empty()) throw SetupError("openapi(): " + mistake);
    docs = std::make_unique<app::DocsPage>(config);
  }

private:
  // The document's address beside the page's, since the prefix of an app that is mounted is not known here.
  static std::string relative(std::string_view page, std::string_view document) {
    std::string address;
    for (const char c : page.substr(1)) address += c == '/' ? "../" : "";
    return address.append(document.substr(1));
  }
};

}  // namespace
}  // namespace openapi

App& App::openapi(OpenApiOptions options, std::source_location place) {
  const auto publication = std::make_shared<openapi::Publication>();
  publication->json.path = options.json;
  publication->yaml.path = options.yaml;
  if (!options.listener.empty() && !options.host.empty()) {
    add_mistake("openapi(): a document has the routes of a listener or of a host, not of both", place);
  }
  Group group = !options.listener.empty() ? listener(options.listener, place)
                : !options.host.empty()   ? host(options.host, place)
                                          : root_;
  const auto serve = [&](const openapi::Served& served) {
    if (served.path.empty()) return;
    const auto handler = [publication, &served](const Request& request) { return respond(served, request); };
    group.get({served.path, place}, handler).hide();
  };
  serve(publication->json);
  serve(publication->yaml);
  if (!options.docs.empty()) {
    const auto page = [publication](const Request& request) { return publication->docs->respond(request); };
    group.get({options.docs, place}, page).hide();
  }
  publication->options = options;
  core_->set_openapi(std::move(options), place);
  core_->when_complete(
      [publication, within = core_.get()](const app::Core& outermost) { publication->make(outermost, *within); });
  return *this;
}

std::string App::openapi_document(const OpenApiOptions& options) {
  core_->freeze();
  return openapi::indented(openapi::make_document(options, *core_, *core_));
}

std::string App::openapi_document() {
  return openapi_document(core_->openapi() != nullptr ? *core_->openapi() : OpenApiOptions());
}

}  // namespace tern
