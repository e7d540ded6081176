// Numbers that many threads add to: each loop has a copy of its own, all other threads share one, and readers sum them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace tern::observe {

class Cells {
public:
  using Cell = std::atomic<std::uint64_t>;
  static constexpr std::size_t chunk_size = 512;

  Cells();
  ~Cells();
  Cells(const Cells&) = delete;
  Cells& operator=(const Cells&) = delete;

  // The first of `count` neighbours, at most chunk_size, which begin at 0. Throws std::length_error when there are no
  // more.
  std::uint32_t allocate(std::size_t count);
  // Before the loops run: each has cells of its own from now on.
  void prepare(std::size_t loops);

  // The cell of the calling thread. Other threads may write it, too, but rarely do.
  Cell& own(std::uint32_t index) noexcept;
  // The one that all threads share.
  Cell& shared(std::uint32_t index) noexcept { return at(*shards_[0].load(std::memory_order_acquire), index); }
  std::uint64_t sum(std::uint32_t index) const noexcept;
  // Of cells that are doubles.
  double sum_of_doubles(std::uint32_t index) const noexcept;

  static void add_double(Cell& cell, double value) noexcept;

private:
  static constexpr std::size_t max_shards = 129;  // more loops share
  static constexpr std::size_t max_chunks = 512;
  struct Chunk {
    std::array<Cell, chunk_size> cells{};
  };
  struct Shard {
    std::array<std::atomic<Chunk*>, max_chunks> chunks{};
  };

  static Cell& at(const Shard& shard, std::uint32_t index) noexcept {
    return shard.chunks[index / chunk_size].load(std::memory_order_acquire)->cells[index % chunk_size];
  }
  void add_shard(std::size_t number);
  void add_chunk(Shard& shard, std::size_t number);
  template <class F>
  void for_each(std::uint32_t index, F&& f) const noexcept;

  std::array<std::atomic<Shard*>, max_shards> shards_{};
  std::mutex mutex_;  // for the rest
  std::vector<std::unique_ptr<Shard>> all_shards_;
  std::vector<std::unique_ptr<Chunk>> all_chunks_;
  std::size_t chunks_ = 0;
  std::size_t used_ = chunk_size;  // of the last chunk
};

}  // namespace tern::observe
