#include "redis/connection.hpp"

#include <hiredis/async.h>

#include <fcntl.h>
#include <pthread.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <ctime>
#include <new>
#include <utility>

namespace tern::redis {
namespace {

constexpr std::size_t max_words = 3;
constexpr const char* no_memory = "no memory";

// hiredis uses write(): SIGPIPE must not end the process.
class WithoutSigpipe {
public:
  WithoutSigpipe() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending{};
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutSigpipe(const WithoutSigpipe&) = delete;
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;
  ~WithoutSigpipe() {
    const timespec at_once{};
    while (!was_pending_ && sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_{};
  sigset_t before_{};
  bool was_pending_ = false;
};

}  // namespace

struct Connection::Hooks {
  static Connection& of(void* data) noexcept { return *static_cast<Connection*>(data); }

  // No exception may pass through hiredis: without memory, the connection is lost.
  template <class F>
  static void guarded(Connection& self, F&& call) noexcept {
    try {
      call();
    } catch (const std::bad_alloc&) {
      self.lose(no_memory);
    }
  }

  static void add_read(void* data) {
    of(data).wants_read_ = true;
    of(data).watch();
  }
  static void delete_read(void* data) {
    of(data).wants_read_ = false;
    of(data).watch();
  }
  static void add_write(void* data) {
    Connection& self = of(data);
    self.wants_write_ = true;
    if (!self.connected_) return self.watch();
    if (!self.writing_ && !self.blocked_ && !self.scheduled()) self.executor_.schedule(self);
  }
  static void delete_write(void* data) {
    of(data).wants_write_ = false;
    of(data).watch();
  }
  static void clean_up(void* data) { of(data).watch_.reset(); }

  // hiredis deletes the context of a failed connection after this,
  static void connected(const redisAsyncContext* context, int status) {
    Connection& self = of(context->data);
    if (status != REDIS_OK) return self.fail(context->c.errstr);
    self.connected_ = true;
    guarded(self, [&self] { self.observer_.on_connected(self); });
  }
  // and this one.
  static void disconnected(const redisAsyncContext* context, int) {
    Connection& self = of(context->data);
    if (self.check_.too_large()) return self.fail("a reply is larger than max_reply");
    if (self.check_.refused()) return self.fail("what answers there is not Redis");
    self.fail(context->err != 0 ? context->errstr : "closed");
  }
  // Called without a reply for commands that are pending at the end.
  static void replied(redisAsyncContext* context, void* reply, void*) {
    Connection& self = of(context->data);
    if (reply == nullptr || self.context_ == nullptr) return;
    guarded(self, [&] { self.observer_.on_reply(self, *static_cast<redisReply*>(reply)); });
  }
};

Connection::~Connection() {
  if (redisAsyncContext* context = std::exchange(context_, nullptr)) redisAsyncFree(context);
}

void Connection::open(const std::string& address, std::uint16_t port) {
  begin(redisAsyncConnect(address.c_str(), port));
}

void Connection::send(std::string_view command) {
  if (context_ == nullptr) return;
  check_.expect_reply();
  if (redisAsyncFormattedCommand(context_, &Hooks::replied, nullptr, command.data(), command.size()) != REDIS_OK) {
    lose(no_memory);
  }
}

void Connection::open_unix(const std::string& path) {
  begin(redisAsyncConnectUnix(path.c_str()));
}

void Connection::begin(redisAsyncContext* context) {
  if (context == nullptr || context->err != 0) {
    lose(context == nullptr ? no_memory : context->errstr);
    if (context != nullptr) redisAsyncFree(context);
    return;
  }
  context_ = context;
  ::fcntl(context->c.fd, F_SETFD, FD_CLOEXEC);
  watch_ = executor_.watch(context->c.fd, *this);
  if (!watch_) lose("this loop has no sockets");  // that of a test client
  check_.install(*context->c.reader);
  context->data = this;
  context->ev = {.data = this,
                 .addRead = &Hooks::add_read,
                 .delRead = &Hooks::delete_read,
                 .addWrite = &Hooks::add_write,
                 .delWrite = &Hooks::delete_write,
                 .cleanup = &Hooks::clean_up};
  redisAsyncSetDisconnectCallback(context, &Hooks::disconnected);
  redisAsyncSetConnectCallback(context, &Hooks::connected);  // requests writability
}

void Connection::command(std::initializer_list<std::string_view> words) {
  check_.expect_reply();
  append_command(words);
}

void Connection::subscribe(std::string_view command, std::size_t max_bytes) {
  if (context_ == nullptr) return;
  check_.expect_messages(max_bytes);
  if (redisAsyncFormattedCommand(context_, &Hooks::replied, nullptr, command.data(), command.size()) != REDIS_OK) {
    lose(no_memory);
  }
}

void Connection::pause() noexcept {
  paused_ = true;
  watch();
}

void Connection::resume() noexcept {
  if (std::exchange(paused_, false)) watch();
}

void Connection::append_command(std::initializer_list<std::string_view> words) {
  if (context_ == nullptr) return;
  std::array<const char*, max_words> texts{};
  std::array<std::size_t, max_words> sizes{};
  std::ranges::transform(words, texts.begin(), &std::string_view::data);
  std::ranges::transform(words, sizes.begin(), &std::string_view::size);
  if (redisAsyncCommandArgv(context_, &Hooks::replied, nullptr, static_cast<int>(words.size()), texts.data(),
                            sizes.data()) != REDIS_OK) {
    lose(no_memory);
  }
}

void Connection::on_ready(bool readable, bool writable) noexcept {
  if (readable) redisAsyncHandleRead(context_);
  if (context_ != nullptr) check_.received(context_->c.reader->len - context_->c.reader->pos);
  if (context_ != nullptr && check_.too_large()) return lose("a reply is larger than max_reply");
  if (writable && context_ != nullptr) write();
}

void Connection::on_turn() noexcept {
  if (!error_.empty()) {
    if (redisAsyncContext* context = std::exchange(context_, nullptr)) redisAsyncFree(context);
    observer_.on_lost(*this, error_);
  } else if (context_ != nullptr && wants_write_) {
    write();
  }
}

void Connection::write() noexcept {
  writing_ = true;
  {
    const WithoutSigpipe guard;
    redisAsyncHandleWrite(context_);
  }
  writing_ = false;
  if (context_ == nullptr) return;
  blocked_ = wants_write_;
  watch();
}

// While connecting, writability means that the connection is established.
void Connection::watch() noexcept {
  if (!watch_ || watch_->want(wants_read_ && !paused_, wants_write_ && (blocked_ || !connected_))) return;
  lose(std::strerror(errno));
}

// Reported at the next turn, not within hiredis.
void Connection::lose(const char* why) noexcept {
  try {
    error_ = why;
  } catch (const std::bad_alloc&) {
    error_ = no_memory;  // short enough for no allocation
  }
  if (!scheduled()) executor_.schedule(*this);
}

void Connection::fail(std::string_view why) noexcept {
  if (std::exchange(context_, nullptr) != nullptr) observer_.on_lost(*this, why);
}

}  // namespace tern::redis
