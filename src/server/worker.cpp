#include "server/worker.hpp"

#include "logging/log.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/sleep.hpp>

#include <string>
#include <utility>

namespace tern::server {
namespace {

constexpr std::uint64_t warning_pause = 60'000;  // milliseconds between two warnings of one kind

}  // namespace

Worker::Worker(exchange::SharedState& shared, std::size_t index, base::Function<void()> room_again,
               base::Function<void()> drained)
    : shared_(shared),
      room_again_(std::move(room_again)),
      on_drained_(std::move(drained)),
      context_(shared, loop_, index, *this),
      background_([this](const std::exception_ptr& error) { shared_.log.failure("a background task failed", error); }),
      ending_(end_tasks()) {
  loop_.every_second([this](std::int64_t now) { context_.set_time(now); });
  loop_.set_background(&background_);
  loop_.set_busy_poll(shared.settings().busy_poll);
}

Worker::~Worker() {
  loop_.disarm(*this);
}

bool Worker::listen(std::vector<net::ListenSocket> sockets, transport::ConnectionConfig config) {
  Acceptor& acceptor = *acceptors_.emplace_back(std::make_unique<Acceptor>(*this));
  acceptor.config = std::move(config);
  for (net::ListenSocket& socket : sockets) {
    net::Listener& listener = *acceptor.listeners.emplace_back(std::make_unique<net::Listener>());
    if (!listener.open(loop_, std::move(socket), acceptor)) return false;
  }
  return true;
}

void Worker::use(std::size_t listener, std::shared_ptr<const tls::Context> context) {
  loop_.post([this, listener, context = std::move(context)]() mutable {
    acceptors_[listener]->config.tls = std::move(context);
  });
}

void Worker::hold() {
  open_ = false;
  for_each_listener([](net::Listener& listener) { listener.pause(); });
}

void Worker::run() {
  loop_.run();
  context_.flush_log();
}

void Worker::open() {
  loop_.post([this] {
    open_ = true;
    resume_accepting();
  });
}

void Worker::drain(Milliseconds timeout) {
  loop_.post([this, timeout] { begin_drain(timeout); });
}

void Worker::begin_drain(Milliseconds timeout) {
  const bool first = !context_.draining();
  drain_state_.stop();
  for_each_listener([this](net::Listener& listener) {
    if (!listener.is_open()) return;
    if (open_) listener.drain_accept_queue();
    listener.close();
  });
  context_.drain();
  const std::uint64_t deadline = loop_.now() + static_cast<std::uint64_t>(timeout.count());
  if (deadline < drain_deadline_) {
    drain_deadline_ = deadline;
    if (timeout.count() != 0) loop_.arm(*this, timeout);
  }
  if (first) {
    const auto call = [](void* self) { static_cast<Worker*>(self)->finish_drain(); };
    if (ending_.start(call, this)) finish_drain();
  }
  if (timeout.count() == 0) abort_all();
  check_drained();
}

Task<> Worker::end_tasks() {
  co_await served_;
  co_await after_.join();
  background_.stop();
  co_await background_.join();
}

void Worker::abort_all() {
  context_.abort();
  aborting_ = true;  // what does not end now is destroyed with the worker
  after_.stop();
  background_.stop();
  check_drained();
}

void Worker::check_drained() {
  if (!context_.draining() || context_.has_connections()) return;
  if (context_.exchanges_in_use() == 0 && !context_.has_sockets()) served_.set();
  if (aborting_) finish_drain();
}

void Worker::finish_drain() {
  if (!std::exchange(drained_, true)) on_drained_();
}

void Worker::clear() noexcept {
  ending_ = {};
  background_.clear();
  after_.clear();
  context_.clear();
  loop_.end_attachments();
}

Milliseconds Worker::time_to_drain() const noexcept {
  if (drain_deadline_ <= loop_.now()) return Milliseconds(0);
  return Milliseconds(static_cast<std::int64_t>(drain_deadline_ - loop_.now()));
}

void Worker::accept_again() {
  loop_.post([this] { resume_accepting(); });
}

void Worker::resume_accepting() {
  if (!open_ || context_.draining()) return;
  for_each_listener([](net::Listener& listener) { listener.resume(); });
}

void Worker::admit(net::Descriptor socket, const net::Address& remote, const transport::ConnectionConfig& config) {
  if (config.proxied && !shared_.trusts(remote)) {  // closes it: an untrusted header
    return context_.counters().refuse(exchange::Refusal::UntrustedProxy);
  }
  if (!context_.add_connection(std::move(socket), remote, config)) {
    return context_.counters().refuse(exchange::Refusal::OutOfMemory);
  }
  const std::size_t before = shared_.connections.fetch_add(1, std::memory_order_relaxed);
  if (before + 1 < shared_.settings().connections) return;
  for_each_listener([](net::Listener& listener) { listener.pause(); });
  warn_of_pause("there may not be more");
}

// Once per minute for all loops together.
void Worker::warn_of_pause(std::string_view why) {
  ++context_.counters().accept_pauses;
  std::uint64_t next = shared_.next_pause_warning.load(std::memory_order_relaxed);
  if (loop_.now() < next || !shared_.next_pause_warning.compare_exchange_strong(next, loop_.now() + warning_pause))
    return;
  const std::size_t count = shared_.connections.load(std::memory_order_relaxed);
  shared_.log.write(LogLevel::Warning, "accepting pauses at " + std::to_string(count) +
                                           (count == 1 ? " connection: " : " connections: ") + std::string(why));
}

void Worker::on_connection_closed(bool was_full) noexcept {
  if (was_full) room_again_();
  check_drained();
}

void Worker::run_after_response(base::Box<coro::Work> work) noexcept {
  try {
    after_.spawn(run_after(std::move(work)));
  } catch (const std::bad_alloc&) {
    shared_.log.failure("there is no memory for the work after a response", std::current_exception());
  }
}

// Resumed when the output of this iteration has been sent.
Task<> Worker::run_after(base::Box<coro::Work> work) {
  co_await yield();
  for (coro::Work* each = work.get(); each != nullptr; each = each->next.get()) {
    try {
      co_await each->run();
    } catch (const Cancelled&) {  // the drain has timed out
    } catch (...) {
      shared_.log.failure("work after a response failed", std::current_exception());
    }
  }
}

}  // namespace tern::server
