#include <tern/http/file_range.hpp>

#include <tern/coro/offload.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/response.hpp>
#include <tern/http/writer.hpp>

#include <sys/uio.h>
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tern::http {
namespace {

constexpr std::size_t chunk_size = 64 * 1024;
constexpr std::uint64_t read_ahead_size = 128 * 1024;
constexpr std::uint64_t window_size = 512 * 1024;  // that the connection gets at once
constexpr Milliseconds retry_delay = Milliseconds(10);

// The number of bytes, or minus errno.
ssize_t read_at(int descriptor, std::string& into, std::uint64_t offset, int flags) noexcept {
  iovec piece{.iov_base = into.data(), .iov_len = into.size()};
  for (;;) {
    const ssize_t size = ::preadv2(descriptor, &piece, 1, static_cast<off_t>(offset), flags);
    if (size >= 0 || errno != EINTR) return size >= 0 ? size : -errno;
  }
}

// A full pool is temporary: nothing then.
Task<std::optional<ssize_t>> try_read_on_pool(int descriptor, std::string& into, std::uint64_t offset) {
  const auto read = [&] { return read_at(descriptor, into, offset, 0); };
  try {
    co_return co_await offload(read);
  } catch (const Overloaded&) {
    co_return std::nullopt;
  }
}

// On the loop if the kernel has the content in memory. Some file systems cannot tell (EOPNOTSUPP).
Task<ssize_t> read_chunk(int descriptor, std::string& into, std::uint64_t offset) {
  const ssize_t size = read_at(descriptor, into, offset, RWF_NOWAIT);
  if (size >= 0 || (size != -EAGAIN && size != -EOPNOTSUPP)) co_return size;
  for (;;) {
    const std::optional<ssize_t> read = co_await try_read_on_pool(descriptor, into, offset);
    if (read) co_return *read;
    co_await sleep_for(retry_delay);
  }
}

[[noreturn]] void fail(ssize_t result) {
  if (result == 0) throw std::runtime_error("a file has become shorter");
  throw std::system_error(static_cast<int>(-result), std::system_category(), "a file cannot be read");
}

// Whether the kernel has the content in memory, judged by one byte of each 128 KiB, which is what the kernel reads
// ahead.
bool is_loaded(const FileRange& range, std::string& byte) {
  byte.resize(1);
  for (std::uint64_t at = 0; at < range.length; at += read_ahead_size) {
    const std::uint64_t last = std::min<std::uint64_t>(at + read_ahead_size, range.length) - 1;
    const ssize_t size = read_at(range.file.descriptor(), byte, range.offset + last, RWF_NOWAIT);
    if (size == -EAGAIN || size == -EOPNOTSUPP) return false;
    if (size <= 0) fail(size);
  }
  return true;
}

// Has the kernel read a part of a file into its page cache, on the pool. Fails if the file is shorter.
Task<> load(const FileRange& range) {
  std::string chunk;
  if (is_loaded(range, chunk)) co_return;
  for (std::uint64_t at = 0; at != range.length;) {
    chunk.resize(static_cast<std::size_t>(std::min<std::uint64_t>(chunk_size, range.length - at)));
    const ssize_t size = co_await read_chunk(range.file.descriptor(), chunk, range.offset + at);
    if (size <= 0) fail(size);
    at += static_cast<std::uint64_t>(size);
  }
}

class FileProducer final : public Producer {
public:
  explicit FileProducer(FileRange range) noexcept : range_(std::move(range)) {}
  Task<> run(Writer& writer) override { return write_file(writer, range_); }
  std::optional<std::uint64_t> length() const noexcept override { return range_.length; }

private:
  FileRange range_;
};

}  // namespace

Task<> write_file(Writer& writer, const FileRange& range) {
  if (writer.encoder_ == nullptr && writer.takes_files()) {
    for (std::uint64_t at = 0; at != range.length;) {
      const FileRange window{range.file, range.offset + at, std::min(window_size, range.length - at)};
      co_await load(window);
      at += window.length;
      if (!writer.gone()) writer.take_file(window);
      co_await writer.write({});
    }
    co_return;
  }
  std::string chunk;
  for (std::uint64_t at = 0; at != range.length;) {
    chunk.resize(static_cast<std::size_t>(std::min<std::uint64_t>(chunk_size, range.length - at)));
    const ssize_t size = co_await read_chunk(range.file.descriptor(), chunk, range.offset + at);
    if (size <= 0) fail(size);
    at += static_cast<std::uint64_t>(size);
    co_await writer.write({chunk.data(), static_cast<std::size_t>(size)});
  }
}

}  // namespace tern::http

namespace tern {

Response Response::file(std::string_view content_type, http::FileRange range) {
  return produced(content_type, base::Box<http::Producer>(new http::FileProducer(std::move(range))));
}

}  // namespace tern
