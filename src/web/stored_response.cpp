#include "web/stored_response.hpp"

#include "web/conditional.hpp"
#include "web/field_list.hpp"
#include "web/http_date.hpp"
#include "web/preconditions.hpp"

#include <tern/http/exchange.hpp>

#include <ctime>
#include <utility>

namespace tern::web {
namespace {

void add_age(Response& response, std::uint64_t milliseconds) {
  std::string seconds;
  base::append_integer(seconds, milliseconds / 1000);
  response.set("age", seconds);
}

}  // namespace

std::shared_ptr<StoredResponse> make_stored(const Response& response, const Request& request) {
  auto stored = std::make_shared<StoredResponse>();
  stored->status = response.status();
  stored->fields = response.fields();
  stored->fields.remove("age");
  const std::string_view type = response.literal_type();
  if (!type.empty()) stored->fields.set("content-type", type);
  for (const Field& field : stored->fields) {
    if (belongs_to_not_modified(field.name)) stored->not_modified.add(field.name, field.value);
  }
  stored->content = response.content();
  stored->etag = response.fields().find("etag").value_or("");
  if (const auto modified = response.fields().find("last-modified")) {
    stored->modified = parse_http_date(*modified, std::time(nullptr));
  }
  stored->path = request.path();
  for_each_element(response, "cache-tag", [&stored](std::string_view tag) {
    if (!tag.empty()) stored->tags.emplace_back(tag);
  });
  return stored;
}

std::size_t size_of(const StoredResponse& stored) noexcept {
  std::size_t bytes = stored.fields.text().size() + stored.not_modified.text().size() + stored.content.size() +
                      stored.etag.size() + stored.path.size();
  for (const std::string& tag : stored.tags) bytes += sizeof(tag) + tag.size();
  return bytes;
}

Response serve_stored(SharedResponse stored, Request& request, std::uint64_t now) {
  const StoredResponse& kept = *request.arena().make<SharedResponse>(std::move(stored));
  const std::uint64_t age = kept.first_age + (now > kept.stored_at ? now - kept.stored_at : 0);  // clocks of two loops
  if (kept.status == Status::Ok) {
    switch (check_preconditions(request, {kept.etag, kept.modified}, std::time(nullptr))) {
      case Precondition::Holds: break;
      case Precondition::NotModified: {
        Response response(Status::NotModified);
        response.set_fields(kept.not_modified);
        add_age(response, age);
        return response;
      }
      case Precondition::Failed:
        return request.exchange().refuse(Problem{Status::PreconditionFailed, "the content is another version"});
    }
  }
  Response response = Response::borrowed({}, kept.content);
  response.set_fields(kept.fields);
  add_age(response, age);
  return std::move(response).status(kept.status);
}

}  // namespace tern::web
