#include "transport/secure_stream.hpp"

#include <tern/base/expects.hpp>

#include <sys/uio.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <string_view>
#include <utility>

namespace tern::transport {
namespace {

constexpr std::size_t encrypted_at_once = 128 * 1024;
constexpr int pumps_per_iteration = 8;        // receives; a busy reader does not starve the others
constexpr std::uint32_t max_own = 16 * 1024;  // bytes of answers to key updates that the peer has not read

constexpr char handshake_record = 0x16;  // the first byte of every client (RFC 8446, section 5.1)

constexpr std::string_view plain_text_answer =
    "HTTP/1.1 400 Bad Request\r\n"
    "Content-Type: text/plain; charset=utf-8\r\n"
    "Content-Length: 55\r\n"
    "Connection: close\r\n"
    "\r\n"
    "This port speaks HTTPS only; the request came by HTTP.\n";
static_assert(plain_text_answer.size() - plain_text_answer.find("\r\n\r\n") - 4 == 55);

constexpr std::size_t front = tls::Session::room;

}  // namespace

std::span<char> SecureBuffers::room() noexcept {
  if (!plain) plain.reset(new (std::nothrow) char[front + tls::Session::room + net::RestBuffer::padding]);
  return plain ? std::span(plain.get() + front, tls::Session::room) : std::span<char>();
}

std::span<char> SecureBuffers::file_room() noexcept {
  if (!file) file.reset(new (std::nothrow) char[file_size]);
  return file ? std::span(file.get(), file_size) : std::span<char>();
}

SecureStream::SecureStream(net::Stream& stream, TransportHandler& handler,
                           const std::shared_ptr<const tls::Context>& context, SecureBuffers& buffers)
    : stream_(stream), handler_(handler), buffers_(buffers), session_(context) {}

// --- Receiving ---

auto SecureStream::consumer() noexcept {
  return [this](std::span<const char> bytes) { return handler_.on_bytes(bytes); };
}

std::size_t SecureStream::on_bytes(std::span<const char> bytes) {
  if (refused_) return handler_.on_bytes(bytes);
  if (!std::exchange(begun_, true) && refuse_plain_text(bytes.front())) return bytes.size();
  std::size_t taken = 0;
  while (taken < bytes.size() && !stream_.paused() && stream_.is_open() && !refused_) {
    const auto piece = bytes.subspan(taken, std::min(bytes.size() - taken, tls::Session::max_received));
    taken += piece.size();
    undecrypted_ = static_cast<std::uint32_t>(bytes.size() - taken);
    decrypt(piece);
  }
  return refused_ || !stream_.is_open() ? bytes.size() : taken;
}

// A method begins with a letter, a handshake with its record type.
bool SecureStream::refuse_plain_text(char first) {
  if (first == handshake_record || first < 'A' || first > 'Z') return false;
  refused_ = true;
  stream_.send(plain_text_answer);
  handler_.on_refused();
  return true;
}

void SecureStream::decrypt(std::span<const char> bytes) {
  arrived_ = bytes;
  if (direct_receive_allowed_ && input_.empty()) handler_.on_direct_receive();
  std::span<char> plain;
  std::size_t count = 0;
  if (!arrived_.empty()) {  // not consumed
    plain = buffers_.room();
    if (plain.empty()) return stream_.abort();
    count = receive_into(plain);
  }
  send_own();
  if (!secured_ && session_.is_open()) {
    secured_ = true;
    handler_.on_secured();
  }
  // Bytes behind the end of a failed handshake are dropped: on_secured() has not been called.
  if (count != 0 && secured_ && stream_.is_open()) {
    input_.deliver(plain.first(count), front, consumer(), [this] { return stream_.is_open(); });
  }
  if (session_.failed()) return fail();
  if (session_.ended() && !end_told_) give_end();
}

std::size_t SecureStream::receive_into(std::span<char> to) {
  const std::span<const char> bytes = std::exchange(arrived_, {});
  return session_.receive({bytes.data(), bytes.size()}, to, buffers_.cipher.text());
}

// TLS's own records: handshake, alerts, answers to key updates. A peer that causes many and reads none is closed.
void SecureStream::send_own() {
  const std::size_t size = buffers_.cipher.size();
  if (size == 0) return;
  stream_.send(buffers_.cipher);
  if (stream_.unsent() == 0 || !secured_) return;
  own_ += static_cast<std::uint32_t>(size);
  if (own_ > max_own) stream_.abort();
}

void SecureStream::fail() {
  if (!stream_.is_open() || refused_) return;
  if (secured_) return stream_.close();  // the alert has been sent; the response cannot be completed
  refused_ = true;
  handler_.on_refused();
}

// Unconsumed bytes go before the end; if the handler has paused, both wait.
void SecureStream::give_end() {
  end_waits_ = true;
  if (input_.is_redelivery_due() && !stream_.paused()) input_.redeliver(consumer());
  if (!end_waits_ || !stream_.is_open()) return;
  if (stream_.paused()) return handler_.on_hang_up();
  tell_end();
}

void SecureStream::tell_end() {
  end_waits_ = false;
  end_told_ = true;
  input_.clear();
  handler_.on_end();
}

void SecureStream::before_resume() {
  if (!stream_.paused() || !stream_.is_open()) return;
  input_.schedule_redelivery();
  stream_.loop().at_iteration_end(*this);
}

// A missing close_notify is accepted: HTTP's own framing detects truncation.
void SecureStream::on_end() {
  if (!end_told_) give_end();
}

// Bytes before the end, such as a close_notify, are not decrypted yet.
void SecureStream::on_hang_up() {
  if (secured_ && !end_told_ && !end_waits_) handler_.on_hang_up();
}

void SecureStream::on_iteration_end() noexcept {
  try {
    end_iteration();
  } catch (const std::bad_alloc&) {
    stream_.abort();
  }
}

void SecureStream::end_iteration() {
  if (!stream_.is_open()) return;
  if (!stream_.paused()) {
    if (input_.is_redelivery_due()) input_.redeliver(consumer());
    if (end_waits_ && !stream_.paused() && stream_.is_open()) tell_end();
  }
  if (queue_ && stream_.is_open() && stream_.unsent() == 0) on_sent();
}

// --- Sending ---

void SecureStream::send(net::Output& output) {
  if (!stream_.is_open() || !session_.is_open() || finish_writing_ || output.empty()) return output.clear();
  if (!queue_ && stream_.unsent() == 0 && output.size() <= encrypted_at_once && !output.has_files()) {
    output.visit([this](std::string_view bytes) { encrypt(bytes); });
    output.clear();
    stream_.send(buffers_.cipher);
    return;
  }
  const bool first = !queue_;
  try {
    if (first) queue_ = std::make_unique<net::SendQueue>(&stream_.loop().buffer_pool());
    queue_->take(output, 0);
  } catch (const std::bad_alloc&) {  // as net::Stream does
    output.clear();
    return stream_.abort();
  }
  if (first && stream_.unsent() == 0) pump();
}

void SecureStream::encrypt(std::string_view bytes) {
  if (!session_.send(bytes, buffers_.cipher.text())) stream_.abort();  // out of memory
}

// Encrypts as long as the socket accepts it, and continues in on_sent(), or in the next iteration.
void SecureStream::pump() {
  for (int i = 0; queue_ && stream_.is_open() && stream_.unsent() == 0; ++i) {
    if (i == pumps_per_iteration) return stream_.loop().at_iteration_end(*this);
    encrypt_some();
  }
}

void SecureStream::encrypt_some() {
  if (queue_->has_files()) {
    encrypt_files();
  } else {
    encrypt_pieces();
  }
  if (queue_->size() == 0) queue_.reset();
  stream_.send(buffers_.cipher);
  if (!queue_ && finish_writing_) end_writing();
}

void SecureStream::encrypt_pieces() {
  iovec pieces[net::SendQueue::max_pieces];
  const std::size_t count = queue_->gather(pieces);
  std::size_t done = 0;
  for (std::size_t i = 0; i < count && done < encrypted_at_once; ++i) {
    const std::string_view piece(static_cast<const char*>(pieces[i].iov_base), pieces[i].iov_len);
    const std::string_view part = piece.substr(0, encrypted_at_once - done);
    encrypt(part);
    done += part.size();
  }
  queue_->consume(done);
}

// Pieces in front of a file and behind it fill the same records. A file that has become shorter ends the connection,
// without a close_notify.
void SecureStream::encrypt_files() {
  const std::span<char> room = buffers_.file_room();
  std::size_t done = 0;
  while (done < encrypted_at_once && queue_->size() != 0) {
    const std::span<char> bytes = room.first(std::min(room.size(), queue_->size()));
    if (bytes.empty() || !queue_->read(bytes)) return stream_.close();
    encrypt({bytes.data(), bytes.size()});
    done += bytes.size();
  }
}

void SecureStream::on_sent() {
  own_ = 0;
  pump();
  if (!queue_ && stream_.is_open() && stream_.unsent() == 0 && (secured_ || refused_)) handler_.on_sent();
}

void SecureStream::shutdown_write() {
  if (!stream_.is_open() || std::exchange(finish_writing_, true)) return;
  if (!queue_) end_writing();
}

void SecureStream::end_writing() {
  session_.close(buffers_.cipher.text());
  stream_.send(buffers_.cipher);
  stream_.shutdown_write();
}

// Sends close_notify if the socket still accepts it.
void SecureStream::before_close() {
  if (!stream_.is_open() || queue_ || stream_.unsent() != 0 || finish_writing_) return;
  session_.close(buffers_.cipher.text());
  stream_.send(buffers_.cipher);
}

void SecureStream::on_closed(std::error_code why) {
  handler_.on_closed(why);  // `this` is destroyed now
}

}  // namespace tern::transport
