#include "web/embedded_source.hpp"

#include "web/compressible.hpp"
#include "web/file_rules.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <stdexcept>
#include <utility>

namespace tern::web {
namespace {

Variant to_variant(const EmbeddedVariant& embedded) {
  Variant variant{.coding = embedded.coding, .size = embedded.content.size()};
  variant.etag = embedded.etag;
  variant.static_content = embedded.content;
  return variant;
}

}  // namespace

EmbeddedSource::EmbeddedSource(const EmbeddedFolder& folder, const FileOptions& options) : index_(options.index) {
  if (options.listing) throw std::invalid_argument("there are no listings of embedded folders");
  const FileRules rules(options);
  for (const EmbeddedFile& file : folder.files()) add(file, rules, options.precompressed);
}

void EmbeddedSource::add(const EmbeddedFile& file, const FileRules& rules, bool precompressed) {
  auto resource = std::make_shared<Resource>();
  const std::string_view type = rules.media_type(file.path);
  resource->content_type = type;
  resource->cache_control = rules.cache_control(file.path, type);
  resource->varies = precompressed && (file.variants.size() > 1 || is_compressible(type));
  for (const EmbeddedVariant& variant : file.variants.subspan(0, precompressed ? file.variants.size() : 1)) {
    resource->variants.push_back(to_variant(variant));
  }
  auto hashed = std::make_shared<Resource>(*resource);
  hashed->cache_control = immutable_for_a_year;
  render_fields(*resource);
  render_fields(*hashed);
  resources_.emplace(file.path, std::move(resource));
  resources_.emplace(file.hashed_path, std::move(hashed));
  add_folders(file.path);
}

void EmbeddedSource::add_folders(std::string_view path) {
  for (std::size_t slash = path.find('/'); slash != std::string_view::npos; slash = path.find('/', slash + 1)) {
    folders_.insert(path.substr(0, slash));
  }
}

SharedResource EmbeddedSource::find(std::string_view path) {
  const auto found = resources_.find(path);
  return found == resources_.end() ? nullptr : found->second;
}

std::expected<SharedResource, int> EmbeddedSource::load(const std::string& path) {
  if (SharedResource file = find(path)) return file;
  if (folders_.contains(path)) return std::make_shared<Resource>();
  if (!path.empty() && !path.ends_with('/')) return std::unexpected(ENOENT);
  for (const std::string& index : index_) {
    if (SharedResource file = find(path + index)) return file;
  }
  return std::unexpected(ENOENT);
}

}  // namespace tern::web
