// Reading, rate limits, and the ends of streams and sessions. Writing is in session_writing.cpp.
#include "http2/session.hpp"

#include "http2/callbacks.hpp"

#include <tern/base/ascii.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

namespace tern::http2 {
namespace {

constexpr std::uint64_t max_dropped = 64 * 1024;   // bytes of unwanted content for which a stream is kept open
constexpr std::size_t max_acknowledgements = 200;  // SETTINGS and PING acknowledgements in the output queue
constexpr std::size_t max_head = 1024 * 1024;      // of a response head, as nghttp2 estimates it
constexpr std::array<std::uint8_t, 8> drain_ping = {'d', 'r', 'a', 'i', 'n', 'i', 'n', 'g'};

struct OptionDeleter {
  void operator()(nghttp2_option* option) const noexcept { nghttp2_option_del(option); }
};

struct CallbacksDeleter {
  void operator()(nghttp2_session_callbacks* calls) const noexcept { nghttp2_session_callbacks_del(calls); }
};

std::unique_ptr<nghttp2_option, OptionDeleter> make_options() {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) throw std::bad_alloc();
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_http_messaging(option, 1);  // RequestRules does that
  nghttp2_option_set_max_outbound_ack(option, max_acknowledgements);
  nghttp2_option_set_max_send_header_block_length(option, max_head);
  nghttp2_option_set_builtin_recv_extension_type(option, NGHTTP2_PRIORITY_UPDATE);
  return std::unique_ptr<nghttp2_option, OptionDeleter>(option);
}

std::string_view view(nghttp2_rcbuf* buffer) noexcept {
  const nghttp2_vec text = nghttp2_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(text.base), text.len};
}

}  // namespace

// --- Callbacks of nghttp2 ---

// nghttp2 bounds the number of CONTINUATION frames.
int Session::Callbacks::on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
  Session& session = self(user);
  if (head->type == NGHTTP2_HEADERS && session.is_over(head->stream_id)) session.fault_ = ErrorCode::StreamClosed;
  // The client has closed the stream as well.
  if (head->type == NGHTTP2_RST_STREAM) std::ranges::replace(session.reset_by_us_, head->stream_id, 0);
  if (!session.count(head->type, head->flags) || session.fault_ != ErrorCode::None) return NGHTTP2_ERR_CALLBACK_FAILURE;
  return 0;
}

int Session::Callbacks::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Session& session = self(user);
  const bool trailers = frame->headers.cat != NGHTTP2_HCAT_REQUEST;
  const std::int32_t id = frame->hd.stream_id;
  session.rules_.begin(trailers);
  session.heads_.begin(trailers ? session.find(id) : session.open(id), trailers);
  return 0;
}

int Session::Callbacks::on_header(nghttp2_session*, const nghttp2_frame* frame, nghttp2_rcbuf* name,
                                  nghttp2_rcbuf* value, std::uint8_t, void* user) {
  Session& session = self(user);
  const bool static_name = nghttp2_rcbuf_is_static(name) != 0;
  const bool static_value = nghttp2_rcbuf_is_static(value) != 0;
  switch (session.rules_.field(view(name), static_name, view(value))) {
    case RequestRules::Verdict::Good: break;
    case RequestRules::Verdict::Invalid:
      if (!session.heads_.in_trailers()) {
        session.heads_.invalid_field();
        break;
      }
      [[fallthrough]];  // the request may be in progress already
    case RequestRules::Verdict::Malformed:
      session.malformed(frame->hd.stream_id);
      session.heads_.abandon();
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  if (session.heads_.field(view(name), static_name, view(value), static_value)) return 0;
  session.fault_ = ErrorCode::EnhanceYourCalm;
  return NGHTTP2_ERR_CALLBACK_FAILURE;
}

int Session::Callbacks::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
  Session& session = self(user);
  const nghttp2_frame_hd& head = frame->hd;
  Stream* stream = head.stream_id != 0 ? session.find(head.stream_id) : nullptr;
  switch (head.type) {
    case NGHTTP2_HEADERS: session.end_head(head.stream_id, stream, is(head.flags, NGHTTP2_FLAG_END_STREAM)); break;
    case NGHTTP2_DATA: {
      const bool ends = is(head.flags, NGHTTP2_FLAG_END_STREAM);
      const bool empty = head.length == frame->data.padlen;
      if (empty && !ends && !session.spend(session.empty_data_)) return NGHTTP2_ERR_CALLBACK_FAILURE;
      if (stream != nullptr && ends) session.content_ended(*stream);
      break;
    }
    case NGHTTP2_SETTINGS: session.preface_received_ = true; break;
    case NGHTTP2_PRIORITY_UPDATE: {
      const auto& update = *static_cast<const nghttp2_ext_priority_update*>(frame->ext.payload);
      session.on_priority_update(update.stream_id,
                                 {reinterpret_cast<const char*>(update.field_value), update.field_value_len});
      break;
    }
    case NGHTTP2_PING:
      if (is(head.flags, NGHTTP2_FLAG_ACK) && std::ranges::equal(frame->ping.opaque_data, drain_ping))
        session.refuse_streams();
      break;
    default: break;
  }
  return 0;
}

int Session::Callbacks::on_data(nghttp2_session* session, std::uint8_t, std::int32_t id, const std::uint8_t* data,
                                std::size_t size, void* user) {
  Stream* stream = self(user).find(id);
  if (stream != nullptr && self(user).content_arrived(*stream, {reinterpret_cast<const char*>(data), size})) return 0;
  return nghttp2_session_consume(session, id, size) == 0 ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

int Session::Callbacks::on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* user) {
  if (Stream* stream = self(user).find(id)) self(user).closed(*stream);
  return 0;
}

nghttp2_session_callbacks* Session::Callbacks::make() {
  nghttp2_session_callbacks* calls = nullptr;
  if (nghttp2_session_callbacks_new(&calls) != 0) throw std::bad_alloc();
  nghttp2_session_callbacks_set_on_begin_frame_callback(calls, &Guarded<&on_begin_frame>::run);
  nghttp2_session_callbacks_set_on_begin_headers_callback(calls, &Guarded<&on_begin_headers>::run);
  nghttp2_session_callbacks_set_on_header_callback2(calls, &Guarded<&on_header>::run);
  nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &Guarded<&on_frame>::run);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &Guarded<&on_data>::run);
  nghttp2_session_callbacks_set_on_stream_close_callback(calls, &Guarded<&on_stream_close>::run);
  nghttp2_session_callbacks_set_on_frame_send_callback(calls, &Guarded<&on_sent>::run);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(calls, &Guarded<&on_not_sent>::run);
  nghttp2_session_callbacks_set_send_data_callback(calls, &Guarded<&send_content>::run);
  return calls;
}

// --- The session ---

Session::Session(const Limits& limits, StreamFactory& streams)
    : limits_(&limits),
      stream_factory_(&streams),
      rules_(limits.extended_connect),
      heads_(limits),
      resets_(limits.resets),
      settings_(limits.settings),
      pings_(limits.pings),
      priorities_(limits.priorities),
      empty_data_(limits.empty_data),
      window_updates_(limits.window_updates) {
  const auto options = make_options();
  const std::unique_ptr<nghttp2_session_callbacks, CallbacksDeleter> calls(Callbacks::make());
  nghttp2_mem memory = allocator_of(memory_);
  if (nghttp2_session_server_new3(&session_, calls.get(), this, options.get(), &memory) != 0) {
    throw std::bad_alloc();
  }
  const std::array<nghttp2_settings_entry, 5> ours = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, limits.streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, limits.stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, static_cast<std::uint32_t>(limits.fields)},
      {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, limits.extended_connect ? 1U : 0U},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  }};
  const int settled = nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, ours.data(), ours.size());
  const auto window = static_cast<std::int32_t>(limits.connection_window);
  if (settled != 0 || nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, window) != 0) {
    if (!memory_.has_failed()) nghttp2_session_del(session_);
    throw std::bad_alloc();
  }
}

Session::~Session() {
  if (!memory_.has_failed()) nghttp2_session_del(session_);
}

bool Session::receive(std::string_view bytes, std::uint64_t now) {
  now_ = now;
  const auto over = [this](std::int32_t id) { return is_over(id); };
  std::string_view rest = bytes;  // not scanned yet; `bytes` are those that nghttp2 has not received
  while (!over_ && !bytes.empty()) {
    const FrameScanner::Found found = frames_.scan(rest, over);
    if (found == FrameScanner::Found::Block) {
      scan_block(bytes, rest);
      continue;
    }
    read_frames(bytes.substr(0, bytes.size() - rest.size()));
    if (found == FrameScanner::Found::Protocol) terminate(ErrorCode::Protocol);
    if (found == FrameScanner::Found::StreamClosed) terminate(ErrorCode::StreamClosed);
    bytes = rest;
  }
  return !over_;
}

// At the payload of a frame with a header block, at the begin of `rest`. Reads the frame here if its block is cached or
// cacheable; otherwise it is read with the next bytes.
void Session::scan_block(std::string_view& bytes, std::string_view& rest) {
  const std::size_t size = frames_.payload();
  const auto before = static_cast<std::size_t>(rest.data() - bytes.data());
  if (!frames_.is_whole_block() || size > rest.size() || before < FrameScanner::head) return block_cache_.forget();
  const std::string_view block = rest.substr(0, size);
  bool cacheable = false;
  const CachedHeaderBlock* cached = block_cache_.find(block, cacheable);
  if (!frames_.ends_stream() || (cached == nullptr && !cacheable)) return;
  if (before > FrameScanner::head) read_frames(bytes.substr(0, before - FrameScanner::head));
  bytes.remove_prefix(before + size);
  rest = bytes;
  frames_.skip_payload();
  if (over_) return;
  if (cached != nullptr) {
    read_cached(*cached);
  } else {
    block_to_cache_ = block;
    read_frames({block.data() - FrameScanner::head, FrameScanner::head + size});
    block_to_cache_ = {};
  }
}

// nghttp2 does not see a cached block: decoding it again would not change its table.
void Session::read_cached(const CachedHeaderBlock& cached) {
  const auto head = frames_.head_with(0);
  cached_block_ = &cached;
  read_frames({head.data(), head.size()});
  cached_block_ = nullptr;
}

void Session::read_frames(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t result = nghttp2_session_mem_recv(session_, data, bytes.size());
  if (thrown_) {
    cached_block_ = nullptr;
    block_to_cache_ = {};
    rethrow();
  }
  // Bounds the output queue of a client that does not read but provokes output, such as resets of streams beyond the
  // limit.
  const std::size_t max_waiting = max_acknowledgements + 8 * std::size_t{limits_->streams};
  if (nghttp2_session_get_outbound_queue_size(session_) > max_waiting) return terminate(ErrorCode::EnhanceYourCalm);
  if (result >= 0) return;
  const bool flooded = result == NGHTTP2_ERR_FLOODED || result == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS;
  if (fault_ != ErrorCode::None) {
    terminate(fault_);
  } else if (flooded) {
    terminate(ErrorCode::EnhanceYourCalm);
  } else {
    terminate(result == NGHTTP2_ERR_NOMEM ? ErrorCode::Internal : ErrorCode::Protocol);
  }
}

// An exception of a callback leaves nghttp2 in the middle of a frame: it cannot continue.
void Session::rethrow() {
  over_ = aborted_ = true;
  std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool Session::spend(TokenBucket& bucket) noexcept {
  if (bucket.take(now_)) return true;
  fault_ = ErrorCode::EnhanceYourCalm;
  return false;
}

// Applies the rate limit of a frame's type.
bool Session::count(std::uint8_t type, std::uint8_t flags) noexcept {
  const bool acknowledges = Callbacks::is(flags, NGHTTP2_FLAG_ACK);
  switch (type) {
    case NGHTTP2_SETTINGS: return acknowledges || spend(settings_);
    case NGHTTP2_PING: return acknowledges || spend(pings_);
    case NGHTTP2_PRIORITY:
    case NGHTTP2_PRIORITY_UPDATE: return spend(priorities_);
    case NGHTTP2_RST_STREAM: ++resets_received_; return spend(resets_);
    case NGHTTP2_WINDOW_UPDATE: return spend(window_updates_);
    default: return true;
  }
}

// Whether both sides know that the stream is closed: frames may cross a reset (RFC 9113, section 5.1).
bool Session::is_over(std::int32_t id) const noexcept {
  if (id > last_id_ || find(id) != nullptr) return false;
  return id % 2 == 1 && std::ranges::find(reset_by_us_, id) == reset_by_us_.end();
}

// Caches the last stream: consecutive events usually concern the same one.
Stream* Session::find(std::int32_t id) const noexcept {
  if (recent_ != nullptr && recent_->id_ == id) return recent_;
  return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_, id));
}

// Ends a header block.
void Session::end_head(std::int32_t id, Stream* stream, bool ends) {
  if (heads_.in_trailers()) {
    heads_.end();
    if (!ends || cached_block_ != nullptr) return malformed(id);
  } else if (cached_block_ != nullptr) {
    heads_.end(*cached_block_);
    if (stream != nullptr) begin_request(*stream, cached_block_->priority());
  } else {
    heads_.end();
    if (!rules_.complete() || (ends && rules_.length().value_or(0) != 0)) return malformed(id);
    if (stream != nullptr) {
      stream->length_ = rules_.length();
      begin_request(*stream, rules_.priority());
    }
    const RequestHead* head = heads_.cacheable_head();
    if (!block_to_cache_.empty() && head != nullptr) block_cache_.store(block_to_cache_, *head, rules_.priority());
  }
  if (stream != nullptr && ends) content_ended(*stream);
}

// A PRIORITY_UPDATE takes precedence over the Priority field (RFC 9218, section 7).
void Session::begin_request(Stream& stream, const std::optional<Priority>& priority) {
  stream.events_.request = true;
  queue(stream);
  std::optional<Priority> counts = priority;
  for (const EarlyPriority& early : early_priorities_) {
    if (early.id == stream.id_) counts = early.priority;
  }
  if (!counts) return;
  const nghttp2_extpri same{.urgency = counts->urgency, .inc = counts->incremental ? 1 : 0};
  check_result(nghttp2_session_change_extpri_stream_priority(session_, stream.id_, &same, 0));
}

// Stores the PRIORITY_UPDATE for a stream that has not begun, for at most Limits::streams of them; nghttp2 handles it
// for existing ones. A value without members means the defaults; a malformed one is ignored.
void Session::on_priority_update(std::int32_t id, std::string_view value) {
  if (id <= last_id_) return;
  const std::optional<Priority> priority = base::trim(value).empty() ? Priority() : parse_priority(value, std::nullopt);
  if (!priority) return;
  std::erase_if(early_priorities_, [&](const EarlyPriority& early) { return early.id <= last_id_ || early.id == id; });
  if (early_priorities_.size() < limits_->streams) early_priorities_.push_back({id, *priority});
}

// RFC 9113, section 8.1.1.
void Session::malformed(std::int32_t id) {
  check_result(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR));
}

Stream* Session::open(std::int32_t id) {
  last_id_ = id;
  Stream* stream = stream_factory_->open_stream();
  if (stream == nullptr) {
    check_result(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM));
    return nullptr;
  }
  stream->id_ = id;
  check_result(nghttp2_session_set_stream_user_data(session_, id, stream));
  recent_ = stream;
  ++streams_;
  return stream;
}

void Session::queue(Stream& stream) noexcept {
  if (std::exchange(stream.queued_, true)) return;
  stream.next_ = nullptr;
  (last_ != nullptr ? last_->next_ : first_) = &stream;
  last_ = &stream;
}

Stream* Session::next() noexcept {
  Stream* stream = first_;
  if (stream == nullptr || over_) return nullptr;
  first_ = stream->next_;
  if (first_ == nullptr) last_ = nullptr;
  stream->queued_ = false;
  return stream;
}

// --- Content of requests ---

// False if it exceeds the announced length.
bool Session::content_arrived(Stream& stream, std::string_view bytes) {
  stream.content_began_ = true;
  stream.received_ += bytes.size();
  if (stream.length_ && stream.received_ > *stream.length_) {
    malformed(stream.id_);
    return false;
  }
  if (stream.exempt_) check_result(nghttp2_session_consume_connection(session_, bytes.size()));
  if (!stream.unwanted_ && !stream.append_content(bytes)) {
    discard(stream);
    reset(stream, ErrorCode::Internal);
  }
  if (stream.unwanted_) {
    drop(stream, bytes.size());
    return true;
  }
  stream.events_.content = true;
  queue(stream);
  return true;
}

void Session::content_ended(Stream& stream) {
  if (stream.length_ && stream.received_ != *stream.length_) return malformed(stream.id_);
  stream.content_began_ = stream.content_complete_ = true;
  stream.events_.content = true;
  queue(stream);
}

void Session::read(Stream& stream, std::string& into) {
  into.clear();
  std::swap(into, stream.inbox_);
  consumed(stream, into.size());
}

void Session::discard(Stream& stream) {
  stream.unwanted_ = true;
  if (!stream.inbox_.empty()) drop(stream, std::exchange(stream.inbox_, {}).size());
}

void Session::drop(Stream& stream, std::size_t bytes) {
  if (stream.closed_) return;
  stream.dropped_ += bytes;
  if (stream.dropped_ <= max_dropped) return consumed(stream, bytes);
  return_connection_window(stream, bytes);
  if (stream.answered_) stop_content(stream);
}

// After the response: rejects the rest of the content if it is large (RFC 9113, section 8.1).
void Session::stop_content(Stream& stream) {
  if (stream.content_complete_) return;
  const std::uint64_t rest = stream.length_.value_or(0) - std::min(stream.length_.value_or(0), stream.received_);
  if (stream.dropped_ > max_dropped || rest > max_dropped) reset(stream, ErrorCode::None);
}

// Returns the bytes to the client's windows; to the stream's only while the client may still send on it.
void Session::consumed(Stream& stream, std::size_t bytes) {
  if (bytes == 0 || stream.closed_) return;
  if (!stream.content_complete_) check_result(nghttp2_session_consume_stream(session_, stream.id_, bytes));
  return_connection_window(stream, bytes);
}

// Returns bytes to the connection's window.
void Session::return_connection_window(const Stream& stream, std::size_t bytes) {
  if (bytes != 0 && !stream.exempt_) check_result(nghttp2_session_consume_connection(session_, bytes));
}

void Session::exempt_from_connection_window(Stream& stream) {
  if (stream.closed_) return;
  return_connection_window(stream, stream.inbox_.size());
  stream.exempt_ = true;
}

bool Session::window_is_full() const noexcept {
  return nghttp2_session_get_effective_recv_data_length(session_) >=
         nghttp2_session_get_effective_local_window_size(session_);
}

void Session::ping() {
  if (!over_) check_result(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr));
}

// --- Ends ---

// Content that was not read is discarded, and returned to the connection's window.
void Session::closed(Stream& stream) {
  return_connection_window(stream, stream.inbox_.size());
  stream.inbox_.clear();
  heads_.forget(stream);
  if (recent_ == &stream) recent_ = nullptr;
  stream.closed_ = true;
  stream.events_.closed = true;
  --streams_;
  queue(stream);
}

void Session::drain() {
  if (over_ || std::exchange(draining_, true)) return;
  check_result(nghttp2_submit_shutdown_notice(session_));
  check_result(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, drain_ping.data()));
}

void Session::refuse_streams() {
  draining_ = true;
  if (over_ || std::exchange(refusing_, true)) return;
  const std::int32_t last = nghttp2_session_get_last_proc_stream_id(session_);
  check_result(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0));
}

void Session::terminate(ErrorCode why) {
  if (std::exchange(over_, true)) return;
  check_result(nghttp2_session_terminate_session(session_, static_cast<std::uint32_t>(why)));
}

bool Session::done() const noexcept {
  if (aborted_) return true;
  if (nghttp2_session_want_write(session_) != 0) return false;
  return over_ || (refusing_ && streams_ == 0) || nghttp2_session_want_read(session_) == 0;
}

}  // namespace tern::http2
