#include <tern/web/decompress.hpp>

#include "web/decoder.hpp"

#include <tern/base/ascii.hpp>
#include <tern/http/problem.hpp>

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

namespace tern {
namespace {

// The codings of a content in the order in which they were applied (RFC 9110, section 8.4). All elements are counted,
// and the first few are kept.
struct Codings {
  std::array<std::string_view, web::max_codings> names;
  std::size_t count = 0;

  explicit Codings(const RequestFields& fields) {
    for (const Field& field : fields) {
      if (base::equals_ignoring_case(field.name, "content-encoding")) add_list(field.value);
    }
  }

private:
  void add_list(std::string_view list) {
    while (!list.empty()) {
      const std::size_t comma = std::min(list.find(','), list.size());
      add(base::trim(list.substr(0, comma)));
      list.remove_prefix(std::min(comma + 1, list.size()));
    }
  }
  void add(std::string_view name) {
    if (name.empty() || base::equals_ignoring_case(name, "identity")) return;
    if (count < names.size()) names[count] = name;
    ++count;
  }
};

Response unsupported(Request& request) {
  Problem problem{Status::UnsupportedMediaType, "the content has a coding that is not decoded here", {}, {}};
  problem.fields.set("accept-encoding", "zstd, br, gzip, deflate");
  return request.exchange().refuse(problem);
}

}  // namespace

Reply Decompress::operator()(Request& request, Next next) const {
  Exchange& exchange = request.exchange();
  const Codings codings(request.fields());
  if (codings.count == 0 || exchange.decodes()) return next();
  if (codings.count > web::max_codings) return unsupported(request);
  const std::span<const std::string_view> names(codings.names.data(), codings.count);
  auto decoder = web::make_decoder(names, exchange.limits().max_body_bytes);
  if (!decoder) return unsupported(request);
  exchange.decode_with(std::move(decoder));
  return next();
}

}  // namespace tern
