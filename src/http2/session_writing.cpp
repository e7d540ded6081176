// Writing: heads, content under flow control, trailers, resets (RFC 9113, section 8).
#include "http2/callbacks.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/expects.hpp>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace tern::http2 {
namespace {

constexpr std::size_t max_kept_text = 64 * 1024;  // sent bytes beyond which the rest is moved to the front
constexpr std::size_t max_kept_idle = 4 * 1024;   // bytes of memory that an idle stream may keep

// Fields in nghttp2's form, for one call: nghttp2 copies them, with names in lower case (RFC 9113, section 8.2.1).
class FieldList {
public:
  FieldList() = default;
  FieldList(const FieldList&) = delete;
  FieldList& operator=(const FieldList&) = delete;

  // A literal name, in lower case.
  void add(std::string_view name, std::string_view value) { push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME); }
  // The same with a value that outlives the session: it is not copied.
  void add_static(std::string_view name, std::string_view value) {
    push(name, value, NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE);
  }

  // The user's fields without the connection-specific ones (section 8.2.2).
  void add(const Fields& fields) {
    for (const Field& field : fields) {
      if (!concerns_connection(field.name)) push(field.name, field.value, NGHTTP2_NV_FLAG_NONE);
    }
  }

  const nghttp2_nv* data() const noexcept { return more_.empty() ? few_ : more_.data(); }
  std::size_t size() const noexcept { return static_cast<std::size_t>(next_ - data()); }

private:
  static constexpr std::size_t few = 12;  // enough for most responses

  void push(std::string_view name, std::string_view value, unsigned flags) {
    if (next_ == end_) [[unlikely]]
      grow();
    const auto bytes = [](std::string_view text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    *next_++ = {bytes(name), bytes(value), name.size(), value.size(), static_cast<std::uint8_t>(flags)};
  }

  void grow() {
    const std::size_t count = size();
    if (more_.empty()) more_.assign(few_, few_ + count);
    more_.resize(2 * count);
    next_ = more_.data() + count;
    end_ = more_.data() + more_.size();
  }

  static bool concerns_connection(std::string_view name) noexcept {
    using base::equals_ignoring_case;
    switch (name.size()) {
      case 7: return equals_ignoring_case(name, "upgrade");
      case 10: return equals_ignoring_case(name, "connection") || equals_ignoring_case(name, "keep-alive");
      case 16: return equals_ignoring_case(name, "proxy-connection");
      case 17: return equals_ignoring_case(name, "transfer-encoding");
      default: return false;
    }
  }

  nghttp2_nv few_[few];
  nghttp2_nv* next_ = few_;
  nghttp2_nv* end_ = few_ + few;
  std::vector<nghttp2_nv> more_;  // all of them, once there are more than `few`
};

// A number as text, without an allocation.
class Digits {
public:
  explicit Digits(std::uint64_t number) noexcept
      : size_(static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof text_, number).ptr - text_)) {}
  std::string_view text() const noexcept { return {text_, size_}; }

private:
  char text_[20];
  std::size_t size_;
};

bool has_field(const Fields* fields, std::string_view name) noexcept {
  return fields != nullptr && fields->may_have(name) && fields->find(name).has_value();
}

// RFC 9110, section 8.6 and 15.3.6: a 304 has the length that a 200 would have had, or none.
bool tells_length(Status status, std::size_t length) noexcept {
  return status != Status::NoContent && (status != Status::NotModified || length != 0);
}

bool forbids(Status status, bool to_head) noexcept {
  return to_head || forbids_content(status) || status == Status::ResetContent;
}

}  // namespace

// --- Callbacks of nghttp2 ---

ssize_t Session::Callbacks::read_content(nghttp2_session* session, std::int32_t id, std::uint8_t*, std::size_t room,
                                         std::uint32_t* flags, nghttp2_data_source* source, void*) {
  Stream& stream = *static_cast<Stream*>(source->ptr);
  const std::size_t rest = stream.unsent();
  const std::size_t size = std::min(rest, room);
  if (size == 0 && !stream.finished_) {
    stream.deferred_ = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  if (size == rest && stream.finished_) {
    *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (!stream.trailers_.empty()) {
      FieldList list;
      list.add(stream.trailers_);
      if (nghttp2_submit_trailer(session, id, list.data(), list.size()) != 0) return NGHTTP2_ERR_CALLBACK_FAILURE;
      *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
    }
  }
  return static_cast<ssize_t>(size);
}

int Session::Callbacks::send_content(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* frame_head,
                                     std::size_t size, nghttp2_data_source* source, void* user) {
  Session& session = self(user);
  Stream& stream = *static_cast<Stream*>(source->ptr);
  if (session.out_->size() >= session.stop_at_) return NGHTTP2_ERR_WOULDBLOCK;
  base::expects(frame->data.padlen == 0, "content is not padded");
  const std::size_t before = session.out_->size();
  const std::string_view written = stream.unsent_content().substr(0, size);
  session.out_->append(reinterpret_cast<const char*>(frame_head), 9);
  session.out_->append(written);
  if (written.size() != size && !stream.read_source(*session.out_, size - written.size())) {
    session.out_->erase(before);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // nghttp2 resets the stream
  }
  stream.sent_ += written.size();
  stream.delivered_ += size;
  session.delivered_ += size;
  session.window_updates_.add(2);
  session.recent_ = &stream;
  if (size != 0) {
    stream.events_.room = true;
    session.queue(stream);
  }
  return 0;
}

int Session::Callbacks::on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Session& self = Callbacks::self(user);
  const nghttp2_frame_hd& head = frame->hd;
  if (head.type == NGHTTP2_RST_STREAM) {
    self.reset_by_us_[self.resets_sent_++ % self.reset_by_us_.size()] = head.stream_id;
    // Resets because of the server's own faults or timeouts do not count against the client.
    const std::uint32_t why = frame->rst_stream.error_code;
    const bool ours = why == NGHTTP2_NO_ERROR || why == NGHTTP2_INTERNAL_ERROR || why == NGHTTP2_CANCEL;
    if (!ours) self.spend(self.resets_);
    return 0;
  }
  if (head.type == NGHTTP2_GOAWAY && frame->goaway.error_code != NGHTTP2_NO_ERROR) self.sent_fault_ = true;
  if (head.type != NGHTTP2_DATA && head.type != NGHTTP2_HEADERS) return 0;
  if (!is(head.flags, NGHTTP2_FLAG_END_STREAM)) return 0;
  Stream* stream = self.find(head.stream_id);
  if (stream == nullptr) return 0;
  stream->answered_ = true;
  stream->events_.answered = true;
  self.queue(*stream);
  self.stop_content(*stream);
  return 0;
}

// The head was too large, for example. Without a reset, the client would wait for the response.
int Session::Callbacks::on_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int, void* user) {
  if (frame->hd.type != NGHTTP2_HEADERS || self(user).find(frame->hd.stream_id) == nullptr) return 0;
  return nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, frame->hd.stream_id, NGHTTP2_INTERNAL_ERROR);
}

// --- Responses ---

void Session::inform(Stream& stream, Status status, const Fields* fields) {
  base::expects(code(status) >= 100 && code(status) < 200 && status != Status::SwitchingProtocols,
                "an interim response is 100, 102 or 103");
  if (stream.closed_) return;
  if (status == Status::Continue) stream.expects_continue_ = false;
  const Digits digits(static_cast<std::uint64_t>(code(status)));
  FieldList list;
  list.add(":status", digits.text());
  if (fields != nullptr) list.add(*fields);
  check_result(
      nghttp2_submit_headers(session_, NGHTTP2_FLAG_NONE, stream.id_, nullptr, list.data(), list.size(), nullptr));
}

// `length` is sent where it is allowed; `content`: DATA frames follow.
void Session::submit(Stream& stream, const ResponseHead& head, std::optional<std::size_t> length, bool content) {
  const Digits status(static_cast<std::uint64_t>(code(head.status)));
  const Digits digits(length.value_or(0));
  FieldList list;
  if (head.status == Status::Ok) {
    list.add_static(":status", "200");
  } else {
    list.add(":status", status.text());
  }
  if (!head.date.empty() && !has_field(head.fields, "date")) list.add("date", head.date);
  if (!head.server.empty() && !has_field(head.fields, "server")) list.add_static("server", head.server);
  if (!head.content_type.empty()) list.add("content-type", head.content_type);
  if (head.fields != nullptr) list.add(*head.fields);
  if (length && tells_length(head.status, *length)) list.add("content-length", digits.text());
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = &Callbacks::Guarded<&Callbacks::read_content>::run;
  check_result(nghttp2_submit_response(session_, stream.id_, list.data(), list.size(), content ? &provider : nullptr));
}

void Session::answer(Stream& stream, const ResponseHead& head, std::string&& content) {
  const bool follows = !content.empty() && !forbids(head.status, stream.to_head_);
  const std::size_t length = head.status == Status::ResetContent ? 0 : content.size();
  stream.owned_ = std::move(content);
  stream.finished_ = true;
  if (stream.closed_) return;
  submit(stream, head, length, follows);
  if (!follows) stream.sent_ = stream.owned_.size();
}

void Session::answer_borrowed(Stream& stream, const ResponseHead& head, std::string_view content) {
  if (content.empty()) return answer(stream, head, std::string());
  const bool follows = !forbids(head.status, stream.to_head_);
  stream.borrowed_ = content;
  stream.finished_ = true;
  if (stream.closed_) return;
  submit(stream, head, head.status == Status::ResetContent ? 0 : content.size(), follows);
  if (!follows) stream.sent_ = content.size();
}

bool Session::respond(Stream& stream, const ResponseHead& head) {
  const bool follows = !forbids(head.status, stream.to_head_) && head.content_length != 0;
  stream.finished_ = !follows;
  if (!stream.closed_) submit(stream, head, head.content_length, follows);
  return follows;
}

void Session::write(Stream& stream, std::string_view bytes) {
  base::expects(!stream.finished_, "content comes between respond() and finish()");
  base::expects(stream.unread_ == 0, "nothing is written behind a source that was not read");
  if (stream.closed_ || bytes.empty()) return;
  if (stream.sent_ == stream.owned_.size() || stream.sent_ > max_kept_text) {
    stream.owned_.erase(0, std::exchange(stream.sent_, 0));
  }
  stream.owned_.append(bytes);
  resume(stream);
}

void Session::write_from(Stream& stream, ContentSource& source, std::size_t size) {
  base::expects(!stream.finished_, "content comes between respond() and finish()");
  base::expects(stream.unread_ == 0 || stream.source_ == &source, "a stream has one source at a time");
  if (stream.closed_ || size == 0) return;
  stream.source_ = &source;
  stream.unread_ += size;
  resume(stream);
}

void Session::finish(Stream& stream, const Fields& trailers) {
  base::expects(!stream.finished_, "finish() ends an answer that has begun");
  stream.finished_ = true;
  if (stream.closed_) return;
  stream.trailers_ = trailers;
  resume(stream);
}

void Session::trim(Stream& stream) {
  if (stream.sent_ != stream.owned_.size() || stream.owned_.capacity() <= max_kept_idle) return;
  std::string().swap(stream.owned_);  // assigning an empty one keeps the memory
  stream.sent_ = 0;
}

void Session::resume(Stream& stream) {
  if (std::exchange(stream.deferred_, false)) check_result(nghttp2_session_resume_data(session_, stream.id_));
}

void Session::prioritize(Stream& stream) {
  if (stream.closed_) return;
  const nghttp2_extpri priority{.urgency = NGHTTP2_EXTPRI_DEFAULT_URGENCY - 1, .inc = 1};
  check_result(nghttp2_session_change_extpri_stream_priority(session_, stream.id_, &priority, 0));
}

void Session::reset(Stream& stream, ErrorCode why) {
  if (stream.closed_) return;
  const auto code = static_cast<std::uint32_t>(why);
  // Out of memory: ends the connection, because the stream must not look complete.
  if (nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream.id_, code) != 0) terminate(ErrorCode::Internal);
}

bool Session::lacks_window(const Stream& stream) const noexcept {
  return nghttp2_session_get_stream_remote_window_size(session_, stream.id_) <= 0;
}

bool Session::lacks_window() const noexcept {
  return nghttp2_session_get_remote_window_size(session_) <= 0;
}

std::size_t Session::window(const Stream& stream) const noexcept {
  const std::int32_t least = std::min(nghttp2_session_get_stream_remote_window_size(session_, stream.id_),
                                      nghttp2_session_get_remote_window_size(session_));
  return static_cast<std::size_t>(std::max(least, 0));
}

void Session::send(std::string& out) {
  if (aborted_) return;
  out_ = &out;
  stop_at_ = out.size() + limits_->max_send_bytes;
  while (out.size() < stop_at_) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size < 0) over_ = aborted_ = true;  // out of memory: only the output so far is sent
    thrown_ = nullptr;                      // the same bad_alloc
    if (size <= 0) break;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  out_ = nullptr;
  if (fault_ != ErrorCode::None) terminate(fault_);
}

}  // namespace tern::http2
