// The files behind one URL: what a response to it is made of.
#pragma once

#include "web/folder.hpp"

#include <tern/http/request.hpp>
#include <tern/http/response.hpp>
#include <tern/web/content_coding.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tern::web {

// A file, or a sibling that holds it in another coding.
struct Variant {
  ContentCoding coding = ContentCoding::Identity;
  std::uint64_t size = 0;
  std::string etag = {};  // with its quotes; empty: none
  FileStatus status = {};
  http::SharedFile file = {};  // none if the content is in memory
  std::string content = {};
  std::string_view static_content = {};  // in place of both: bytes of the program
  bool may_change_unseen = false;  // the content was read so soon after a change that another would have the same time
  // Of a 200 and of a 304, rendered by render_fields(); empty: each response renders its own.
  Fields fields = {};
  Fields not_modified = {};
};

// Immutable once it is shared between loops.
struct Resource {
  std::vector<Variant> variants;  // first the Identity, then its siblings, the smallest first; empty: a folder
  std::string content_type = {};
  std::string cache_control = {};             // empty: no field
  std::string content_disposition = {};       // empty: no field
  std::string security_policy = {};           // Content-Security-Policy; empty: no field
  std::string last_modified = {};             // empty: no field
  std::optional<std::int64_t> modified = {};  // in seconds since 1970
  bool varies = false;                        // by Accept-Encoding
  std::string file_path = {};                 // below the folder, for a file of a folder
  bool is_compressible = false;
};

using SharedResource = std::shared_ptr<const Resource>;

// The strong validator of a version of a file; it differs between codings.
std::string etag_of(const FileStatus& status, ContentCoding coding);
// Sets the type, and the time of modification of `file`. An unknown one (0 or 1, as in reproducible images) is not
// sent, nor one in the future (RFC 9110, section 8.8.2.1).
void describe(Resource& resource, std::string_view content_type, const FileStatus& file);
// A variant whose content stays in the file, or is read into memory if it has at most `max_in_memory` bytes.
Variant make_variant(OpenFile opened, ContentCoding coding, std::size_t max_in_memory);

// Renders the fields of all responses once: for a complete resource that is used more than once.
void render_fields(Resource& resource);

// The response to a GET or HEAD: 200, 206, 304, 412 or 416. Content in memory is borrowed: the request keeps the
// resource.
Response respond(SharedResource resource, Request& request);
// The content with another status, whatever the request's conditions and ranges.
Response respond_with(Status status, SharedResource resource, Request& request);

}  // namespace tern::web
