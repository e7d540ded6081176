#include "web/folder_source.hpp"

#include "web/compressible.hpp"
#include "web/listing.hpp"

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

struct Sibling {
  ContentCoding coding;
  std::string_view suffix;
};
constexpr Sibling siblings[] = {
    {ContentCoding::Brotli, ".br"}, {ContentCoding::Zstd, ".zst"}, {ContentCoding::Gzip, ".gz"}};

std::uint64_t milliseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1000 + static_cast<std::uint64_t>(time.tv_nsec) / 1'000'000;
}

// Files that were opened for one resource.
struct OpenVariant {
  ContentCoding coding;
  OpenFile opened;
};

bool is_unchanged(const Resource& resource, const std::vector<OpenVariant>& files) {
  return std::ranges::equal(resource.variants, files, [](const Variant& variant, const OpenVariant& file) {
    return variant.coding == file.coding && variant.status == file.opened.status && !variant.may_change_unseen;
  });
}

}  // namespace

FolderSource::FolderSource(const std::string& folder, const FileOptions& options)
    : folder_(folder), options_(options), rules_(options), cache_(options.max_cached_bytes, options.max_open_files) {}

SharedResource FolderSource::find(std::string_view path) {
  const std::uint64_t now = milliseconds();
  if (SharedResource resource = cache_.find(path, now)) return resource;
  return renew(path, now);
}

bool FolderSource::is_known_to_be_missing(std::string_view path) const {
  return missing_.contains(path, milliseconds());
}

// A resource of more than a second whose files are unchanged, as far as the kernel knows without waiting for a disk.
// The pool would need some fifty microseconds. It looks every half minute, also for what this does not see: a new
// sibling of a type that is not worth compressing. Index files are looked for there, too.
SharedResource FolderSource::renew(std::string_view path, std::uint64_t now) {
  SharedResource resource = cache_.find_known(path, now);
  if (resource == nullptr || resource->file_path != path || resource->variants.empty()) return nullptr;
  const auto look_up = [&](std::string_view suffix) {
    return folder_.look_up_cached(std::string(path).append(suffix));
  };
  const Variant& identity = resource->variants.front();
  if (identity.may_change_unseen || look_up("") != identity.status) return nullptr;
  const bool has_siblings = resource->variants.size() > 1;
  for (const Sibling& sibling : siblings) {
    if (!options_.precompressed || (!has_siblings && !resource->is_compressible)) break;
    const auto variant = std::ranges::find(resource->variants, sibling.coding, &Variant::coding);
    const auto status = look_up(sibling.suffix);
    const bool is_unchanged = variant == resource->variants.end()
                                  ? !status && is_missing(status.error())
                                  : !variant->may_change_unseen && status == variant->status;
    if (!is_unchanged) return nullptr;
  }
  cache_.renew(path, resource, now);
  return resource;
}

std::expected<SharedResource, int> FolderSource::load(const std::string& path) {
  const std::uint64_t now = milliseconds();  // before the files are looked at
  auto resource = make_resource(path, cache_.find_stale(path));
  if (resource) {
    cache_.put(path, *resource, now);
  } else {
    cache_.erase(path);
    if (is_missing(resource.error())) missing_.put(path, now);
  }
  return resource;
}

std::expected<SharedResource, int> FolderSource::make_resource(const std::string& path,
                                                               const SharedResource& previous) const {
  const bool wants_folder = path.empty() || path.ends_with('/');
  auto opened = folder_.open(path.ends_with('/') ? path.substr(0, path.size() - 1) : path);
  if (!opened) return std::unexpected(opened.error());
  if (!opened->is_folder) {
    if (wants_folder) return std::unexpected(ENOTDIR);
    return make_file(path, std::move(*opened), previous);
  }
  if (!wants_folder) return std::make_shared<Resource>();
  return make_folder(path, std::move(*opened), previous);
}

std::expected<SharedResource, int> FolderSource::make_folder(const std::string& path, OpenFile folder,
                                                             const SharedResource& previous) const {
  for (const std::string& index : options_.index) {
    auto file = folder_.open(path + index);
    if (file && !file->is_folder) return make_file(path + index, std::move(*file), previous);
  }
  if (!options_.listing) return std::unexpected(ENOENT);
  return make_listing(folder_, folder.file, path);
}

SharedResource FolderSource::make_file(const std::string& path, OpenFile file, const SharedResource& previous) const {
  std::vector<OpenVariant> files;
  files.push_back({ContentCoding::Identity, std::move(file)});
  const FileStatus identity = files.front().opened.status;
  if (options_.precompressed) {
    for (const Sibling& sibling : siblings) {
      auto opened = folder_.open(path + std::string(sibling.suffix));
      if (!opened || opened->is_folder || opened->status.modified < identity.modified) continue;
      files.push_back({sibling.coding, std::move(*opened)});
    }
    std::ranges::sort(files.begin() + 1, files.end(), {},
                      [](const OpenVariant& each) { return each.opened.status.size; });
  }
  if (previous != nullptr && is_unchanged(*previous, files)) return previous;
  auto resource = std::make_shared<Resource>();
  const std::string_view type = rules_.media_type(path);
  describe(*resource, type, identity);
  resource->cache_control = rules_.cache_control(path, type);
  resource->file_path = path;
  resource->is_compressible = is_compressible(type);
  resource->varies = options_.precompressed && (files.size() > 1 || resource->is_compressible);
  for (OpenVariant& each : files) {
    resource->variants.push_back(make_variant(std::move(each.opened), each.coding, options_.max_cached_file));
  }
  render_fields(*resource);
  return resource;
}

}  // namespace tern::web
