#include "net/stream.hpp"

#include "net/loop.hpp"
#include "net/output.hpp"
#include "net/send_file.hpp"

#include <tern/base/expects.hpp>

#include <linux/sockios.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace tern::net {
namespace {

constexpr std::uint32_t read_events = EPOLLIN | EPOLLRDHUP;
constexpr int receives_per_iteration = 2;               // so that a busy peer does not delay the others
constexpr std::size_t large_first_receive = 16 * 1024;  // bytes, before direct receive
constexpr int sends_per_iteration = 16;

int socket_error(int descriptor) noexcept {
  int error = 0;
  socklen_t length = sizeof error;
  if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) != 0) return errno;
  return error != 0 ? error : ECONNRESET;
}

// A head leaves in the packets of the file behind it, up to this size: larger ones cost more that way (ADR 54).
constexpr std::size_t max_coalesced_file = 256 * 1024;

// The number of bytes that the kernel accepted, 0 if it has no room, or minus errno.
ssize_t send_pieces(int descriptor, iovec* pieces, std::size_t count, Counters& counters,
                    int flags = MSG_NOSIGNAL) noexcept {
  for (;;) {
    ++counters.sends;
    ssize_t sent;
    if (count == 1) {
      sent = ::send(descriptor, pieces->iov_base, pieces->iov_len, flags);
    } else {
      msghdr message{};
      message.msg_iov = pieces;
      message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(count);  // an int in musl
      sent = ::sendmsg(descriptor, &message, flags);
    }
    if (sent >= 0) return sent;
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return -errno;
  }
}

}  // namespace

Stream::~Stream() {
  base::expects(!open_ && !closing_, "a stream is destroyed after on_closed()");
}

void Stream::open(Loop& loop, Descriptor socket, StreamHandler& handler, const Address& remote) {
  base::expects(!open_ && !closing_, "a stream is opened once");
  loop_ = &loop;
  handler_ = &handler;
  socket_ = std::move(socket);
  remote_ = remote;
  error_ = 0;
  open_ = true;
  paused_ = ended_ = hung_up_ = finish_writing_ = direct_receive_allowed_ = expects_large_ = received_end_ = false;
  ++loop.streams_;
  watch(read_events);
}

void Stream::send(Output& output) {
  if (!open_ || finish_writing_ || output.empty()) {
    output.clear();
    return;
  }
  std::size_t sent = 0;
  const bool first = queue_ == nullptr;
  const bool has_files = output.has_files();
  if (first && !has_files) {
    iovec pieces[SendQueue::max_pieces];
    const ssize_t result = send_pieces(socket_.number(), pieces, SendQueue::gather(output, pieces), loop_->counters_);
    if (result < 0) {
      output.clear();
      return end(static_cast<int>(-result));
    }
    sent = static_cast<std::size_t>(result);
    if (sent == output.size()) return output.clear();
  }
  enqueue([&](SendQueue& queue) { queue.take(output, sent); });
  output.clear();
  if (first && has_files && open_ && send_queued()) queue_.reset();
  if (open_) watch(wanted());
}

void Stream::send(std::string_view bytes) {
  if (!open_ || finish_writing_ || bytes.empty()) return;
  if (queue_ == nullptr) {
    iovec piece{.iov_base = const_cast<char*>(bytes.data()), .iov_len = bytes.size()};
    const ssize_t result = send_pieces(socket_.number(), &piece, 1, loop_->counters_);
    if (result < 0) return end(static_cast<int>(-result));
    bytes.remove_prefix(static_cast<std::size_t>(result));
    if (bytes.empty()) return;
  }
  enqueue([&](SendQueue& queue) { queue.append(bytes); });
  if (open_) watch(wanted());
}

// Without memory for the queue the connection ends: bytes that were sent cannot be taken back.
template <class F>
void Stream::enqueue(F&& add) {
  try {
    if (queue_ == nullptr) queue_ = std::make_unique<SendQueue>(&loop_->buffer_pool_);
    add(*queue_);
  } catch (const std::bad_alloc&) {
    end(ENOMEM);
  }
}

void Stream::resume() {
  if (!paused_) return;
  paused_ = false;
  if (!open_ || ended_) return;
  input_.schedule_redelivery();
  if (listed_) return;
  listed_ = true;
  loop_->resumed_.push(*this);
}

void Stream::shutdown_write() {
  if (!open_ || finish_writing_) return;
  finish_writing_ = true;
  if (queue_ == nullptr) ::shutdown(socket_.number(), SHUT_WR);
}

std::size_t Stream::undelivered() const noexcept {
  int held = 0;
  if (!open_ || ::ioctl(socket_.number(), SIOCOUTQ, &held) != 0 || held < 0) held = 0;
  return unsent() + static_cast<std::size_t>(held);
}

std::size_t Stream::waiting() const noexcept {
  int held = 0;
  if (!open_ || ::ioctl(socket_.number(), SIOCINQ, &held) != 0 || held < 0) return 0;
  return static_cast<std::size_t>(held);
}

bool Stream::has_unread() const noexcept {
  return open_ && (!input_.empty() || waiting() != 0);
}

void Stream::close() {
  if (open_) end(0);
}

void Stream::abort() {
  if (!socket_) return;
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(socket_.number(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  close();
}

// The connection is over; on_closed() follows from the end of the iteration.
void Stream::end(int error) {
  error_ = error;
  open_ = false;
  closing_ = true;
  queue_.reset();  // (the rest is still being delivered, perhaps)
  if (!listed_) loop_->closing_.push(*this);
}

void Stream::finish() {
  if (added_) loop_->epoll_.remove(socket_.number(), *this);
  added_ = false;
  closing_ = false;
  socket_.reset();
  input_.clear();
  loop_->stream_finished();
  handler_->on_closed(std::error_code(error_, std::system_category()));  // `this` may be gone now
}

// What epoll should watch for. Errors and hang-ups it reports unasked.
std::uint32_t Stream::wanted() const noexcept {
  const std::uint32_t end = ended_ || hung_up_ ? 0U : EPOLLRDHUP;
  return (reading() ? read_events : end) | (queue_ != nullptr ? EPOLLOUT : 0U);
}

void Stream::watch(std::uint32_t events) {
  if (added_ && events == watched_) return;
  ++loop_->counters_.watches;
  const int error = added_ ? loop_->epoll_.change(socket_.number(), *this, events)
                           : loop_->epoll_.add(socket_.number(), *this, events);
  if (error != 0) return end(error);
  added_ = true;
  watched_ = events;
}

// What is thrown for lack of memory ends this connection, and no other.
template <class F>
void Stream::dispatch(F&& call) noexcept {
  try {
    call();
  } catch (const std::bad_alloc&) {
    if (open_) end(ENOMEM);
  }
}

void Stream::on_ready(std::uint32_t events) {
  dispatch([this, events] { handle(events); });
}

void Stream::handle(std::uint32_t events) {
  if (closing_) return;
  if ((events & EPOLLERR) != 0) return end(socket_error(socket_.number()));
  if (queue_ != nullptr && (events & (EPOLLOUT | EPOLLHUP)) != 0) {
    flush();
    if (closing_) return;
  }
  if ((events & (read_events | EPOLLHUP)) == 0) return;
  if (reading()) return receive(events);
  if ((events & (EPOLLRDHUP | EPOLLHUP)) != 0) hang_up();
  if (closing_) return;
  if ((events & EPOLLHUP) != 0 && !reading()) {
    // Both sides have ended. The kernel would report that for ever, whatever is asked for.
    loop_->epoll_.remove(socket_.number(), *this);
    added_ = false;
  } else {
    watch(wanted());
  }
}

void Stream::hang_up() {
  if (ended_ || hung_up_) return;
  hung_up_ = true;
  handler_->on_hang_up();
}

auto Stream::consumer() noexcept {
  return [this](std::span<const char> bytes) { return handler_->on_bytes(bytes); };
}

void Stream::receive(std::uint32_t events) {
  if (input_.is_redelivery_due()) {
    input_.redeliver(consumer());
    if (closing_ || paused_) return;
  }
  for (int i = 0; i < receives_per_iteration; ++i) {
    if (direct_receive_allowed_) [[unlikely]] {
      const bool taken = try_direct_receive();
      if (closing_ || paused_) return;
      if (received_end_) return deliver_end();
      if (taken) return;  // a large receive: the rest in the next iteration
    }
    ++loop_->counters_.receives;
    const std::size_t room = expects_large_ ? large_first_receive : Loop::receive_size;
    const ssize_t count = ::recv(socket_.number(), loop_->received(), room, 0);
    if (count == 0) return deliver_end();
    if (count < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN) end(errno);
      return;
    }
    const auto size = static_cast<std::size_t>(count);
    input_.deliver({loop_->received(), size}, Loop::receive_size, consumer(), [this] { return !closing_; });
    if (closing_ || paused_) return;
    // A short receive means drained. Only when the peer has ended is it worth another one: to read the end.
    if (size < room && (events & EPOLLRDHUP) == 0) return;
  }
}

// Whether the handler has received bytes directly.
bool Stream::try_direct_receive() {
  received_end_ = false;
  return input_.empty() && handler_->on_direct_receive();
}

std::size_t Stream::receive_into(std::span<char> to) noexcept {
  if (!open_) return 0;
  for (;;) {
    ++loop_->counters_.receives;
    const ssize_t count = ::recv(socket_.number(), to.data(), to.size(), MSG_DONTWAIT);
    if (count > 0) return static_cast<std::size_t>(count);
    if (count == 0) {
      received_end_ = true;
      return 0;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) end(errno);
    return 0;
  }
}

void Stream::deliver_end() {
  ended_ = true;
  input_.clear();
  handler_->on_end();
  if (!closing_) watch(wanted());
}

// The loop's answer to resume().
void Stream::on_resumed() noexcept {
  listed_ = false;
  if (closing_) return loop_->closing_.push(*this);
  dispatch([this] {
    if (input_.is_redelivery_due() && !paused_) input_.redeliver(consumer());
    if (!closing_ && !paused_) watch(wanted());
  });
}

// Sends what is at the front of the queue: a part of a file, or pieces. The result is that of send_pieces().
ssize_t Stream::send_front(std::size_t& asked) {
  if (const std::optional<FilePart> part = queue_->front_file()) {
    ++loop_->counters_.sends;
    asked = part->size;
    return send_file(socket_.number(), part->file.descriptor(), part->offset, part->size);
  }
  iovec pieces[SendQueue::max_pieces];
  const std::size_t count = queue_->gather(pieces);
  asked = 0;
  for (std::size_t k = 0; k < count; ++k) asked += pieces[k].iov_len;
  const bool coalesces = queue_->file_after(count) != 0 && queue_->file_after(count) <= max_coalesced_file;
  return send_pieces(socket_.number(), pieces, count, loop_->counters_, MSG_NOSIGNAL | (coalesces ? MSG_MORE : 0));
}

// Whether the queue is empty now. Otherwise the rest has to wait for room or for the next iteration, or the stream has
// ended.
bool Stream::send_queued() {
  for (int i = 0; i < sends_per_iteration; ++i) {
    std::size_t asked = 0;
    const ssize_t result = send_front(asked);
    if (result < 0) {
      end(static_cast<int>(-result));
      return false;
    }
    const auto sent = static_cast<std::size_t>(result);
    queue_->consume(sent);
    if (queue_->size() == 0) return true;
    if (sent < asked) return false;
  }
  return false;
}

void Stream::flush() {
  if (!send_queued()) return;
  queue_.reset();
  if (finish_writing_) ::shutdown(socket_.number(), SHUT_WR);
  handler_->on_sent();
  if (!closing_) watch(wanted());
}

}  // namespace tern::net
