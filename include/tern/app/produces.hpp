// produces(): several representations of one path, told apart by Accept.
#pragma once

#include <tern/app/bind.hpp>
#include <tern/base/ascii.hpp>

#include <cstddef>
#include <string_view>
#include <utility>

namespace tern {
namespace app {

// A compiler that evaluates a call of it names it in its error.
void media_type_must_be_a_type_and_a_subtype_without_parameters();

}  // namespace app

// A media type as a literal, "type/subtype", without parameters and wildcards; checked at compile time.
class MediaType {
public:
  consteval MediaType(const char* literal) : text_(literal) {  // NOLINT: a literal is a media type
    const std::size_t slash = text_.find('/');
    const bool has_both = slash != std::string_view::npos && base::is_token(text_.substr(0, slash)) &&
                          base::is_token(text_.substr(slash + 1));
    if (!has_both || text_.contains('*')) app::media_type_must_be_a_type_and_a_subtype_without_parameters();
  }
  constexpr std::string_view text() const noexcept { return text_; }

private:
  std::string_view text_;
};

// A handler for clients that accept a media type (RFC 9110, section 12.5.1):
//   app.get("/report", [] { return Report{}; });
//   app.get("/report", tern::produces("text/csv", [] { return std::string("a,b"); }));
// Accept chooses among several handlers of one method and pattern: the preference of the client decides, then the order
// of registration. A request that accepts none of them gets a 406, also where there is only one. One of them may be
// without produces(): it has the type of its result. Successful responses get the Content-Type, unless the handler
// returns a Response, which has its own, and `Vary: Accept`.
template <class F>
app::Produces<F> produces(MediaType type, F handler) {
  return {type.text(), std::move(handler)};
}

}  // namespace tern
