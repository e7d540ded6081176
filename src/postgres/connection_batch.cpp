// The part of Connection for batches: statements with one Sync (docs/adr/0083-statement-batches.md).
#include "postgres/connection.hpp"
#include "postgres/statement.hpp"

#include <utility>

namespace tern::postgres {

// Its statements are prepared at the same time. It waits for one after the other, and is sent when all are ready.
void Connection::start_batch(StatementWait& wait) {
  try {
    wait.pinned_.reserve(wait.steps_.size());
    for (std::size_t i = wait.pinned_.size(); i < wait.steps_.size(); ++i) {
      Prepared& prepared = prepared_of(wait.steps_[i]->call);
      ++prepared.in_use;  // so that it is not dropped for those behind it
      wait.pinned_.push_back(&prepared);
    }
    for (Prepared* const each : wait.pinned_) {
      if (each->ready) continue;
      each->waiting.push(wait);
      ++waiting_;
      return;
    }
    send_batch(wait);
  } catch (...) {
    unpin(wait);
    throw;
  }
}

void Connection::unpin(StatementWait& wait) noexcept {
  for (Prepared* const each : std::exchange(wait.pinned_, {})) release(*each);
}

void Connection::release(Prepared& prepared) noexcept {
  --prepared.in_use;
  statements_.release(prepared);
}

// With one Sync: to the database, one transaction.
void Connection::send_batch(StatementWait& wait) {
  std::string& out = session_.output();
  const std::size_t before = out.size();
  try {
    for (std::size_t i = 0; i < wait.steps_.size(); ++i) add_execute(*wait.pinned_[i], wait.steps_[i]->call, nullptr);
  } catch (...) {
    out.resize(before);
    throw;
  }
  {
    const Message sync(out, 'S');
  }
  Slot& slot = push(Slot::Kind::Statement, &wait, nullptr);
  slot.batch = std::exchange(wait.pinned_, {});
  slot.prepared = slot.batch.front();
  wait.slot_ = &slot;
}

}  // namespace tern::postgres
