#include "web/file_service.hpp"

#include "web/folder.hpp"

#include <tern/base/ascii.hpp>
#include <tern/coro/offload.hpp>
#include <tern/http/exchange.hpp>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace tern::web {
namespace {

constexpr std::string_view no_path = ".";  // of no resource

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

}  // namespace

Problem problem_of(int error) {
  if (is_missing(error)) return {Status::NotFound, "there is nothing at this path"};
  Problem problem{Status::InternalServerError};
  if (error == EMFILE || error == ENFILE || error == ENOMEM) {
    problem.status = Status::ServiceUnavailable;
    problem.fields.set("retry-after", "1");
  }
  return problem;
}

FileService::FileService(base::Box<FileSource> source, const FileOptions& options)
    : source_(std::move(source)), fallback_(options.fallback), not_found_(options.not_found) {}

Reply FileService::serve(Request& request) {
  const std::string_view path = request.parameters().back();
  if (!is_visible_path(path) || has_encoded_slash(request.path())) {
    if (not_found_.empty()) return Reply(request.exchange().refuse(problem_of(ENOENT)));
    return serve_loaded(request, no_path);
  }
  if (SharedResource resource = source_->find(path)) return Reply(answer(std::move(resource), request));
  if (source_->is_known_to_be_missing(path)) {
    if (auto substitute = find_substitute(path)) return Reply(respond_to(request, std::move(*substitute)));
  }
  return serve_loaded(request, path);
}

Reply FileService::serve_loaded(Request& request, std::string_view path) {
  if (source_->blocks()) return Reply(serve_later(request, path));
  return Reply(respond_to(request, load(path)));
}

Task<Response> FileService::serve_later(Request& request, std::string_view path) {
  const auto call = [this, path] { return load(path); };
  Loaded loaded = co_await offload(call);
  co_return respond_to(request, std::move(loaded));
}

Response FileService::respond_to(Request& request, Loaded loaded) {
  if (loaded.resource == nullptr) return request.exchange().refuse(problem_of(loaded.error));
  if (loaded.status != Status::Ok) return respond_with(loaded.status, std::move(loaded.resource), request);
  return answer(std::move(loaded.resource), request);
}

// On the pool, if the source blocks.
FileService::Loaded FileService::load(std::string_view path) {
  if (path == no_path) return load_substitute(path, ENOENT);
  auto resource = source_->load(std::string(path));
  if (resource) return {.resource = std::move(*resource)};
  if (!is_missing(resource.error())) return {.error = resource.error()};
  return load_substitute(path, resource.error());
}

bool FileService::falls_back(std::string_view path) const noexcept {
  return !fallback_.empty() && path != no_path && !last_segment(path).contains('.');
}

// What is sent for a missing path.
FileService::Loaded FileService::load_substitute(std::string_view path, int error) {
  if (falls_back(path)) {
    if (auto fallback = source_->load(fallback_)) return {.resource = std::move(*fallback)};
  }
  if (!not_found_.empty()) {
    auto page = source_->load(not_found_);
    if (page && !(*page)->variants.empty()) return {.status = Status::NotFound, .resource = std::move(*page)};
  }
  return {.error = error};
}

// The same without blocking. Unset if the source has to look.
std::optional<FileService::Loaded> FileService::find_substitute(std::string_view path) {
  if (falls_back(path)) {
    SharedResource fallback = source_->find(fallback_);
    if (fallback == nullptr) return std::nullopt;
    return Loaded{.resource = std::move(fallback)};
  }
  if (not_found_.empty()) return Loaded{.error = ENOENT};
  SharedResource page = source_->find(not_found_);
  if (page == nullptr || page->variants.empty()) return std::nullopt;
  return Loaded{.status = Status::NotFound, .resource = std::move(page)};
}

}  // namespace tern::web
