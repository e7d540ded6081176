#include "web/file_service.hpp"

#include "web/compressible.hpp"
#include "web/listing.hpp"
#include "web/media_type.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/offload.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <utility>

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

bool is_missing(int error) noexcept {
  constexpr int missing[] = {ENOENT, ENOTDIR, ELOOP, EXDEV, EACCES, EPERM, ENAMETOOLONG, EINVAL, ENXIO, ENODEV, EISDIR};
  return std::ranges::find(missing, error) != std::end(missing);
}

// An encoded slash is part of a name, which no file has (RFC 3986, section 2.2).
bool has_encoded_slash(std::string_view path) noexcept {
  for (std::size_t at = path.find('%'); at != std::string_view::npos; at = path.find('%', at + 1)) {
    if (base::equals_ignoring_case(path.substr(at, 3), "%2f")) return true;
  }
  return false;
}

std::string_view last_segment(std::string_view path) noexcept {
  return path.substr(path.rfind('/') + 1);
}

// Relative, so that it holds behind any proxy. The path has no empty segment, so this cannot name another host.
Response redirect_to_folder(const Request& request) {
  std::string location = "./" + std::string(last_segment(request.path())) + "/";
  if (!request.query().empty()) location.append("?").append(request.query());
  return Response::redirect(location, Status::PermanentRedirect);
}

Response answer(SharedResource resource, Request& request) {
  if (resource->variants.empty()) return redirect_to_folder(request);
  return respond(std::move(resource), request);
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

std::vector<std::string> field_values(const std::vector<FileCacheRule>& rules) {
  std::vector<std::string> values;
  for (const FileCacheRule& rule : rules) values.push_back(to_field_value(rule.control));
  return values;
}

bool is_hexadecimal_hash(std::string_view text) noexcept {
  bool has_letter = false;
  bool has_digit = false;
  for (const char c : text) {
    has_digit = has_digit || base::is_digit(c);
    has_letter = has_letter || (c >= 'a' && c <= 'f');
    if (!base::is_digit(c) && (c < 'a' || c > 'f')) return false;
  }
  return text.size() >= 8 && has_letter && has_digit;
}

// Eight characters of base 32 or 64: an upper-case letter, and a digit that is not at the end, as in "Version2".
bool is_short_hash(std::string_view text) noexcept {
  if (text.size() != 8) return false;
  const bool is_plain = std::ranges::all_of(text, [](char c) { return base::is_alpha(c) || base::is_digit(c); });
  const bool has_upper = std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
  while (!text.empty() && base::is_digit(text.back())) text.remove_suffix(1);
  return is_plain && has_upper && std::ranges::any_of(text, base::is_digit);
}

}  // namespace

bool has_content_hash(std::string_view path) noexcept {
  std::string_view name = last_segment(path);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos) return false;
  name = name.substr(0, dot);
  if (name.ends_with(".min")) name.remove_suffix(4);
  const std::size_t separator = name.find_last_of(".-_");
  if (separator == std::string_view::npos) return false;
  const std::string_view hash = name.substr(separator + 1);
  return is_hexadecimal_hash(hash) || is_short_hash(hash);
}

// Linear but for the last '*', from which it tries again.
bool matches_pattern(std::string_view pattern, std::string_view text) noexcept {
  std::size_t at = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  std::size_t i = 0;
  while (i < text.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = i;
    } else if (at < pattern.size() && pattern[at] == text[i]) {
      ++at;
      ++i;
    } else if (star != std::string_view::npos) {
      at = star + 1;
      i = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == std::string_view::npos;
}

Problem problem_of(int error) {
  if (is_missing(error)) return {Status::NotFound, "there is nothing at this path"};
  Problem problem{Status::InternalServerError};
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    problem.status = Status::ServiceUnavailable;
    problem.fields.set("retry-after", "1");
  }
  return problem;
}

FileService::FileService(const std::string& folder, FileOptions options)
    : folder_(folder),
      options_(std::move(options)),
      cache_controls_(field_values(options_.cache)),
      cache_(options_.max_cached_bytes, options_.max_open_files) {}

Reply FileService::serve(Request& request) {
  const std::string_view path = request.parameters().back();
  if (!is_visible_path(path) || has_encoded_slash(request.path())) {
    if (options_.not_found.empty()) return Reply(request.exchange().refuse(problem_of(ENOENT)));
    return Reply(serve_later(request, {}));
  }
  if (SharedResource resource = cache_.find(path, milliseconds())) return Reply(answer(std::move(resource), request));
  return Reply(serve_later(request, path));
}

Task<Response> FileService::serve_later(Request& request, std::string_view path) {
  const auto call = [this, path] { return load(path); };
  Loaded loaded = co_await offload(call);
  if (loaded.resource == nullptr) co_return request.exchange().refuse(problem_of(loaded.error));
  if (loaded.status != Status::Ok) co_return respond_with(loaded.status, std::move(loaded.resource), request);
  co_return answer(std::move(loaded.resource), request);
}

// On the pool.
FileService::Loaded FileService::load(std::string_view path) {
  auto resource = load_path(std::string(path));
  if (resource) return {.resource = std::move(*resource)};
  if (!is_missing(resource.error())) return {.error = resource.error()};
  if (!options_.fallback.empty() && !last_segment(path).contains('.')) {
    if (auto fallback = load_path(options_.fallback)) return {.resource = std::move(*fallback)};
  }
  if (!options_.not_found.empty()) {
    auto page = load_path(options_.not_found);
    if (page && !(*page)->variants.empty()) return {.status = Status::NotFound, .resource = std::move(*page)};
  }
  return {.error = resource.error()};
}

std::expected<SharedResource, int> FileService::load_path(const std::string& path) {
  const std::uint64_t now = milliseconds();  // before the files are looked at
  auto resource = make_resource(path, cache_.find_stale(path));
  if (resource) {
    cache_.put(path, *resource, now);
  } else {
    cache_.erase(path);
  }
  return resource;
}

std::expected<SharedResource, int> FileService::make_resource(const std::string& path,
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

std::expected<SharedResource, int> FileService::make_folder(const std::string& path, OpenFile folder,
                                                            const SharedResource& previous) const {
  for (const std::string& index : options_.index) {
    auto file = folder_.open(path + index);
    if (file && !file->is_folder) return make_file(path + index, std::move(*file), previous);
  }
  if (!options_.listing) return std::unexpected(ENOENT);
  return make_listing(folder_, folder.file, path);
}

SharedResource FileService::make_file(const std::string& path, OpenFile file, const SharedResource& previous) const {
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
  const std::string_view type = media_type(path);
  describe(*resource, type, identity);
  resource->cache_control = cache_control(path, type);
  resource->varies = options_.precompressed && (files.size() > 1 || is_compressible(type));
  for (OpenVariant& each : files) {
    resource->variants.push_back(make_variant(std::move(each.opened), each.coding, options_.max_cached_file));
  }
  return resource;
}

std::string_view FileService::media_type(std::string_view path) const {
  const std::string_view extension = extension_of(path);
  for (const FileType& type : options_.types) {
    if (base::equals_ignoring_case(type.extension, extension)) return type.media_type;
  }
  return media_type_of(path);
}

std::string FileService::cache_control(std::string_view path, std::string_view media_type) const {
  for (std::size_t i = 0; i < cache_controls_.size(); ++i) {
    if (matches_pattern(options_.cache[i].pattern, path)) return cache_controls_[i];
  }
  if (media_type.starts_with("text/html")) return "no-cache";
  if (options_.hashed_names && has_content_hash(path)) return "public, max-age=31536000, immutable";
  return {};
}

}  // namespace tern::web
