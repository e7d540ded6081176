#include "postgres/session.hpp"

#include "postgres/wire.hpp"

#include <libpq-fe.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

namespace tern::postgres {
namespace {

constexpr std::size_t initial_input = 16 * 1024;
constexpr std::size_t busy_input = 64 * 1024;             // of a session that has more to receive than fits
constexpr std::size_t max_kept_buffer = 256 * 1024;       // bytes that an idle session keeps
constexpr std::size_t max_received_at_once = 256 * 1024;  // bytes; then other work of the loop
constexpr std::size_t much_output = 256 * 1024;
constexpr std::int64_t would_block = -1;
constexpr std::int64_t broken = -2;

}  // namespace

void FinishConnection::operator()(pg_conn* connection) const noexcept {
  PQfinish(connection);
}

void FreeCancel::operator()(pg_cancel* cancel) const noexcept {
  PQfreeCancel(cancel);
}

void send_cancel(const CancelHandle& handle) noexcept {
  char fault[256];
  if (handle) PQcancel(handle.get(), fault, sizeof fault);
}

Session::Session(Observer& observer, Executor& executor, std::size_t max_message)
    : observer_(observer), executor_(executor), max_message_(max_message) {
  writable_.set();
}

Session::~Session() {
  close(false);
}

// --- Connecting

Task<std::string> Session::open(const Parameters& parameters, const Endpoint& endpoint, const std::string& attributes) {
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  const auto add = [&](const char* keyword, const std::string& value) {
    if (value.empty()) return;
    keywords.push_back(keyword);
    values.push_back(value.c_str());
  };
  for (const auto& [keyword, value] : parameters) add(keyword.c_str(), value);
  add("host", endpoint.host);
  add("hostaddr", endpoint.address);
  add("port", endpoint.port);
  add("target_session_attrs", attributes);
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_.reset(PQconnectStartParams(keywords.data(), values.data(), 0));
  if (!connection_) throw std::bad_alloc();
  PQsetNoticeProcessor(connection_.get(), [](void*, const char*) {}, nullptr);
  PostgresPollingStatusType status =
      PQstatus(connection_.get()) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
  while (status == PGRES_POLLING_READING || status == PGRES_POLLING_WRITING) {
    // libpq may take another socket for each step.
    watch_ = executor_.watch(PQsocket(connection_.get()), *this);
    if (!watch_) co_return "this loop has no sockets";
    ready_.reset();
    if (!watch_->want(status == PGRES_POLLING_READING, status == PGRES_POLLING_WRITING)) co_return std::strerror(errno);
    co_await ready_;
    watch_.reset();
    status = PQconnectPoll(connection_.get());
  }
  if (status != PGRES_POLLING_OK) co_return fault();
  socket_ = PQsocket(connection_.get());
  ::fcntl(socket_, F_SETFD, FD_CLOEXEC);
  tls_ = static_cast<ssl_st*>(PQsslStruct(connection_.get(), "OpenSSL"));
  if (tls_ == nullptr && PQsslInUse(connection_.get()) != 0) co_return "libpq was built with another library for TLS";
  if (tls_ != nullptr) SSL_set_mode(tls_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  watch_ = executor_.watch(socket_, *this);
  input_.resize(initial_input);
  open_ = true;
  watch();
  co_return std::string();
}

std::string Session::fault() const {
  std::string text = PQerrorMessage(connection_.get());
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? "no connection" : text;
}

CancelHandle Session::cancel_handle() const noexcept {
  return CancelHandle(PQgetCancel(connection_.get()));
}

int Session::process() const noexcept {
  return connection_ ? PQbackendPID(connection_.get()) : 0;
}

// --- Input and output

void Session::flush() noexcept {
  if (output_.size() - written_ > much_output) writable_.reset();
  if (open_ && !blocked_ && !scheduled()) executor_.schedule(*this);
}

void Session::on_ready(bool readable, bool writable) noexcept {
  if (!open_) return ready_.set();
  try {
    if (readable || tls_ != nullptr) receive();
  } catch (const std::bad_alloc&) {
    lose("no memory");
  }
  if (writable && open_) write();
}

void Session::on_turn() noexcept {
  if (!error_.empty()) return fail(error_);
  if (!open_) return;
  if (std::exchange(receives_at_turn_, false)) on_ready(true, false);
  if (open_ && error_.empty() && !blocked_ && !output_.empty()) write();
}

void Session::receive() {
  if (begin_ != end_ && !deliver()) return;  // what a pause has left
  for (std::size_t total = 0; open_ && error_.empty() && !paused_ && total < max_received_at_once;) {
    if (end_ == input_.size() && begin_ != 0) {
      std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
      end_ -= std::exchange(begin_, 0);
    }
    const std::size_t room = input_.size() - end_;
    const std::int64_t count = read_some(input_.data() + end_, room);
    if (count == would_block) return;
    if (count == broken) return lose(error_.empty() ? "the connection was closed" : error_);
    end_ += static_cast<std::size_t>(count);
    total += static_cast<std::size_t>(count);
    if (!deliver()) return;
    if (static_cast<std::size_t>(count) < room) {
      if (tls_ == nullptr) return;
    } else if (input_.size() < busy_input) {
      input_.resize(busy_input);
    }
  }
  if (open_ && !paused_ && tls_ != nullptr) {
    receives_at_turn_ = true;
    if (!scheduled()) executor_.schedule(*this);
  }
}

// Delivers the complete messages. False if the session has ended, or is paused.
bool Session::deliver() {
  while (end_ - begin_ >= head_size) {
    const std::string_view bytes(input_.data() + begin_, end_ - begin_);
    Reader reader(bytes.substr(1));
    const std::size_t size = reader.read_32();
    if (size < 4) return lose("an answer that is not PostgreSQL's"), false;
    if (size > max_message_) return lose("a message is larger than max_message"), false;
    if (bytes.size() < size + 1) {
      // Memory for what has arrived, whatever the length says.
      if (bytes.size() == input_.size()) input_.resize(std::min(size + 1, 2 * input_.size()));
      break;
    }
    begin_ += size + 1;
    observer_.on_message(bytes[0], bytes.substr(head_size, size - 4));
    if (!open_ || !error_.empty() || paused_) return false;
  }
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (input_.size() > max_kept_buffer) std::vector<char>(initial_input).swap(input_);
  }
  return true;
}

void Session::pause() noexcept {
  paused_ = true;
  watch();
}

// What was received already is delivered at the next turn.
void Session::resume() noexcept {
  if (!std::exchange(paused_, false)) return;
  receives_at_turn_ = true;
  if (!scheduled()) executor_.schedule(*this);
  watch();
}

void Session::write() noexcept {
  blocked_ = false;
  while (written_ < output_.size()) {
    const std::int64_t count = write_some(output_.data() + written_, output_.size() - written_);
    if (count == would_block) {
      blocked_ = true;
      break;
    }
    if (count == broken) return lose(error_.empty() ? "the connection was closed" : error_);
    written_ += static_cast<std::size_t>(count);
  }
  if (written_ == output_.size()) {
    output_.clear();
    written_ = 0;
    if (output_.capacity() > max_kept_buffer) std::string().swap(output_);
  }
  if (output_.size() - written_ <= much_output / 2 && !writable_.is_set()) writable_.set();
  watch();
}

void Session::watch() noexcept {
  if (!open_ || !watch_ || watch_->want(!paused_, blocked_)) return;
  lose(std::strerror(errno));
}

// The number of bytes, would_block or broken.
std::int64_t Session::read_some(char* to, std::size_t size) noexcept {
  if (tls_ != nullptr) {
    ERR_clear_error();
    return tls_result(
        SSL_read(tls_, to, static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()))));
  }
  while (true) {
    const ssize_t count = ::recv(socket_, to, size, 0);
    if (count > 0) return count;
    if (count == 0) return broken;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return would_block;
    if (errno != EINTR) return lose(std::strerror(errno)), broken;
  }
}

std::int64_t Session::write_some(const char* from, std::size_t size) noexcept {
  if (tls_ != nullptr) {
    ERR_clear_error();
    return tls_result(SSL_write(tls_, from, static_cast<int>(std::min<std::size_t>(size, 16 * 1024))));
  }
  while (true) {
    const ssize_t count = ::send(socket_, from, size, MSG_NOSIGNAL);
    if (count >= 0) return count;
    if (errno == EAGAIN || errno == EWOULDBLOCK) return would_block;
    if (errno != EINTR) return lose(std::strerror(errno)), broken;
  }
}

std::int64_t Session::tls_result(int result) noexcept {
  if (result > 0) return result;
  const int error = SSL_get_error(tls_, result);
  return error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? would_block : broken;
}

// --- The end

void Session::lose(std::string_view why) noexcept {
  if (error_.empty()) {
    try {
      error_ = why;
    } catch (const std::bad_alloc&) {
      error_ = "no memory";  // short enough for no allocation
    }
  }
  if (!scheduled()) executor_.schedule(*this);
}

void Session::fail(std::string_view why) noexcept {
  if (!std::exchange(open_, false)) return;
  watch_.reset();
  observer_.on_lost(why);
}

// A message that is written in part cannot be followed by another one: then the socket is shut down first.
void Session::close(bool orderly) noexcept {
  open_ = false;
  watch_.reset();
  if (connection_ && (!orderly || written_ != 0) && socket_ >= 0) ::shutdown(socket_, SHUT_RDWR);
  tls_ = nullptr;
  connection_.reset();
  socket_ = -1;
  if (!writable_.is_set()) writable_.set();
}

}  // namespace tern::postgres
