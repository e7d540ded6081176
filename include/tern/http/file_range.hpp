// FileRange: a part of an open file, as the content of a response.
#pragma once

#include <tern/base/shared_file.hpp>
#include <tern/coro/task.hpp>

#include <cstdint>

namespace tern {

class Writer;

namespace http {

using base::SharedFile;

struct FileRange {
  SharedFile file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

// Writes a part of a regular file. The kernel sends it from its page cache, or the connection reads it when it encrypts
// or frames it; content that is encoded is read in chunks. Content that is not in the page cache is read on the pool.
// Throws std::runtime_error if the file has become too short, std::system_error if it cannot be read, and Cancelled as
// Writer::write(). `range` must live until the await ends.
Task<> write_file(Writer& writer, const FileRange& range);

}  // namespace http
}  // namespace tern
