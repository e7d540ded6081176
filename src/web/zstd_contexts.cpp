#include "web/zstd_contexts.hpp"

#include <new>

namespace tern::web {

ZstdContexts::~ZstdContexts() {
  while (count_ != 0) ZSTD_freeCCtx(kept_[--count_]);
}

ZSTD_CCtx* ZstdContexts::take() {
  {
    const std::lock_guard lock(mutex_);
    if (count_ != 0) return kept_[--count_];
  }
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  if (context == nullptr) throw std::bad_alloc();
  return context;
}

void ZstdContexts::give(ZSTD_CCtx* context) noexcept {
  if (ZSTD_sizeof_CCtx(context) <= max_bytes) {
    ZSTD_CCtx_reset(context, ZSTD_reset_session_and_parameters);
    const std::lock_guard lock(mutex_);
    if (count_ < kept_.size()) {
      kept_[count_++] = context;
      return;
    }
  }
  ZSTD_freeCCtx(context);
}

}  // namespace tern::web
