#include <tern/web/local_redirect.hpp>

#include <tern/http/problem.hpp>

#include <algorithm>

namespace tern {

bool is_local_target(std::string_view target) noexcept {
  const auto is_dangerous = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7F || c == '\\';
  };
  return target.starts_with('/') && !target.starts_with("//") && std::ranges::none_of(target, is_dangerous);
}

Response local_redirect(std::string_view target, Status status) {
  if (!is_local_target(target)) throw HttpError(Status::BadRequest, "the target of the redirect is not on this site");
  return Response::redirect(target, status);
}

}  // namespace tern
