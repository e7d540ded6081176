#include "net/listener.hpp"

#include "net/loop.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <utility>

namespace tern::net {
namespace {

constexpr int accepts_per_iteration = 64;
constexpr int accepts_per_drain = 65'536;
constexpr Milliseconds descriptor_retry_delay{100};

// Errors of the one connection that was to be accepted (accept(2), "Error handling"), not of the listening socket.
bool concerns_one_connection(int error) noexcept {
  switch (error) {
    case EINTR:
    case ECONNABORTED:
    case EPROTO:
    case EPERM:
    case ENOPROTOOPT:
    case EOPNOTSUPP:
    case ENETDOWN:
    case ENETUNREACH:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENONET:
    case ETIMEDOUT: return true;
    default: return false;
  }
}

}  // namespace

bool Listener::open(Loop& loop, ListenSocket socket, AcceptHandler& handler) {
  // So that wait_for_descriptor() needs no memory.
  loop.waiting_for_descriptor_.reserve(loop.waiting_for_descriptor_.capacity() + 1);
  close();
  loop_ = &loop;
  handler_ = &handler;
  socket_ = std::move(socket);
  paused_ = waits_for_descriptor_ = false;
  watch();
  if (watching_) return true;
  const int error = errno;
  close();
  errno = error;
  return false;
}

void Listener::pause() {
  paused_ = true;
  watch();
}

void Listener::resume() {
  paused_ = false;
  if (!waits_for_descriptor_) resume_watching();
}

void Listener::drain_accept_queue() {
  for (int i = 0; i < accepts_per_drain && accept_one(); ++i) {
  }
}

void Listener::close() {
  if (!is_open()) return;
  stop_waiting_for_descriptor();
  if (watching_) loop_->epoll_.remove(socket_.descriptor.number(), *this);
  watching_ = false;
  socket_ = {};
}

void Listener::on_ready(std::uint32_t) {
  for (int i = 0; i < accepts_per_iteration && watching_ && accept_one(); ++i) {
  }
}

bool Listener::accept_one() {
  if (!is_open()) return false;
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  Descriptor connection(::accept4(socket_.descriptor.number(), reinterpret_cast<sockaddr*>(&peer), &length,
                                  SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (connection) {
    ++loop_->counters_.accepts;
    handler_->on_accept(std::move(connection), Address::from(peer));
    return true;
  }
  if (errno == EAGAIN) return false;
  if (concerns_one_connection(errno)) return true;
  wait_for_descriptor();  // EMFILE, ENFILE, ENOBUFS, ENOMEM; an unknown error must not make the loop spin
  return false;
}

void Listener::wait_for_descriptor() {
  const int error = errno;
  if (!waits_for_descriptor_) loop_->waiting_for_descriptor_.push_back(this);
  waits_for_descriptor_ = true;
  loop_->arm(*this, descriptor_retry_delay);
  watch();
  handler_->on_accept_paused(error);
}

void Listener::on_descriptor_available() {
  stop_waiting_for_descriptor();
  resume_watching();
}

void Listener::stop_waiting_for_descriptor() noexcept {
  waits_for_descriptor_ = false;
  std::erase(loop_->waiting_for_descriptor_, this);
  loop_->disarm(*this);
}

void Listener::resume_watching() {
  watch();
  if (is_open() && !paused_ && !watching_) wait_for_descriptor();  // the kernel is out of memory: later, then
}

// Adds to or removes from the epoll instance, whatever is due: a paused listener is not watched at all.
void Listener::watch() {
  const bool wanted = is_open() && !paused_ && !waits_for_descriptor_;
  if (wanted == watching_) return;
  ++loop_->counters_.watches;
  if (!wanted) {
    loop_->epoll_.remove(socket_.descriptor.number(), *this);
    watching_ = false;
    return;
  }
  const std::uint32_t exclusive = socket_.is_shared ? EPOLLEXCLUSIVE : 0U;
  const int error = loop_->epoll_.add(socket_.descriptor.number(), *this, EPOLLIN | exclusive);
  errno = error;
  watching_ = error == 0;
}

}  // namespace tern::net
