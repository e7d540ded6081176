#include "observe/cells.hpp"

#include <tern/coro/executor.hpp>

#include <bit>
#include <stdexcept>
#include <utility>

namespace tern::observe {

Cells::Cells() {
  add_shard(0);
}

Cells::~Cells() = default;

void Cells::add_chunk(Shard& shard, std::size_t number) {
  shard.chunks[number].store(all_chunks_.emplace_back(std::make_unique<Chunk>()).get(), std::memory_order_release);
}

// It is visible when it is complete.
void Cells::add_shard(std::size_t number) {
  Shard& shard = *all_shards_.emplace_back(std::make_unique<Shard>());
  for (std::size_t i = 0; i < chunks_; ++i) add_chunk(shard, i);
  shards_[number].store(&shard, std::memory_order_release);
}

std::uint32_t Cells::allocate(std::size_t count) {
  const std::lock_guard lock(mutex_);
  if (used_ + count > chunk_size) {
    if (chunks_ == max_chunks) throw std::length_error("there are too many metrics");
    for (const auto& shard : all_shards_) add_chunk(*shard, chunks_);
    ++chunks_;
    used_ = 0;
  }
  const std::size_t first = (chunks_ - 1) * chunk_size + used_;
  used_ += count;
  return static_cast<std::uint32_t>(first);
}

void Cells::prepare(std::size_t loops) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = all_shards_.size(); i <= loops && i < max_shards; ++i) add_shard(i);
}

Cells::Cell& Cells::own(std::uint32_t index) noexcept {
  const Executor* executor = Executor::current();
  const std::size_t number = executor == nullptr ? 0 : 1 + executor->index() % (max_shards - 1);
  const Shard* shard = shards_[number].load(std::memory_order_acquire);
  return at(shard != nullptr ? *shard : *shards_[0].load(std::memory_order_acquire), index);
}

template <class F>
void Cells::for_each(std::uint32_t index, F&& f) const noexcept {
  for (const auto& slot : shards_) {
    const Shard* shard = slot.load(std::memory_order_acquire);
    if (shard == nullptr) return;
    f(at(*shard, index).load(std::memory_order_relaxed));
  }
}

std::uint64_t Cells::sum(std::uint32_t index) const noexcept {
  std::uint64_t total = 0;
  for_each(index, [&](std::uint64_t value) { total += value; });
  return total;
}

double Cells::sum_of_doubles(std::uint32_t index) const noexcept {
  double total = 0;
  for_each(index, [&](std::uint64_t value) { total += std::bit_cast<double>(value); });
  return total;
}

void Cells::add_double(Cell& cell, double value) noexcept {
  std::uint64_t before = cell.load(std::memory_order_relaxed);
  while (!cell.compare_exchange_weak(before, std::bit_cast<std::uint64_t>(std::bit_cast<double>(before) + value),
                                     std::memory_order_relaxed)) {
  }
}

}  // namespace tern::observe
