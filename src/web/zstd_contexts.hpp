// Contexts of zstd for reuse: a new one costs as much as the compression of 4 KiB. (One of zlib does not.)
#pragma once

#include <zstd.h>

#include <array>
#include <cstddef>
#include <mutex>

namespace tern::web {

// May be used by several threads.
class ZstdContexts {
public:
  ZstdContexts() = default;
  ~ZstdContexts();
  ZstdContexts(const ZstdContexts&) = delete;
  ZstdContexts& operator=(const ZstdContexts&) = delete;

  // One with default parameters. Throws std::bad_alloc.
  ZSTD_CCtx* take();
  // Keeps it, unless it is large or there are enough.
  void give(ZSTD_CCtx* context) noexcept;

private:
  static constexpr std::size_t max_bytes = std::size_t{1024} * 1024;

  std::mutex mutex_;  // guards the members below
  std::array<ZSTD_CCtx*, 8> kept_{};
  std::size_t count_ = 0;
};

}  // namespace tern::web
