// io_uring: one call submits what is asked for, waits, and brings what has happened. Connections receive by a request
// at a time into buffers that the ring shares; everything else (the loop's eventfd, listening sockets, room for output)
// is told by polls. Output is sent by plain calls, as with epoll.
//
// The life of a slot. Each watched descriptor has one; the number of the slot and the kind of the request are what a
// completion is known by. settle() compares what the owner wants with what is under way, and submits the difference.
// A slot whose owner has gone cancels what is under way, and is free when the last completion has come: the descriptor
// may be closed and the owner deleted long before. The socket itself is closed by the kernel when its last request has
// ended, which cancelling does in the next call; nothing is under way between two runs of a loop, since a ring belongs
// to the thread that runs it.
#include "net/uring.hpp"

#include "net/backend.hpp"
#include "net/receive_buffers.hpp"

#include <liburing.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace tern::net {
namespace {

constexpr unsigned submissions = 256;
constexpr unsigned completions = 4096;          // more than that wait in the kernel
constexpr int retry_pause = 100;                // milliseconds
constexpr unsigned buffer_has_more = 1U << 4U;  // IORING_CQE_F_BUF_MORE, which liburing 2.3 lacks

constexpr __kernel_timespec timespec_of(int milliseconds) noexcept {
  return {.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1'000'000LL};
}

void check(int result, const char* what) {
  if (result < 0) throw std::system_error(-result, std::system_category(), what);
}

// A ring that only the thread which enables it may use, and that works only when that thread waits for it.
class Ring {
public:
  Ring() {
    io_uring_params parameters{};
    parameters.flags = IORING_SETUP_R_DISABLED | IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN |
                       IORING_SETUP_COOP_TASKRUN | IORING_SETUP_SUBMIT_ALL | IORING_SETUP_CQSIZE;
    parameters.cq_entries = completions;
    check(io_uring_queue_init_params(submissions, &ring_, &parameters), "io_uring_setup");
  }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { io_uring_queue_exit(&ring_); }

  // The calling thread is the ring's from here on. (liburing 2.3 declares a function for it, and does not have it.)
  void enable() {
    if (::syscall(SYS_io_uring_register, ring_.ring_fd, IORING_REGISTER_ENABLE_RINGS, nullptr, 0) != 0) {
      check(-errno, "io_uring_register");
    }
    io_uring_register_ring_fd(&ring_);  // makes each call a little cheaper; does not matter where it fails
  }

  io_uring* get() noexcept { return &ring_; }

private:
  io_uring ring_{};
};

// What a run needs of the kernel. The buffers go last: the kernel may write to them until the ring is closed.
struct Run {
  Run() : ring(std::make_unique<Ring>()), buffers(*ring->get()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { ring.reset(); }

  std::unique_ptr<Ring> ring;
  ReceiveBuffers buffers;
};

enum class Kind : std::uint8_t { Poll, Receive, CancelPoll, CancelReceive };

std::uint64_t tag(std::uint32_t slot, Kind kind) noexcept {
  return std::uint64_t{slot} << 2U | static_cast<std::uint64_t>(kind);
}
std::uint32_t slot_of(const io_uring_cqe& completion) noexcept {
  return static_cast<std::uint32_t>(completion.user_data >> 2U);
}
Kind kind_of(const io_uring_cqe& completion) noexcept {
  return static_cast<Kind>(completion.user_data & 3U);
}

}  // namespace

class Uring final : public Poller {
public:
  Uring() { run_.emplace(); }

  void begin() override;
  void end() override;

  int add(int descriptor, Watched& watched, std::uint32_t events) noexcept override;
  int change(int descriptor, Receiver& receiver, std::uint32_t events) noexcept override;
  void remove(int descriptor, Watched& watched) noexcept override;
  bool holds(const Receiver& receiver) const noexcept override;
  bool receives(const Receiver& receiver) const noexcept override { return slots_[receiver.slot_].receiving; }
  void again(Receiver& receiver) override { again_.push_back(receiver.slot_); }

  bool wait(int timeout) noexcept override;
  const Watched* alone() const noexcept override { return alone_; }
  void dispatch() override;

private:
  struct Slot {
    Watched* owner = nullptr;  // null: it has gone
    int descriptor = -1;
    std::uint32_t events = 0;    // that the owner wants
    std::uint32_t asked_in = 0;  // the round in which the latest request was made
    bool used = false;
    bool receives = false;  // the owner is a Receiver
    bool ended = false;     // nothing more can be received
    bool receiving = false;
    bool polling = false;
    bool cancelling_receive = false;
    bool cancelling_poll = false;

    bool wants_receive() const noexcept { return owner != nullptr && receives && !ended && (events & EPOLLIN) != 0; }
    bool wants_poll() const noexcept;
  };

  io_uring* ring() noexcept { return run_->ring->get(); }
  io_uring_sqe* submission() noexcept;
  void settle(std::uint32_t number) noexcept;
  void settle_all() noexcept;
  bool has_events() noexcept;
  bool receive(std::uint32_t number) noexcept;
  bool poll(std::uint32_t number) noexcept;
  bool cancel(std::uint32_t number, Kind kind) noexcept;
  void tell(const io_uring_cqe& completion);
  void tell_received(std::uint32_t number, const io_uring_cqe& completion);
  void tell_ready(std::uint32_t number, int result);

  std::optional<Run> run_;  // made before the first begin(), so that a refusal is known early
  bool running_ = false;
  std::uint32_t rounds_ = 0;  // calls of wait()
  bool unsettled_ = false;    // something could not be submitted
  const Watched* alone_ = nullptr;
  std::size_t under_way_ = 0;  // requests that have a last completion to come
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;   // has room for all slots
  std::vector<std::uint32_t> again_;  // slots to be told that they are writable
};

// A connection is polled for what receiving would not notice: room for output, and a reset while nothing is received.
// That poll stays: it reports changes only, which are few.
bool Uring::Slot::wants_poll() const noexcept {
  if (owner == nullptr) return false;
  return !receives || polling || (events & EPOLLOUT) != 0 || (events & EPOLLIN) == 0;
}

// --- Runs

void Uring::begin() {
  if (!run_) run_.emplace();
  run_->ring->enable();
  running_ = true;
  settle_all();
}

void Uring::end() {
  running_ = false;
  for (settle_all(); under_way_ != 0; settle_all()) {
    wait(retry_pause);
    dispatch();
  }
  again_.clear();
  run_.reset();
}

bool Uring::wait(int timeout) noexcept {
  if (std::exchange(unsettled_, false)) {
    settle_all();
    if (unsettled_) timeout = timeout < 0 ? retry_pause : std::min(timeout, retry_pause);
  }
  ++rounds_;
  // Interrupted by a signal: as if nothing had happened.
  if (timeout == 0 || !again_.empty()) {
    io_uring_submit_and_get_events(ring());
    return has_events();
  }
  __kernel_timespec most = timespec_of(timeout);
  io_uring_cqe* first = nullptr;
  io_uring_submit_and_wait_timeout(ring(), &first, 1, timeout < 0 ? nullptr : &most, nullptr);
  return has_events();
}

bool Uring::has_events() noexcept {
  const unsigned count = io_uring_cq_ready(ring());
  alone_ = nullptr;
  if (count == 1 && again_.empty()) {
    io_uring_cqe* first = nullptr;
    io_uring_peek_cqe(ring(), &first);
    alone_ = slots_[slot_of(*first)].owner;
  }
  return count != 0 || !again_.empty();
}

void Uring::dispatch() {
  for (const std::uint32_t number : std::exchange(again_, {})) {
    if (slots_[number].receives) tell_ready(number, EPOLLOUT);
  }
  for (unsigned count = io_uring_cq_ready(ring()); count != 0; --count) {
    io_uring_cqe* next = nullptr;
    io_uring_peek_cqe(ring(), &next);
    const io_uring_cqe completion = *next;
    io_uring_cqe_seen(ring(), next);
    tell(completion);
  }
}

// --- Slots

int Uring::add(int descriptor, Watched& watched, std::uint32_t events) noexcept {
  if (free_.empty()) {
    try {
      slots_.emplace_back();
      free_.reserve(slots_.capacity());
    } catch (const std::bad_alloc&) {
      return ENOMEM;
    }
    free_.push_back(static_cast<std::uint32_t>(slots_.size() - 1));
  }
  const std::uint32_t number = free_.back();
  free_.pop_back();
  watched.slot_ = number;
  slots_[number] = {
      .owner = &watched, .descriptor = descriptor, .events = events, .used = true, .receives = watched.receives_};
  settle(number);
  return 0;
}

int Uring::change(int, Receiver& receiver, std::uint32_t events) noexcept {
  slots_[receiver.slot_].events = events;
  settle(receiver.slot_);
  return 0;
}

void Uring::remove(int, Watched& watched) noexcept {
  Slot& slot = slots_[watched.slot_];
  slot.owner = nullptr;
  settle(watched.slot_);
  // What was asked for in this round names the descriptor by its number, which may be another socket's when it is read.
  if (slot.used && slot.asked_in == rounds_) io_uring_submit(ring());
}

bool Uring::holds(const Receiver& receiver) const noexcept {
  const io_uring_cq& queue = run_->ring->get()->cq;
  const unsigned count = io_uring_cq_ready(run_->ring->get());
  for (unsigned i = 0; i < count; ++i) {
    const io_uring_cqe& completion = queue.cqes[(*queue.khead + i) & queue.ring_mask];
    if (kind_of(completion) == Kind::Receive && slot_of(completion) == receiver.slot_ && completion.res > 0)
      return true;
  }
  return false;
}

// Null when the kernel has no memory to take what waits to be submitted.
io_uring_sqe* Uring::submission() noexcept {
  io_uring_sqe* entry = io_uring_get_sqe(ring());
  if (entry != nullptr) return entry;
  io_uring_submit(ring());
  return io_uring_get_sqe(ring());
}

void Uring::settle_all() noexcept {
  for (std::uint32_t i = 0; i < slots_.size(); ++i) settle(i);
}

// Has the kernel do what the owner of a slot wants, as far as it does not yet; what cannot be submitted now is, later.
void Uring::settle(std::uint32_t number) noexcept {
  Slot& slot = slots_[number];
  if (!slot.used) return;
  if (slot.owner == nullptr && !slot.receiving && !slot.polling) {
    slot.used = false;
    free_.push_back(number);
    return;
  }
  bool submitted = true;
  if (running_ && slot.wants_receive()) {
    submitted = slot.receiving || receive(number);
  } else if (slot.receiving && !slot.cancelling_receive) {
    submitted = slot.cancelling_receive = cancel(number, Kind::Receive);
  }
  if (running_ && slot.wants_poll()) {
    submitted = (slot.polling || poll(number)) && submitted;
  } else if (slot.polling && !slot.cancelling_poll) {
    slot.cancelling_poll = cancel(number, Kind::Poll);
    submitted = slot.cancelling_poll && submitted;
  }
  if (!submitted) unsettled_ = true;
}

// Not a multishot request: when bytes and a reset come at once, the kernel (6.18) wakes it once, for the bytes.
bool Uring::receive(std::uint32_t number) noexcept {
  io_uring_sqe* entry = submission();
  if (entry == nullptr) return false;
  Slot& slot = slots_[number];
  io_uring_prep_recv(entry, slot.descriptor, nullptr, 0, 0);
  entry->flags |= IOSQE_BUFFER_SELECT;
  entry->buf_group = ReceiveBuffers::group;
  entry->user_data = tag(number, Kind::Receive);
  slot.asked_in = rounds_;
  slot.receiving = true;
  ++under_way_;
  return true;
}

bool Uring::poll(std::uint32_t number) noexcept {
  io_uring_sqe* entry = submission();
  if (entry == nullptr) return false;
  Slot& slot = slots_[number];
  // The kernel reports changes to a multishot poll. A poll that is to be told as long as it lasts is made anew each
  // time: it begins with looking.
  if (slot.receives) {
    io_uring_prep_poll_multishot(entry, slot.descriptor, EPOLLOUT);
  } else if ((slot.events & EPOLLET) != 0) {
    io_uring_prep_poll_multishot(entry, slot.descriptor, slot.events & ~unsigned{EPOLLET});
  } else {
    io_uring_prep_poll_add(entry, slot.descriptor, slot.events);
  }
  entry->user_data = tag(number, Kind::Poll);
  slot.asked_in = rounds_;
  slot.polling = true;
  ++under_way_;
  return true;
}

bool Uring::cancel(std::uint32_t number, Kind kind) noexcept {
  io_uring_sqe* entry = submission();
  if (entry == nullptr) return false;
  io_uring_prep_cancel64(entry, tag(number, kind), 0);
  entry->flags |= IOSQE_CQE_SKIP_SUCCESS;
  entry->user_data = tag(number, kind == Kind::Poll ? Kind::CancelPoll : Kind::CancelReceive);
  return true;
}

// --- Completions

void Uring::tell(const io_uring_cqe& completion) {
  const std::uint32_t number = slot_of(completion);
  const Kind kind = kind_of(completion);
  // Success is not told. Otherwise the request has ended meanwhile, or it was just being worked at.
  if (kind == Kind::CancelPoll) slots_[number].cancelling_poll = false;
  if (kind == Kind::CancelReceive) slots_[number].cancelling_receive = false;
  if (kind != Kind::Poll && kind != Kind::Receive) return settle(number);
  if ((completion.flags & IORING_CQE_F_MORE) == 0) {
    Slot& slot = slots_[number];
    --under_way_;
    if (kind == Kind::Receive) {
      slot.receiving = slot.cancelling_receive = false;
    } else {
      slot.polling = slot.cancelling_poll = false;
    }
  }
  if (kind == Kind::Receive) {
    tell_received(number, completion);
  } else {
    tell_ready(number, completion.res);
  }
  settle(number);  // the slot may be another's by now, which does no harm
}

void Uring::tell_received(std::uint32_t number, const io_uring_cqe& completion) {
  if ((completion.flags & IORING_CQE_F_BUFFER) != 0) {
    const unsigned buffer = completion.flags >> IORING_CQE_BUFFER_SHIFT;
    const auto count = static_cast<std::size_t>(completion.res > 0 ? completion.res : 0);
    const ReceiveBuffers::Taken taken = run_->buffers.take(buffer, count);
    auto* owner = static_cast<Receiver*>(slots_[number].owner);
    if (owner != nullptr && count != 0) {
      running_ ? owner->on_received(taken.bytes, taken.room) : owner->keep(taken.bytes);
    }
    run_->buffers.give_back(buffer, (completion.flags & buffer_has_more) != 0);
  }
  if (completion.res > 0) return;
  // Cancelled, interrupted, or no buffer was free: again, where it is still wanted.
  if (completion.res == -ECANCELED || completion.res == -EINTR || completion.res == -ENOBUFS) return;
  if (completion.res == 0 && !running_) return;  // it will be received again
  Slot& slot = slots_[number];
  slot.ended = true;
  if (slot.owner != nullptr) static_cast<Receiver*>(slot.owner)->on_receive_end(-completion.res);
}

void Uring::tell_ready(std::uint32_t number, int result) {
  Slot& slot = slots_[number];
  if (slot.owner == nullptr || !running_ || result == -ECANCELED) return;
  auto events = static_cast<std::uint32_t>(result < 0 ? static_cast<int>(EPOLLERR) : result);
  if (slot.receives) events &= EPOLLERR | EPOLLOUT;  // that the peer has ended is for the receive request to tell
  if (events != 0) slot.owner->on_ready(events);
}

// --- The door

std::unique_ptr<Poller> make_uring() {
  return std::make_unique<Uring>();
}

std::string why_no_io_uring() {
  try {
    Uring trial;
    trial.begin();
    trial.wait(0);
    trial.end();
    return {};
  } catch (const std::system_error& error) {
    std::string reason = error.what();
    switch (error.code().value()) {
      case EPERM:
      case EACCES: return reason + " (by kernel.io_uring_disabled, or a container's seccomp profile)";
      case ENOSYS: return reason + " (the kernel was built without it)";
      case EINVAL: return reason + " (the kernel is older than 6.12)";
      default: return reason;
    }
  }
}

}  // namespace tern::net
