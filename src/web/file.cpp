#include <tern/web/file.hpp>

#include "web/content_disposition.hpp"
#include "web/file_service.hpp"
#include "web/media_type.hpp"

#include <tern/coro/offload.hpp>
#include <tern/http/exchange.hpp>

#include <cerrno>
#include <memory>
#include <system_error>

namespace tern {
namespace {

constexpr std::size_t max_in_memory = 64 * 1024;

web::OpenResult open_beneath(const std::string& folder, const std::string& path) {
  if (!web::is_visible_path(path)) return std::unexpected(ENOENT);
  try {
    return web::Folder(folder).open(path);
  } catch (const std::system_error& error) {
    return std::unexpected(error.code().value());
  }
}

}  // namespace

struct Respond<File>::Opened {
  web::SharedResource resource = {};
  int error = 0;  // where there is no resource
};

// On the pool.
Respond<File>::Opened Respond<File>::open(const File& file) {
  auto opened = file.is_beneath_ ? open_beneath(file.folder_, file.path_) : web::open_file(file.path_);
  if (!opened) return {.error = opened.error()};
  if (opened->is_folder) return {.error = EISDIR};
  auto resource = std::make_shared<web::Resource>();
  web::describe(*resource, file.type_.empty() ? web::media_type_of(file.path_) : file.type_, opened->status);
  resource->cache_control = file.cache_control_;
  if (file.downloads_) resource->content_disposition = web::attachment(file.name_.empty() ? file.path_ : file.name_);
  resource->variants.push_back(web::make_variant(std::move(*opened), web::ContentCoding::Identity, max_in_memory));
  return {.resource = std::move(resource)};
}

Task<Response> Respond<File>::to(File file, Request& request) {
  const auto call = [&file] { return open(file); };
  Opened opened = co_await offload(call);
  if (opened.resource == nullptr) co_return request.exchange().refuse(web::problem_of(opened.error));
  co_return web::respond(std::move(opened.resource), request);
}

}  // namespace tern
