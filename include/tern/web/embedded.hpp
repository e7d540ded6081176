// EmbeddedFolder: files that tern_embed() put into the program.
#pragma once

#include <tern/web/content_coding.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace tern {

namespace web {

// One coding of a file.
struct EmbeddedVariant {
  ContentCoding coding = ContentCoding::Identity;
  std::string_view content;
  std::string_view etag;  // with its quotes
};

struct EmbeddedFile {
  std::string_view path;
  std::string_view hashed_path;
  std::span<const EmbeddedVariant> variants;  // first the Identity
};

}  // namespace web

// Made by the build: tern_embed(server FOLDER assets) defines embedded::assets, which <embedded/assets.hpp> declares.
// Lives as long as the program; so does everything that its functions return.
class EmbeddedFolder {
public:
  // For generated sources. `files` are sorted by their paths.
  constexpr explicit EmbeddedFolder(std::span<const web::EmbeddedFile> files) noexcept : files_(files) {}

  // The content of a file, by its path within the folder. Unset if there is none.
  std::optional<std::string_view> content(std::string_view path) const noexcept;
  // The path with the hash of the content in its name ("style.0f3a5c….css"), which app.files() serves as immutable.
  // Throws std::out_of_range, naming the path, if there is no such file.
  std::string_view hashed_path(std::string_view path) const;

  std::span<const web::EmbeddedFile> files() const noexcept { return files_; }

private:
  const web::EmbeddedFile* find(std::string_view path) const noexcept;

  std::span<const web::EmbeddedFile> files_;
};

}  // namespace tern
