#include "load/http2_connection.hpp"

#include <tern/base/ascii.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tern::load {
namespace {

constexpr std::array<std::string_view, 6> connection_fields = {"connection", "keep-alive",        "proxy-connection",
                                                               "te",         "transfer-encoding", "upgrade"};

}  // namespace

Http2Request http2_request(const LoadOptions& options, const Target& target) {
  check_request(options);
  Http2Request request;
  std::string authority = target.origin;
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [name, value] : options.fields) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), base::to_lower);
    if (std::ranges::count(connection_fields, lower) > 0) {
      throw std::invalid_argument("HTTP/2 has no field " + name);
    }
    if (lower == "host") {
      authority = value;
    } else {
      fields.emplace_back(std::move(lower), value);
    }
  }
  request.fields = {{":method", options.method},
                    {":scheme", target.tls ? "https" : "http"},
                    {":authority", authority},
                    {":path", target.path}};
  request.fields.insert(request.fields.end(), fields.begin(), fields.end());
  request.content = options.content;
  if (has_content(options)) request.fields.emplace_back("content-length", std::to_string(options.content.size()));
  return request;
}

}  // namespace tern::load
