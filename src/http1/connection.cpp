// Reading: RFC 9112, sections 2 to 7. Writing is in serializer.cpp.
#include "http1/connection.hpp"

#include "http1/head_line.hpp"

#include <tern/base/expects.hpp>

#include <algorithm>
#include <limits>

namespace tern::http1 {
namespace {

using Found = LineScanner::Found;

std::size_t rest_of(std::size_t limit, std::size_t used) noexcept {
  return limit - std::min(limit, used);
}

}  // namespace

void Connection::receive(std::string_view bytes) noexcept {
  base::expects(bytes.size() >= scanned_, "receive() is given again what was not consumed");
  bytes_ = bytes.data();
  // Bytes beyond 4 GiB stay unconsumed until the next call.
  size_ = static_cast<std::uint32_t>(std::min<std::size_t>(bytes.size(), std::numeric_limits<std::uint32_t>::max()));
  at_ = 0;
  piece_ = 0;
}

Event Connection::next(RequestHead& head) {
  for (;;) {
    switch (reading_) {
      case Reading::Head: return read_head(head);
      case Reading::Counted:
      case Reading::ChunkData:
        if (at_ == size_) return Event::NeedMore;
        take_chunk();
        if (!discarding_) return Event::Chunk;
        break;
      case Reading::ChunkSize:
        if (!read_chunk_size()) return stopped();
        break;
      case Reading::ChunkEnd:
        if (!read_chunk_end()) return stopped();
        break;
      case Reading::Trailers:
        if (!read_trailers()) return stopped();
        if (reading_ == Reading::Trailers && !discarding_) return Event::Trailer;
        break;
      case Reading::Ended:
        reading_ = Reading::Complete;
        if (!discarding_) return Event::End;
        begin_next_if_complete();
        break;
      case Reading::Complete: return Event::NeedMore;
      case Reading::Switched:
      case Reading::Over: return Event::Closed;
    }
  }
}

// --- The head ---

// Lines are validated as soon as they are complete, so that the result does not depend on how the bytes were split.
// Between two calls, only positions and the framing are kept, no views: the bytes may move. The views of a head that
// arrived in several parts are therefore built again at its end, when all of it is valid.
Event Connection::read_head(RequestHead& head) {
  if (scanned_ == 0 && fields_ == 0) {
    const std::size_t size = head_cache_.read_head(unconsumed(), head, framing_);
    if (size != 0) return request_complete(head, size);
  }
  return read_new_head(head);
}

Event Connection::read_new_head(RequestHead& head) {
  head.clear();
  const bool resumed = fields_ != 0;
  LineScanner lines(unconsumed(), line_, scanned_);
  auto found = resumed ? Found::Line : read_request_line(head, lines);
  if (found == Found::Line && !resumed) {
    const std::size_t size = head_cache_.read_fields(unconsumed().substr(fields_), head, framing_);
    if (size != 0) return request_complete(head, fields_ + size);
  }
  if (found == Found::Line) found = read_fields(head, lines);
  if (found != Found::Line) {
    save_scan(lines);
    return stopped();
  }
  fault_ = framing_.validate();
  if (fault_ != Fault::None) return stopped();
  if (resumed) rebuild_views(head);
  head_cache_.store(unconsumed().substr(0, lines.start()), fields_, head, framing_);
  return request_complete(head, lines.start());
}

// Skips empty lines before it (RFC 9112, section 2.2).
LineScanner::Found Connection::read_request_line(RequestHead& head, LineScanner& lines) noexcept {
  for (;;) {
    const Found found = lines.next(limits_->request_line, Fault::RequestLineTooLong);
    if (found == Found::Fault && lines.fault() == Fault::RequestLineTooLong) {
      return lines.fail(request_line_length_fault(unconsumed().substr(0, limits_->request_line)));
    }
    if (found != Found::Line) return found;
    if (!lines.text().empty()) break;
    if (count_ == limits_->blank_lines) return lines.fail(Fault::BlankLines);
    ++count_;
    consume(lines.start());
    lines = LineScanner(unconsumed(), 0, 0);
  }
  framing_ = {};
  const Fault fault = parse_request_line(lines.text(), lines.token_end(), head, framing_);
  if (fault != Fault::None) return lines.fail(fault);
  fields_ = static_cast<std::uint32_t>(lines.start());
  count_ = 0;
  return Found::Line;
}

LineScanner::Found Connection::read_fields(RequestHead& head, LineScanner& lines) {
  for (;;) {
    const std::size_t used = lines.start() - fields_;
    const Found found = lines.next(rest_of(limits_->fields, used), Fault::FieldsTooLarge);
    if (found != Found::Line || lines.text().empty()) return found;
    Field field;
    Fault fault = parse_field_line(lines.text(), lines.token_end(), field);
    if (fault == Fault::None) fault = framing_.add_field(field.name, field.value);
    if (fault != Fault::None) return lines.fail(fault);
    if (count_ >= limits_->field_count) return lines.fail(Fault::TooManyFields);
    ++count_;
    head.fields.add(field.name, field.value);
  }
}

void Connection::rebuild_views(RequestHead& head) const {
  head.clear();
  LineScanner lines(unconsumed(), 0, 0);
  lines.next(limits_->request_line, Fault::RequestLineTooLong);
  Framing unused;
  parse_request_line(lines.text(), lines.token_end(), head, unused);
  while (lines.next(limits_->fields, Fault::FieldsTooLarge) == Found::Line && !lines.text().empty()) {
    Field field;
    parse_field_line(lines.text(), lines.token_end(), field);
    head.fields.add(field.name, field.value);
  }
}

Event Connection::request_complete(RequestHead& head, std::size_t size) noexcept {
  consume(size);
  head.method = framing_.method;
  head.version = framing_.version;
  // After a CONNECT, the client may already have sent bytes for the tunnel.
  close_ = !framing_.keep_alive() || framing_.method == Method::Connect;
  writing_ = Writing::Owed;
  if (framing_.has(Framing::Chunked)) {
    reading_ = Reading::ChunkSize;
    overhead_ = 0;
  } else {
    left_ = framing_.length;
    reading_ = left_ == 0 ? Reading::Ended : Reading::Counted;
  }
  return Event::Request;
}

// --- Content ---

// Makes the received part of the content, or of the current chunk, the chunk().
void Connection::take_chunk() noexcept {
  piece_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(size_ - at_, left_));
  at_ += piece_;
  left_ -= piece_;
  if (left_ == 0) reading_ = reading_ == Reading::Counted ? Reading::Ended : Reading::ChunkEnd;
}

// The steps below return whether reading continues; if not, more input is needed, or fault_ is set.

bool Connection::read_chunk_size() noexcept {
  LineScanner lines(unconsumed(), 0, scanned_);
  const std::size_t limit = max_chunk_size_digits + limits_->chunk_extensions;
  if (lines.next(limit, Fault::ChunkExtensionsTooLarge) != Found::Line) return save_scan(lines);
  ChunkLine chunk;
  fault_ = parse_chunk_line(lines.text(), chunk);
  if (fault_ != Fault::None || !within_extension_budget(chunk)) return false;
  consume(lines.start());
  left_ = chunk.size;
  reading_ = left_ == 0 ? Reading::Trailers : Reading::ChunkData;
  if (left_ == 0) overhead_ = count_ = 0;
  if (!discarding_ || may_discard(left_)) return true;
  abandon();
  return false;
}

// Extensions are bounded over the whole content, but content earns an allowance, so that an upload of any length may
// sign each of its chunks.
bool Connection::within_extension_budget(const ChunkLine& chunk) noexcept {
  if (chunk.extension > rest_of(limits_->chunk_extensions, overhead_)) {
    fault_ = Fault::ChunkExtensionsTooLarge;
    return false;
  }
  const std::size_t spent = overhead_ + chunk.extension;
  overhead_ = static_cast<std::uint32_t>(spent - std::min<std::uint64_t>(spent, chunk.size / 16));
  return true;
}

bool Connection::read_chunk_end() noexcept {
  const std::string_view rest = unconsumed();
  constexpr std::string_view line_end = "\r\n";
  if (!rest.starts_with(line_end.substr(0, rest.size()))) {
    fault_ = Fault::ChunkEnd;
    return false;
  }
  if (rest.size() < line_end.size()) return false;
  consume(line_end.size());
  reading_ = Reading::ChunkSize;
  return true;
}

// Reads one line. Trailers obey the rules of fields, and are never merged into them (RFC 9110, section 6.5.1).
bool Connection::read_trailers() noexcept {
  LineScanner lines(unconsumed(), 0, scanned_);
  if (lines.next(rest_of(limits_->trailers, overhead_), Fault::TrailersTooLarge) != Found::Line)
    return save_scan(lines);
  if (lines.text().empty()) {
    reading_ = Reading::Ended;
  } else {
    Field trailer;
    fault_ = parse_field_line(lines.text(), lines.token_end(), trailer);
    if (fault_ == Fault::None && count_ == limits_->field_count) fault_ = Fault::TooManyTrailers;
    if (fault_ != Fault::None) return false;
    ++count_;
    overhead_ += static_cast<std::uint32_t>(lines.start());
  }
  piece_ = static_cast<std::uint32_t>(lines.start());
  consume(lines.start());
  return true;
}

Field Connection::trailer() const noexcept {
  LineScanner lines(chunk(), 0, 0);
  lines.next(chunk().size(), Fault::TrailersTooLarge);
  Field trailer;
  parse_field_line(lines.text(), lines.token_end(), trailer);
  return trailer;
}

std::optional<std::string_view> Connection::take_content() noexcept {
  const bool here = reading_ == Reading::Ended || (reading_ == Reading::Counted && size_ - at_ >= left_);
  if (!here || discarding_) return std::nullopt;
  piece_ = 0;
  if (reading_ == Reading::Counted) take_chunk();
  reading_ = Reading::Complete;
  return chunk();
}

void Connection::advance_content(std::uint64_t bytes) noexcept {
  base::expects(bytes <= remaining_content(), "nothing is taken but content");
  left_ -= bytes;
  if (left_ == 0) reading_ = Reading::Ended;
}

// A client that waits for 100 Continue sends either no content or all of it; the server cannot know which.
bool Connection::discard_content(std::uint64_t at_most) noexcept {
  if (content_complete()) return true;
  discarding_ = true;
  discard_ = at_most;
  const bool in_view = reading_ == Reading::Counted || reading_ == Reading::ChunkData;
  if (!expects_continue() && may_discard(in_view ? left_ : 0)) return true;
  close_ = true;
  reading_ = Reading::Over;
  return false;
}

bool Connection::may_discard(std::uint64_t bytes) noexcept {
  if (bytes > discard_) return false;
  discard_ -= bytes;
  return true;
}

// --- Framing ---

std::optional<std::uint64_t> Connection::content_length() const noexcept {
  return framing_.has(Framing::HasLength) ? std::optional(framing_.length) : std::nullopt;
}

// Once content arrives, the client does not wait any more.
bool Connection::expects_continue() const noexcept {
  const bool untouched = reading_ == Reading::Counted ? left_ == framing_.length : reading_ == Reading::ChunkSize;
  return framing_.has(Framing::Continue) && untouched && at_ == size_;
}

Waiting Connection::waiting_for() const noexcept {
  switch (reading_) {
    case Reading::Head: return at_ == size_ ? Waiting::Idle : Waiting::Head;
    case Reading::Counted:
    case Reading::ChunkSize:
    case Reading::ChunkData:
    case Reading::ChunkEnd:
    case Reading::Trailers: return Waiting::Body;
    case Reading::Ended:
    case Reading::Complete:
    case Reading::Switched:
    case Reading::Over: break;
  }
  return Waiting::Nothing;
}

// --- Order ---

// Saves the scan position or the fault of an incomplete or faulty line. Always false: reading does not continue.
bool Connection::save_scan(const LineScanner& lines) noexcept {
  fault_ = lines.fault();
  line_ = static_cast<std::uint32_t>(lines.start());
  scanned_ = static_cast<std::uint32_t>(lines.scanned());
  return false;
}

void Connection::consume(std::size_t size) noexcept {
  at_ += static_cast<std::uint32_t>(size);
  line_ = scanned_ = 0;
}

// The event when reading does not continue.
Event Connection::stopped() noexcept {
  if (fault_ == Fault::None) return reading_ == Reading::Over ? Event::Closed : Event::NeedMore;
  const bool answered = writing_ == Writing::Finished;
  abandon();
  return answered ? Event::Closed : Event::Reject;
}

void Connection::abandon() noexcept {
  if (waiting_for() == Waiting::Head) writing_ = Writing::Owed;
  reading_ = Reading::Over;
  scanned_ = 0;
  close_ = true;
}

// Begins the next request once both the response and the content are complete. A response that is complete before the
// content waits for the content only while that is being discarded.
void Connection::begin_next_if_complete() noexcept {
  if (writing_ != Writing::Finished || reading_ == Reading::Switched) return;
  if (close_ || !(content_complete() || discarding_)) {
    abandon();
  } else if (content_complete()) {
    begin_next();
  }
}

// Resets the state for the next request.
void Connection::begin_next() noexcept {
  reading_ = Reading::Head;
  writing_ = Writing::Nothing;
  discarding_ = false;
  framing_ = {};
  fields_ = 0;
  count_ = 0;
}

}  // namespace tern::http1
