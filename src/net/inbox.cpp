#include "net/inbox.hpp"

#include <memory>
#include <utility>

namespace tern::net {

Inbox::~Inbox() {
  clear();
}

// The exchange releases the item to the taker. It is sequentially consistent because a loop that goes to sleep says so
// first and looks here then, and who gives does it the other way round: one of them sees the other (Loop::wake).
Inbox::Given Inbox::give(base::Function<void()>& work) {
  std::uintptr_t newest = newest_.load(std::memory_order_relaxed);
  if ((newest & closed) != 0) return Given::Refused;
  auto made = std::make_unique<Item>(std::move(work));
  if (!push(*made, newest)) {
    work = std::move(made->work);
    return Given::Refused;
  }
  static_cast<void>(made.release());
  return newest == 0 ? Given::First : Given::Behind;
}

Inbox::Given Inbox::give(Standing& work) noexcept {
  std::uintptr_t newest = newest_.load(std::memory_order_relaxed);
  if (!push(work.item_, newest)) return Given::Refused;
  return newest == 0 ? Given::First : Given::Behind;
}

bool Inbox::push(Item& item, std::uintptr_t& newest) noexcept {
  do {
    if ((newest & closed) != 0) return false;
    item.next = Inbox::item(newest);
  } while (!newest_.compare_exchange_weak(newest, reinterpret_cast<std::uintptr_t>(&item), std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  return true;
}

// Acquires the newest item, and with it those below: each was put there by a read-modify-write, which goes on with the
// release of the one before.
Inbox::Item* Inbox::take(bool& was_closed) noexcept {
  const std::uintptr_t newest = newest_.fetch_and(closed, std::memory_order_acquire);
  was_closed = (newest & closed) != 0;
  Item* oldest = nullptr;
  for (Item* each = item(newest); each != nullptr;) {
    Item* before = std::exchange(each->next, oldest);
    oldest = each;
    each = before;
  }
  return oldest;
}

// Standing work may be given again as soon as it has begun: what is behind it is known by then.
bool Inbox::run() {
  bool was_closed = false;
  for (Item* next = take(was_closed); next != nullptr;) {
    Item* const one = std::exchange(next, next->next);
    taken_.store(next, std::memory_order_relaxed);
    one->work();
    one->done();
  }
  return !was_closed;
}

// Items that were given stay as they are until the taker takes them, and it is here now.
std::size_t Inbox::count(std::size_t max) const noexcept {
  std::size_t found = 0;
  for (const Item* each : {taken_.load(std::memory_order_relaxed), item(newest_.load(std::memory_order_acquire))}) {
    for (; each != nullptr && found < max; each = each->next) ++found;
  }
  return found;
}

void Inbox::clear() {
  bool was_closed = false;
  for (Item* next = take(was_closed); next != nullptr;) {
    std::exchange(next, next->next)->done();
  }
}

}  // namespace tern::net
