// Work that many threads give to one, which does it in the order in which it was given; without a lock.
//
// A stack (Treiber's) of what was given since the taker last looked. The taker takes all of it at once and turns it
// round. Since items are never removed individually, it does not matter that the address of one may come back: the item
// that is put on top points to what is there at that moment, whatever was there before.
#pragma once

#include <tern/base/block_pool.hpp>
#include <tern/base/function.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace tern::net {

class Inbox {
public:
  Inbox() = default;
  ~Inbox();  // no thread posts any more; destroys remaining work
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

private:
  struct Item;

public:
  // Work that is given again and again, without memory for each time. Outlives the inbox's use of it.
  class Standing;

  enum class Given : std::uint8_t { Refused, First, Behind };

  // From any thread. Refused: it is closed, and `work` is what it was. First: there was nothing before it, so that the
  // taker may have to be woken; later producers can rely on that.
  Given give(base::Function<void()>& work);
  // The same; not while it has been given and has not begun. Needs no memory.
  Given give(Standing& work) noexcept;
  // From any thread: what was given before is still done, nothing more is taken. False when it is closed already.
  bool close() noexcept { return (newest_.fetch_or(closed) & closed) == 0; }
  // Whether it is empty and not closed, so that run() is not needed.
  bool quiet(std::memory_order order = std::memory_order_seq_cst) const noexcept { return newest_.load(order) == 0; }

  // The taker's thread:
  // Does what was given so far, and destroys each before the next. False when it was closed by then.
  bool run();
  // How much was given and has not begun, up to `max`. Walks it, so that giving costs nothing for this. Also in a
  // handler of a signal that interrupts run().
  std::size_t count(std::size_t max) const noexcept;
  // Destroys what was given so far.
  void clear();
  void open() noexcept { newest_.fetch_and(~closed, std::memory_order_relaxed); }

private:
  struct Item {
    static void* operator new(std::size_t size) { return base::allocate_block(size); }
    static void operator delete(void* item, std::size_t size) noexcept { base::free_block(item, size); }
    // One that was given once is destroyed.
    void done() noexcept {
      if (!standing) delete this;
    }
    base::Function<void()> work;
    Item* next = nullptr;
    bool standing = false;
  };
  static constexpr std::uintptr_t closed = 1;  // in newest_, beside the address

  static Item* item(std::uintptr_t newest) noexcept { return reinterpret_cast<Item*>(newest & ~closed); }
  // False when it is closed.
  bool push(Item& item, std::uintptr_t& newest) noexcept;
  // Takes all, the oldest first.
  Item* take(bool& was_closed) noexcept;

  std::atomic<std::uintptr_t> newest_ = 0;
  // The taker's: what run() has taken and not begun. Changed by whole items, which count() may be between.
  std::atomic<Item*> taken_ = nullptr;
};

class Inbox::Standing {
public:
  explicit Standing(base::Function<void()> work) : item_{.work = std::move(work), .standing = true} {}

private:
  friend class Inbox;
  Item item_;
};

}  // namespace tern::net
