#include "redis/connection.hpp"

#include "redis/address.hpp"

#include <tern/redis/client.hpp>

#include <hiredis/hiredis.h>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace tern::redis {
namespace {

constexpr std::size_t received_at_once = 16 * 1024;  // a record of TLS
constexpr std::size_t max_kept = 64 * 1024;          // of the output's memory, while there is no output
constexpr const char* no_memory = "no memory";

// Connects a new socket, which may last. -1, with errno.
int connect_socket(int family, const sockaddr* address, socklen_t size) noexcept {
  const int descriptor = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return -1;
  const int on = 1;
  if (family != AF_UNIX) ::setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(descriptor, address, size) == 0 || errno == EINPROGRESS) return descriptor;
  const int error = errno;
  ::close(descriptor);
  errno = error;
  return -1;
}

int connect_unix(const std::string& path) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return connect_socket(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

// Without a look-up.
int connect_tcp(const std::string& address, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    errno = EADDRNOTAVAIL;
    return -1;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, &::freeaddrinfo);
  return connect_socket(found->ai_family, found->ai_addr, found->ai_addrlen);
}

struct FreeReply {
  void operator()(void* reply) const noexcept { freeReplyObject(reply); }
};

}  // namespace

void Connection::FreeReader::operator()(redisReader* reader) const noexcept {
  redisReaderFree(reader);
}

Connection::~Connection() {
  close();
}

void Connection::close() noexcept {
  state_ = State::Closed;
  watch_.reset();
  tls_.reset();
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

// --- Connecting

void Connection::open(const RedisOptions& options, const std::string& address, const TlsContext* tls) {
  context_ = tls;
  reader_.reset(redisReaderCreate());
  if (!reader_) return lose(no_memory);
  check_.install(*reader_);
  if (!begin(options, address)) lose(std::strerror(errno));
}

bool Connection::begin(const RedisOptions& options, const std::string& address) {
  descriptor_ = options.unix_path.empty() ? connect_tcp(address, options.port) : connect_unix(options.unix_path);
  if (descriptor_ < 0) return false;
  state_ = State::Connecting;
  watch_ = executor_.watch(descriptor_, *this);
  watch_ ? watch() : lose("this loop has no sockets");  // that of a test client
  return true;
}

void Connection::established() noexcept {
  int error = 0;
  socklen_t size = sizeof error;
  if (::getsockopt(descriptor_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) error = errno;
  if (error != 0) return fail(std::strerror(error));
  if (context_ == nullptr) return opened();
  try {
    tls_.emplace(*context_, descriptor_);
  } catch (const std::bad_alloc&) {
    return fail(no_memory);
  }
  state_ = State::Handshaking;
  handshake();
}

std::string Connection::no_answer(Milliseconds time) const {
  return redis::no_answer(time) + (state_ == State::Handshaking ? " in the handshake of TLS" : "");
}

void Connection::handshake() noexcept {
  const Moved moved = tls_->handshake();
  switch (moved.state) {
    case Moved::State::Done: return opened();
    case Moved::State::ToRead:
    case Moved::State::ToWrite: handshake_writes_ = moved.state == Moved::State::ToWrite; return watch();
    default: return fail_moved(moved);
  }
}

void Connection::opened() noexcept {
  state_ = State::Open;
  watch();
  try {
    observer_.on_connected(*this);
  } catch (const std::bad_alloc&) {
    lose(no_memory);
  }
}

// --- Sending

template <class F>
bool Connection::append(F&& command) noexcept {
  if (state_ != State::Open) return false;
  const std::size_t before = out_.size();
  try {
    command();
  } catch (const std::bad_alloc&) {
    out_.resize(before);
    lose(no_memory);
    return false;
  }
  if (!blocked_ && !scheduled()) executor_.schedule(*this);
  return true;
}

void Connection::send(std::string_view command) {
  if (!append([&] { out_ += command; })) return;
  check_.expect_reply();
  ++unanswered_;
}

void Connection::command(std::initializer_list<std::string_view> words) {
  const auto encode = [&] {
    out_ += head_of_command(words.size());
    for (const std::string_view word : words) append_word(out_, word);
  };
  if (!append(encode)) return;
  check_.expect_reply();
  ++unanswered_;
}

void Connection::subscribe(std::string_view command, std::size_t max_bytes) {
  if (!append([&] { out_ += command; })) return;
  check_.expect_messages(max_bytes);
  subscribed_ = true;
}

void Connection::write() noexcept {
  while (sent_ != out_.size()) {
    const std::string_view rest = std::string_view(out_).substr(sent_);
    const Moved moved = tls_ ? tls_->send(rest) : send_plain(descriptor_, rest);
    sent_ += moved.bytes;
    if (moved.state == Moved::State::Done) continue;
    if (moved.state == Moved::State::Broken || moved.state == Moved::State::Ended) return fail_write(moved);
    if (!std::exchange(blocked_, true)) watch();
    return;
  }
  sent_ = 0;
  out_.clear();
  if (out_.capacity() > max_kept) std::string().swap(out_);
  if (std::exchange(blocked_, false)) watch();
}

// What the server has sent before it closed the connection is the better reason.
void Connection::fail_write(const Moved& moved) noexcept {
  if (!paused_) read();
  if (state_ == State::Open && error_.empty()) fail_moved(moved);
}

// --- Receiving

void Connection::pause() noexcept {
  paused_ = true;
  watch();
}

void Connection::resume() noexcept {
  if (std::exchange(paused_, false)) watch();
}

void Connection::read() noexcept {
  std::array<char, received_at_once> buffer;
  const Moved moved = tls_ ? tls_->receive(buffer) : receive_plain(descriptor_, buffer);
  switch (moved.state) {
    case Moved::State::Done: return parse({buffer.data(), moved.bytes});
    case Moved::State::ToRead: return;
    case Moved::State::ToWrite:  // TLS has to answer before it goes on
      if (!std::exchange(blocked_, true)) watch();
      return;
    default: return fail_moved(moved);
  }
}

void Connection::parse(std::string_view bytes) noexcept {
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) return fail(no_memory);
  while (state_ == State::Open && error_.empty()) {
    void* parsed = nullptr;
    const bool valid = redisReaderGetReply(reader_.get(), &parsed) == REDIS_OK;
    const std::unique_ptr<void, FreeReply> reply(parsed);
    if (check_.too_large()) return fail("a reply is larger than max_reply");
    if (check_.refused()) return fail("what answers there is not Redis");
    if (!valid) return fail(reader_->errstr);
    if (!reply) break;
    deliver(*static_cast<const redisReply*>(parsed));
  }
  if (state_ != State::Open) return;
  check_.received(reader_->len - reader_->pos);
  if (check_.too_large()) fail("a reply is larger than max_reply");
}

// An error that answers no command is the reason why Redis ends the connection, or refuses the subscription.
void Connection::deliver(const redisReply& reply) noexcept {
  if (unanswered_ == 0 && reply.type == REDIS_REPLY_ERROR) return fail({reply.str, reply.len});
  if (!subscribed_ || unanswered_ != 0) --unanswered_;
  try {
    observer_.on_reply(*this, reply);
  } catch (const std::bad_alloc&) {
    lose(no_memory);
  }
}

// --- The loop

void Connection::on_ready(bool readable, bool writable) noexcept {
  if (!error_.empty()) return;
  switch (state_) {
    case State::Closed: return;
    case State::Connecting: return established();
    case State::Handshaking: return handshake();
    case State::Open: break;
  }
  if ((readable || tls_) && !paused_) read();
  if (writable && state_ == State::Open && error_.empty()) write();
}

void Connection::on_turn() noexcept {
  if (!error_.empty()) {
    close();
    observer_.on_lost(*this, error_);
  } else if (state_ == State::Open && !blocked_) {
    write();
  }
}

// While connecting, writability means that the connection is established.
void Connection::watch() noexcept {
  bool reads = state_ == State::Open && !paused_;
  bool writes = blocked_ || state_ == State::Connecting;
  if (state_ == State::Handshaking) {
    writes = handshake_writes_;
    reads = !writes;
  }
  if (state_ == State::Closed || !watch_ || watch_->want(reads, writes)) return;
  lose(std::strerror(errno));
}

// Reported at the next turn, not within a call of the owner.
void Connection::lose(const char* why) noexcept {
  try {
    error_ = why;
  } catch (const std::bad_alloc&) {
    error_ = no_memory;  // short enough for no allocation
  }
  if (!scheduled()) executor_.schedule(*this);
}

void Connection::fail(std::string_view why) noexcept {
  if (state_ == State::Closed || !error_.empty()) return;
  close();
  observer_.on_lost(*this, why);
}

void Connection::fail_moved(const Moved& moved) noexcept {
  if (moved.error != 0) return fail(std::strerror(moved.error));
  if (moved.state == Moved::State::Ended) return fail("Server closed the connection");
  try {
    fail(tls_->failure());
  } catch (const std::bad_alloc&) {
    fail(no_memory);
  }
}

}  // namespace tern::redis
