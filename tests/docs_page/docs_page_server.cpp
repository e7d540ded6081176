// A service for the test of the documentation page, with the documents beside this file: docs-page-server
// --documents FOLDER. For a look at the pages of others: --swagger-ui ADDRESS, --scalar ADDRESS. What the page sends is
// answered in full by /echo, so that curl's request can be compared.
#include "app/docs_page.hpp"

#include <tern/multipart.hpp>
#include <tern/tern.hpp>

#include "../../examples/flags.hpp"

#include <fstream>
#include <iterator>
#include <map>

namespace {

std::string file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Fields that a browser and curl set for themselves, or that differ by their nature.
bool is_compared(std::string_view name) {
  for (const std::string_view other :
       {"host", "user-agent", "connection", "origin", "referer", "content-length", "accept-encoding", "accept-language",
        "cache-control", "pragma", "content-type", "expect"}) {
    if (name == other) return false;
  }
  return !name.starts_with("sec-");
}

struct Echo {
  std::string method;
  std::string target;
  std::map<std::string, std::string> fields;
  std::string content_type;
  std::string content;
};

// The content of a form with its boundary replaced, which is random.
std::string without_boundary(std::string content, std::string_view type) {
  const std::size_t at = type.find("boundary=");
  if (at == type.npos) return content;
  const std::string_view boundary = type.substr(at + 9);
  for (std::size_t found; (found = content.find(boundary)) != content.npos;)
    content.replace(found, boundary.size(), "BOUNDARY");
  return content;
}

Echo echo(const tern::Request& request) {
  Echo echo{std::string(request.method_name()), std::string(request.target()), {}, {}, {}};
  for (const auto& [name, value] : request.fields()) {
    std::string lower;
    for (const char c : name) lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    if (is_compared(lower)) echo.fields[lower] = value;
  }
  const std::string type(request.field("content-type").value_or(""));
  echo.content_type = type.substr(0, type.find("boundary="));
  echo.content = without_boundary(std::string(request.body()), type);
  return echo;
}

struct Upload {
  std::string title;
  std::vector<tern::UploadedFile> files;
};

struct Stored {
  std::string name;
  std::string content_type;
  std::uint64_t size;
};

struct Receipt {
  std::string title;
  std::vector<Stored> files;
};

Receipt upload(tern::Multipart<Upload> form) {
  Receipt receipt{form->title, {}};
  for (const tern::UploadedFile& stored : form->files) {
    receipt.files.push_back({stored.file_name(), stored.content_type(), stored.size()});
  }
  return receipt;
}

tern::Response events() {
  return tern::event_stream([](tern::EventStream& stream) -> tern::Task<> {
    for (int count = 1;; ++count) {
      const std::string text =
          "{\"count\": " + std::to_string(count) + ", \"text\": \"<b>" + std::to_string(count) + "</b>\"}";
      co_await stream.send({.data = text, .event = "count", .id = std::to_string(count)});
      co_await tern::sleep_for(tern::Milliseconds(50));
    }
  });
}

// Operations under thirty tags that share their schemas.
std::string large_document(int operations) {
  std::string paths;
  for (int i = 0; i < operations; ++i) {
    const std::string number = std::to_string(i);
    paths +=
        (i == 0 ? "" : ",") + ("\"/things" + number + "/{id}\":{\"") +
        (i % 3 == 0   ? "get"
         : i % 3 == 1 ? "put"
                      : "delete") +
        "\":{\"operationId\":\"operation" + number + "\",\"summary\":\"Thing number " + number +
        "\",\"tags\":[\"Group " + std::to_string(i / 10) +
        R"("],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"integer","minimum":1}}],)" +
        R"("responses":{"200":{"description":"The thing","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing"}}}}}}})";
  }
  return R"({"openapi":"3.1.0","info":{"title":"Large","version":"1"},"paths":{)" + paths +
         R"(},"components":{"schemas":{"Thing":{"type":"object","required":["id"],"properties":{"id":{"type":"integer"},)"
         R"("name":{"type":"string","maxLength":100},"parts":{"type":"array","items":{"$ref":"#/components/schemas/Thing"}}}}}}})";
}

// Types that refer to each other in all combinations, as those of large models do.
std::string tangled_document(int types) {
  std::string schemas;
  for (int i = 0; i < types; ++i) {
    schemas += (i == 0 ? "\"Type" : ",\"Type") + std::to_string(i) + "\":{\"type\":\"object\",\"properties\":{";
    for (int j = 0; j < types; ++j) {
      const std::string number = std::to_string(j);
      schemas += (j == 0 ? "\"" : ",\"") + number + "\":{\"$ref\":\"#/components/schemas/Type" + number + "\"}";
    }
    schemas += "}}";
  }
  return R"({"openapi":"3.1.0","info":{"title":"Tangled","version":"1"},"paths":{"/echo":{"post":{"operationId":"add",)"
         R"("requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Type0"}}}},)"
         R"("responses":{}}}},"components":{"schemas":{)" +
         schemas + "}}}";
}

constexpr std::string_view problem =
    R"({"type":"about:blank","title":"Unprocessable Content","status":422,"errors":[{"pointer":"/title","rule":"minLength","detail":"<img src=x onerror=alert(1)>"}],"id":9007199254740993})";
constexpr std::string_view pixel(
    "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\b\6\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9c"
    "c\xf8\xcf\xc0\xf0\x1f\0\5\0\1\xff\x89\x99=\x1d\0\0\0\0IEND\xae"
    "B`\x82",
    70);

}  // namespace

int main(int argc, char** argv) {
  std::string folder, swagger_ui = "swagger-ui", scalar = "scalar.js";
  const tern::Options options =
      examples::options(argc, argv, {{"--documents", folder}, {"--swagger-ui", swagger_ui}, {"--scalar", scalar}});
  const std::string torture = file(folder + "/torture.json"), large = large_document(300),
                    tangled = tangled_document(14);
  const tern::app::DocsPage page({.title = "Torture", .document = "torture.json"});
  const tern::app::DocsPage large_page({.title = "Large", .document = "large.json"});
  const tern::app::DocsPage tangled_page({.title = "Tangled", .document = "tangled.json"});
  const tern::app::DocsPage broken_page({.title = "Broken", .document = "nothing.json"});
  using enum tern::app::DocsViewer;
  const tern::app::DocsPage swagger_page({.document = "large.json", .viewer = SwaggerUi, .viewer_address = swagger_ui});
  const tern::app::DocsPage scalar_page({.document = "large.json", .viewer = Scalar, .viewer_address = scalar});
  tern::App app;
  const auto serve = [](const tern::app::DocsPage& shown) {
    return [&shown](const tern::Request& request) { return shown.respond(request); };
  };
  app.get("/docs", serve(page));
  app.get("/large", serve(large_page));
  app.get("/tangled", serve(tangled_page));
  app.get("/broken", serve(broken_page));
  app.get("/swagger", serve(swagger_page));
  app.get("/scalar", serve(scalar_page));
  app.get("/torture.json", [&] { return tern::Response::static_content(tern::media::json, torture); });
  app.get("/large.json", [&] { return tern::Response::static_content(tern::media::json, large); });
  app.get("/tangled.json", [&] { return tern::Response::static_content(tern::media::json, tangled); });
  for (const tern::Method method :
       {tern::Method::Get, tern::Method::Post, tern::Method::Put, tern::Method::Patch, tern::Method::Delete}) {
    app.on(method, "/echo/{path...}", echo);
  }
  app.post("/problem", [] {
    tern::Response response(tern::Status::UnprocessableContent);
    response.content(std::string(problem)).set("content-type", tern::media::problem);
    return response;
  });
  app.post("/upload", tern::blocking(upload));
  app.get("/events", events);
  app.get("/binary", [] {
    return tern::Response::bytes("application/octet-stream", std::string(5000, '\1'))
        .set("content-disposition", "attachment; filename=\"data.bin\"");
  });
  app.get("/image", [] { return tern::Response::bytes("image/png", std::string(pixel)); });
  app.get("/long", [] { return tern::Response::text(std::string(3'000'000, 'x')); });
  return app.run(options);
}
