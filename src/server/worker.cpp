#include "server/worker.hpp"

#include "server/access_log.hpp"
#include "server/log.hpp"

#include <tern/coro/cancelled.hpp>
#include <tern/coro/sleep.hpp>
#include <tern/http/date.hpp>

#include <chrono>
#include <string>
#include <utility>

namespace tern::server {
namespace {

constexpr Milliseconds log_delay{100};           // that a line may wait for others
constexpr std::uint64_t warning_pause = 60'000;  // milliseconds between two warnings of one kind
constexpr std::size_t log_batch = 64 * 1024;     // bytes that do not wait

}  // namespace

Worker::Worker(Shared& shared, std::size_t index, base::Function<void()> room_again, base::Function<void()> quiet)
    : shared_(shared),
      index_(index),
      room_again_(std::move(room_again)),
      on_quiet_(std::move(quiet)),
      background_([this](const std::exception_ptr& error) { shared_.log.failure("a background task failed", error); }) {
  loop_.every_second([this](std::int64_t now) { on_second(now); });
  loop_.set_background(&background_);
  loop_.set_busy_poll(shared.settings.busy_poll);
}

Worker::~Worker() {
  loop_.disarm(*this);
  flush_log();
}

bool Worker::listen(net::ListenSocket socket, Manner manner) {
  Door& door = *doors_.emplace_back(std::make_unique<Door>(*this));
  door.manner = std::move(manner);
  return door.listener.open(loop_, std::move(socket), door);
}

void Worker::use(std::size_t listener, std::shared_ptr<const tls::Context> context) {
  loop_.post(
      [this, listener, context = std::move(context)]() mutable { doors_[listener]->manner.tls = std::move(context); });
}

void Worker::hold() {
  open_ = false;
  for (const auto& door : doors_) door->listener.pause();
}

void Worker::run() {
  loop_.run();
  flush_log();
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
  const bool first = !std::exchange(draining_, true);
  drain_state_.stop();
  for (const auto& door : doors_) {
    if (!door->listener.is_open()) continue;
    if (open_) door->listener.drain_accept_queue();
    door->listener.close();
  }
  for (Connection* connection = connections_; connection != nullptr;) {
    Connection* next = connection->next_;
    connection->attempt([connection] { connection->drain(); });
    connection = next;
  }
  const std::uint64_t deadline = loop_.now() + static_cast<std::uint64_t>(timeout.count());
  if (deadline < drain_deadline_) {
    drain_deadline_ = deadline;
    if (timeout.count() != 0) loop_.arm(drain_timer_, timeout);
  }
  if (first) {
    ending_ = end_tasks();
    const auto call = [](void* self) { static_cast<Worker*>(self)->be_quiet(); };
    if (ending_.start(call, this)) be_quiet();
  }
  if (timeout.count() == 0) abort_all();
  go_on_draining();
}

Task<> Worker::end_tasks() {
  co_await served_;
  co_await after_.join();
  background_.stop();
  co_await background_.join();
}

void Worker::abort_all() {
  for (Connection* connection = connections_; connection != nullptr; connection = connection->next_) {
    connection->abort();
  }
  if (sockets_) sockets_->stop();
  aborting_ = true;  // what does not end now is not waited for: its frames go with the worker
  after_.stop();
  background_.stop();
  go_on_draining();
}

void Worker::go_on_draining() {
  if (!draining_ || connections_ != nullptr) return;
  if (exchanges_in_use() == 0 && (!sockets_ || sockets_->empty())) served_.set();
  if (aborting_) be_quiet();
}

void Worker::be_quiet() {
  if (!std::exchange(quiet_, true)) on_quiet_();
}

void Worker::clear() noexcept {
  ending_ = {};
  background_.clear();
  after_.clear();
  sockets_.reset();
  free_exchange_ = nullptr;
  all_exchanges_.clear();
}

Milliseconds Worker::time_to_drain() const noexcept {
  if (drain_deadline_ <= loop_.now()) return Milliseconds(0);
  return Milliseconds(static_cast<std::int64_t>(drain_deadline_ - loop_.now()));
}

void Worker::accept_again() {
  loop_.post([this] { resume_accepting(); });
}

void Worker::resume_accepting() {
  if (!open_ || draining_) return;
  for (const auto& door : doors_) door->listener.resume();
}

void Worker::admit(net::Descriptor socket, const net::Address& remote, const Manner& manner) {
  if (manner.proxied && !shared_.trusts(remote)) return;  // closes it: anybody could say anything
  std::unique_ptr<Connection> opened;
  try {
    opened = std::make_unique<Connection>(*this);
    opened->open(std::move(socket), remote, manner);
  } catch (const std::bad_alloc&) {
    return;  // closes it
  }
  const std::size_t before = shared_.connections.fetch_add(1, std::memory_order_relaxed);
  if (before + 1 >= shared_.settings.connections) {
    for (const auto& door : doors_) door->listener.pause();
    warn_of_pause("there may not be more");
  }
  Connection* connection = opened.release();
  connection->next_ = connections_;
  connection->previous_ = &connections_;
  if (connections_ != nullptr) connections_->previous_ = &connection->next_;
  connections_ = connection;
}

// Once a minute for all loops together.
void Worker::warn_of_pause(std::string_view why) {
  std::uint64_t next = shared_.next_pause_warning.load(std::memory_order_relaxed);
  if (loop_.now() < next || !shared_.next_pause_warning.compare_exchange_strong(next, loop_.now() + warning_pause))
    return;
  const std::size_t count = shared_.connections.load(std::memory_order_relaxed);
  shared_.log.write(Severity::Warning, "accepting pauses at " + std::to_string(count) +
                                           (count == 1 ? " connection: " : " connections: ") + std::string(why));
}

void Worker::closed(Connection& connection) noexcept {
  discard_output(connection);
  if (writer_ == &connection) writer_ = nullptr;
  *connection.previous_ = connection.next_;
  if (connection.next_ != nullptr) connection.next_->previous_ = connection.previous_;
  delete &connection;
  const std::size_t before = shared_.connections.fetch_sub(1, std::memory_order_relaxed);
  if (before == shared_.settings.connections) room_again_();
  go_on_draining();
}

WebSocketHub& Worker::sockets() {
  if (!sockets_) sockets_ = std::make_unique<WebSocketHub>(*this);
  return *sockets_;
}

HeldExchange Worker::take_exchange() {
  if (free_exchange_ == nullptr) [[unlikely]] {
    all_exchanges_.push_back(std::make_unique<HttpExchange>(*this, index_));
    free_exchange_ = all_exchanges_.back().get();
  }
  ++exchanges_in_use_;
  HttpExchange* exchange = free_exchange_;
  free_exchange_ = std::exchange(exchange->next_, nullptr);
  return {exchange, {this}};
}

void Worker::release(HttpExchange& exchange) noexcept {
  if (exchange.after_) start_after(std::move(exchange.after_));
  exchange.reset();
  exchange.next_ = free_exchange_;
  free_exchange_ = &exchange;
  --exchanges_in_use_;
  if (draining_) go_on_draining();
}

void Worker::start_after(base::Box<coro::Work> work) noexcept {
  try {
    after_.spawn(run_after(std::move(work)));
  } catch (const std::bad_alloc&) {
    shared_.log.failure("there is no memory for the work after a response", std::current_exception());
  }
}

// Its turn comes when what has been written in this wake-up has left.
Task<> Worker::run_after(base::Box<coro::Work> work) {
  co_await yield();
  for (coro::Work* each = work.get(); each != nullptr; each = each->next.get()) {
    try {
      co_await each->run();
    } catch (const Cancelled&) {  // the time for draining is over
    } catch (...) {
      shared_.log.failure("work after a response failed", std::current_exception());
    }
  }
}

void Worker::on_second(std::int64_t unix_seconds) {
  date_.clear();
  append_imf_fixdate(date_, unix_seconds);
  plain_head_.set(date_, shared_.settings.server_name);
  if (logs_access()) {
    log_time_.clear();
    append_log_time(log_time_, unix_seconds);
  }
}

std::uint64_t Worker::microseconds() noexcept {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

void Worker::log_access(HttpExchange& exchange, Status status, std::size_t bytes) {
  AccessEntry entry;
  entry.remote = exchange.remote();
  entry.time = log_time_;
  entry.status = status;
  entry.bytes = exchange.request().method() == Method::Head || forbids_content(status) ? 0 : bytes;
  entry.microseconds = microseconds() - exchange.started_;
  const std::size_t before_line = log_lines_.size();
  try {
    append_access_line(log_lines_, shared_.settings.access, entry, exchange.request());
  } catch (const std::bad_alloc&) {
    log_lines_.resize(before_line);  // whole lines or none
  }
  if (log_lines_.size() >= log_batch) {
    flush_log();
  } else if (!armed()) {
    loop_.arm(*this, log_delay);
  }
}

void Worker::trim_memory() noexcept {
  if (!shared_.memory.had_burst()) return;
  if (!shared_.memory.burst_is_over()) return loop_.arm(trim_timer_, trim_period);
  if (Offloader* pool = loop_.offloader()) shared_.memory.trim(*pool);
}

void Worker::flush_log() {
  if (!log_lines_.empty()) shared_.log.access(std::exchange(log_lines_, {}));
}

}  // namespace tern::server
