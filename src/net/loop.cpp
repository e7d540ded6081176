#include "net/loop.hpp"

#include "net/listener.hpp"
#include "net/sigpipe_blocked.hpp"
#include "net/watch.hpp"

#include <tern/base/block_pool.hpp>
#include <tern/base/expects.hpp>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

namespace tern::net {
namespace {

constexpr std::uint64_t millisecond = 1'000'000;  // nanoseconds

std::uint64_t read_nanoseconds() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t read_clock() noexcept {
  return read_nanoseconds() / millisecond;
}

std::int64_t read_second() noexcept {
  timespec time{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &time);
  return time.tv_sec;
}

}  // namespace

IterationEnd::~IterationEnd() {
  if (previous_ == nullptr) return;
  *previous_ = following_;
  if (following_ != nullptr) following_->previous_ = previous_;
}

void Loop::StreamList::push(Stream& stream) noexcept {
  stream.next_ = nullptr;
  (last == nullptr ? first : last->next_) = &stream;
  last = &stream;
}

Stream* Loop::StreamList::pop() noexcept {
  Stream* stream = first;
  if (stream == nullptr) return nullptr;
  first = std::exchange(stream->next_, nullptr);
  if (first == nullptr) last = nullptr;
  return stream;
}

Loop::Loop()
    : wake_(*this),
      now_(read_clock()),
      wheel_(now_),
      buffer_(std::make_unique_for_overwrite<char[]>(2 * receive_size + RestBuffer::padding)),
      turns_([this] {
        turns_posted_.store(false);
        run_turns();
      }) {
  wake_.event = Descriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake_.event) throw std::system_error(errno, std::system_category(), "eventfd");
  // Edge-triggered, so that it need not be read: each write wakes once.
  const int error = epoll_.add(wake_.event.number(), wake_, EPOLLIN | EPOLLET);
  if (error != 0) throw std::system_error(error, std::system_category(), "watching an eventfd");
}

Loop::~Loop() {
  end_attachments();
  inbox_.close();
  inbox_.clear();  // may close streams
  finish_all_closed();
  callers_.close();
  base::expects(streams_ == 0, "streams are closed before their loop is destroyed");
}

void Loop::run() {
  const SigpipeBlocked sigpipe;
  const base::BlockPoolScope blocks;
  Executor* before = make_current(this);
  if (std::exchange(stopped_, false)) inbox_.open();
  resume_turns();
  second_ = 0;
  read_clocks();
  began_ = woke_ - counters_.busy.value();
  while (iterate()) {
  }
  finish_all_closed();
  stopped_ = true;  // the inbox is closed until the next run
  make_current(before);
}

void Loop::stop() {
  const base::Gate::Pass inside(callers_);
  if (inbox_.close()) wake();
}

void Loop::post(base::Function<void()> work) {
  // The loop may be destroyed as soon as the work has run: its destructor waits until this has left. Refused work is
  // destroyed with `work`, behind that.
  const base::Gate::Pass inside(callers_);
  if (inbox_.give(work) == Inbox::Given::First) wake();
}

// Needs no memory: a coroutine that is to be resumed could not be told of a failure. Called under the lock of the
// turns.
void Loop::post_turns() {
  const base::Gate::Pass inside(callers_);
  if (turns_posted_.exchange(true)) return;
  const Inbox::Given given = inbox_.give(turns_);
  if (given == Inbox::Given::Refused) turns_posted_.store(false);
  if (given == Inbox::Given::First) wake();
}

base::Box<Watch> Loop::watch(int descriptor, Watch::Handler& handler) {
  return base::Box<Watch>(new DescriptorWatch(epoll_, counters_.watches, descriptor, handler));
}

// Both sides write first and read what the other has written then, sequentially consistent: the poster puts something
// into the inbox and looks whether the loop sleeps, the loop says that it does and looks into the inbox. So one of them
// sees the other.
void Loop::wake() noexcept {
  if (!sleeping_.exchange(false)) return;
  const std::uint64_t one = 1;
  // Cannot fail in a way that matters: a full counter has woken the loop already.
  [[maybe_unused]] const ssize_t written = ::write(wake_.event.number(), &one, sizeof one);
}

void Loop::set_busy_poll(unsigned microseconds) noexcept {
  busy_poll_ = std::min<std::uint64_t>(microseconds, TimerWheel::tick_length * 1000) * 1000;
}

void Loop::wait() noexcept {
  // Streams may have been closed before run() was called.
  const bool work_is_left = resumed_.first != nullptr || iteration_ends_ != nullptr || closing_.first != nullptr;
  if (work_is_left) {
    epoll_.wait(0);
  } else if (busy_poll_ == 0) {
    sleep();
  } else if (!slept_briefly_ || !busy_poll()) {
    const std::uint64_t before = read_nanoseconds();
    sleep();
    slept_briefly_ = read_nanoseconds() - before < busy_poll_;
  }
}

// True when there are events or posted work. Timers are as exact as their ticks, which are longer.
bool Loop::busy_poll() noexcept {
  ++counters_.polls;
  const std::uint64_t begin = read_nanoseconds();
  const std::uint64_t end = begin + busy_poll_;
  count_busy(begin);
  bool found = false;
  bool posted = false;
  do {
    found = epoll_.wait(0);
    posted = !inbox_.quiet(std::memory_order_relaxed);
  } while (!found && !posted && read_nanoseconds() < end);
  return found || posted;
}

void Loop::sleep() noexcept {
  const std::uint64_t now = read_nanoseconds();
  count_busy(now);
  const int timeout = wheel_.wait(now / millisecond);
  if (timeout == 0) {
    epoll_.wait(0);
    return;
  }
  sleeping_.store(true);
  epoll_.wait(inbox_.quiet() ? timeout : 0);
  sleeping_.store(false, std::memory_order_relaxed);
}

bool Loop::iterate() {
  wait();
  ++counters_.iterations;
  read_clocks();
  epoll_.dispatch();
  wheel_.advance(now_);
  const bool goes_on = inbox_.quiet(std::memory_order_relaxed) || inbox_.run();
  redeliver_resumed();
  end_iteration();
  finish_closed();
  return goes_on;
}

// What the loop did since it woke. `nanoseconds` is the time now.
void Loop::count_busy(std::uint64_t nanoseconds) noexcept {
  if (woke_ == 0) return;
  const std::uint64_t duration = nanoseconds - std::exchange(woke_, 0);
  counters_.busy += duration;
  std::size_t bucket = 0;
  while (bucket < Counters::bounds.size() && duration > Counters::bounds[bucket]) ++bucket;
  ++counters_.durations[bucket];
}

void Loop::read_clocks() {
  const std::uint64_t nanoseconds = read_nanoseconds();
  count_busy(nanoseconds);
  woke_ = nanoseconds;
  const std::uint64_t before = std::exchange(now_, nanoseconds / millisecond);
  if (second_ != 0 && before / TimerWheel::tick_length == now_ / TimerWheel::tick_length) return;
  const std::int64_t second = read_second();
  if (second == second_) return;
  second_ = second;
  if (second_hook_) second_hook_(second);
}

ExecutorLoad Loop::load() const noexcept {
  const std::uint64_t now = read_nanoseconds();
  return {now, woke_, now - began_ - counters_.busy.value() - (now - woke_)};
}

void Loop::redeliver_resumed() {
  // Those that are resumed meanwhile wait for the next iteration, so that sockets get their turn.
  StreamList list = std::exchange(resumed_, {});
  while (Stream* stream = list.pop()) stream->on_resumed();
}

void Loop::at_iteration_end(IterationEnd& callback) noexcept {
  if (callback.previous_ != nullptr) return;
  callback.following_ = iteration_ends_;
  callback.previous_ = &iteration_ends_;
  if (iteration_ends_ != nullptr) iteration_ends_->previous_ = &callback.following_;
  iteration_ends_ = &callback;
}

void Loop::end_iteration() noexcept {
  ending_ = std::exchange(iteration_ends_, nullptr);
  if (ending_ != nullptr) ending_->previous_ = &ending_;
  while (ending_ != nullptr) {
    IterationEnd& first = *ending_;
    ending_ = first.following_;
    if (ending_ != nullptr) ending_->previous_ = &ending_;
    first.previous_ = nullptr;
    first.on_iteration_end();
  }
}

void Loop::finish_closed() {
  while (Stream* stream = closing_.pop()) stream->finish();
}

// Also those that were resumed and then closed, without delivering anything any more.
void Loop::finish_all_closed() {
  do {
    finish_closed();
    StreamList list = std::exchange(resumed_, {});
    while (Stream* stream = list.pop()) {
      stream->listed_ = !stream->closing_;
      (stream->closing_ ? closing_ : resumed_).push(*stream);
    }
  } while (closing_.first != nullptr);
}

void Loop::stream_finished() noexcept {
  --streams_;
  if (waiting_for_descriptor_.empty()) return;
  for (Listener* listener : std::exchange(waiting_for_descriptor_, {})) listener->on_descriptor_available();
}

void Loop::Wake::on_ready(std::uint32_t) {
  ++loop.counters_.wakes;
}

}  // namespace tern::net
