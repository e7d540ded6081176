#include <tern/web/embedded.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tern {

const web::EmbeddedFile* EmbeddedFolder::find(std::string_view path) const noexcept {
  const auto found = std::ranges::lower_bound(files_, path, {}, &web::EmbeddedFile::path);
  return found != files_.end() && found->path == path ? &*found : nullptr;
}

std::optional<std::string_view> EmbeddedFolder::content(std::string_view path) const noexcept {
  const web::EmbeddedFile* file = find(path);
  if (file == nullptr) return std::nullopt;
  return file->variants.front().content;
}

std::string_view EmbeddedFolder::hashed_path(std::string_view path) const {
  if (const web::EmbeddedFile* file = find(path)) return file->hashed_path;
  throw std::out_of_range("no file '" + std::string(path) + "' is embedded");
}

}  // namespace tern
