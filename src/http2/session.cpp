// Reading, counting, and the ends of streams and sessions. What is written is in session_writing.cpp.
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

constexpr std::uint64_t max_dropped = 64 * 1024;   // bytes of unwanted content that are worth keeping a stream
constexpr std::size_t max_acknowledgements = 200;  // of SETTINGS and PING, waiting to be sent
constexpr std::size_t max_head = 1024 * 1024;      // bytes of the head of an answer, as nghttp2 estimates them
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
  nghttp2_option_set_no_http_messaging(option, 1);  // RequestRules look after that
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

// --- What nghttp2 calls ---

// How many CONTINUATION frames there may be is bounded by nghttp2.
int Session::Callbacks::on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* user) {
  Session& session = self(user);
  if (head->type == NGHTTP2_HEADERS && session.is_over(head->stream_id)) session.fault_ = ErrorCode::StreamClosed;
  // The client knows that it is over, too.
  if (head->type == NGHTTP2_RST_STREAM) std::ranges::replace(session.we_reset_, head->stream_id, 0);
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
  const bool name_lasts = nghttp2_rcbuf_is_static(name) != 0;
  const bool value_lasts = nghttp2_rcbuf_is_static(value) != 0;
  switch (session.rules_.field(view(name), name_lasts, view(value))) {
    case RequestRules::Verdict::Good: break;
    case RequestRules::Verdict::Unfit:
      if (!session.heads_.in_trailers()) {
        session.heads_.unfit_field();
        break;
      }
      [[fallthrough]];  // the request may be served already
    case RequestRules::Verdict::Malformed:
      session.malformed(frame->hd.stream_id);
      session.heads_.give_up();
      return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
  }
  if (session.heads_.field(view(name), name_lasts, view(value), value_lasts)) return 0;
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
      if (empty && !ends && !session.take(session.empty_data_)) return NGHTTP2_ERR_CALLBACK_FAILURE;
      if (stream != nullptr && ends) session.content_ended(*stream);
      break;
    }
    case NGHTTP2_SETTINGS: session.greeted_ = true; break;
    case NGHTTP2_PRIORITY_UPDATE: {
      const auto& update = *static_cast<const nghttp2_ext_priority_update*>(frame->ext.payload);
      session.told_priority(update.stream_id,
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
  nghttp2_session_callbacks_set_send_data_callback(calls, &Guarded<&take>::run);
  return calls;
}

// --- The session ---

Session::Session(const Limits& limits, Owner& owner)
    : limits_(&limits),
      owner_(&owner),
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
  nghttp2_mem memory = functions_of(memory_);
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
  std::string_view rest = bytes;  // that nobody has looked at; `bytes` are those that nobody has read
  while (!over_ && !bytes.empty()) {
    const FrameScanner::Found found = frames_.look(rest, over);
    if (found == FrameScanner::Found::Block) {
      look_at_block(bytes, rest);
      continue;
    }
    read_frames(bytes.substr(0, bytes.size() - rest.size()));
    if (found == FrameScanner::Found::Protocol) terminate(ErrorCode::Protocol);
    if (found == FrameScanner::Found::StreamClosed) terminate(ErrorCode::StreamClosed);
    bytes = rest;
  }
  return !over_;
}

// At the payload of a frame with a header block, where `rest` begins. One that is known, or is to be known from now on,
// is read here; others are left to be read with what comes next.
void Session::look_at_block(std::string_view& bytes, std::string_view& rest) {
  const std::size_t size = frames_.payload();
  const auto before = static_cast<std::size_t>(rest.data() - bytes.data());
  if (!frames_.is_whole_block() || size > rest.size() || before < FrameScanner::head) return blocks_.forget();
  const std::string_view block = rest.substr(0, size);
  bool worth_keeping = false;
  const KnownBlock* known = blocks_.find(block, worth_keeping);
  if (!frames_.ends_stream() || (known == nullptr && !worth_keeping)) return;
  if (before > FrameScanner::head) read_frames(bytes.substr(0, before - FrameScanner::head));
  bytes.remove_prefix(before + size);
  rest = bytes;
  frames_.pass();
  if (over_) return;
  if (known != nullptr) {
    read_known(*known);
  } else {
    new_block_ = block;
    read_frames({block.data() - FrameScanner::head, FrameScanner::head + size});
    new_block_ = {};
  }
}

// Of a block that is known nghttp2 sees nothing: it would decode what has been decoded, and the table stays as it is.
void Session::read_known(const KnownBlock& known) {
  const auto head = frames_.head_with(0);
  known_ = &known;
  read_frames({head.data(), head.size()});
  known_ = nullptr;
}

void Session::read_frames(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const ssize_t result = nghttp2_session_mem_recv(session_, data, bytes.size());
  if (thrown_) {
    known_ = nullptr;
    new_block_ = {};
    throw_on();
  }
  // A client that takes nothing while it makes us say much, such as resets of the streams past their number.
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

// What was thrown by a callback has left nghttp2 in the middle of a frame, which it cannot go on from.
void Session::throw_on() {
  over_ = dead_ = true;
  std::rethrow_exception(std::exchange(thrown_, nullptr));
}

bool Session::take(Allowance& allowance) noexcept {
  if (allowance.take(now_)) return true;
  fault_ = ErrorCode::EnhanceYourCalm;
  return false;
}

// Whether the frame that begins may be sent at this rate.
bool Session::count(std::uint8_t type, std::uint8_t flags) noexcept {
  const bool acknowledges = Callbacks::is(flags, NGHTTP2_FLAG_ACK);
  switch (type) {
    case NGHTTP2_SETTINGS: return acknowledges || take(settings_);
    case NGHTTP2_PING: return acknowledges || take(pings_);
    case NGHTTP2_PRIORITY:
    case NGHTTP2_PRIORITY_UPDATE: return take(priorities_);
    case NGHTTP2_RST_STREAM: return take(resets_);
    case NGHTTP2_WINDOW_UPDATE: return take(window_updates_);
    default: return true;
  }
}

// Whether the client has used a stream to its end, and knows that. Where it was we who ended it, frames may have been
// on their way (RFC 9113, section 5.1).
bool Session::is_over(std::int32_t id) const noexcept {
  if (id > last_id_ || find(id) != nullptr) return false;
  return id % 2 == 1 && std::ranges::find(we_reset_, id) == we_reset_.end();
}

// What happens to a stream asks for it several times in a row.
Stream* Session::find(std::int32_t id) const noexcept {
  if (recent_ != nullptr && recent_->id_ == id) return recent_;
  return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session_, id));
}

// A header block has ended.
void Session::end_head(std::int32_t id, Stream* stream, bool ends) {
  if (heads_.in_trailers()) {
    heads_.end();
    if (!ends || known_ != nullptr) return malformed(id);
  } else if (known_ != nullptr) {
    heads_.end(*known_);
    if (stream != nullptr) begin_request(*stream, known_->priority());
  } else {
    heads_.end();
    if (!rules_.complete() || (ends && rules_.length().value_or(0) != 0)) return malformed(id);
    if (stream != nullptr) {
      stream->length_ = rules_.length();
      begin_request(*stream, rules_.priority());
    }
    const RequestHead* head = heads_.lasting();
    if (!new_block_.empty() && head != nullptr) blocks_.keep(new_block_, *head, rules_.priority());
  }
  if (stream != nullptr && ends) content_ended(*stream);
}

// What a PRIORITY_UPDATE has said before goes before what a field says (RFC 9218, section 7).
void Session::begin_request(Stream& stream, const std::optional<Priority>& priority) {
  stream.happened_.request = true;
  queue(stream);
  std::optional<Priority> counts = priority;
  for (const Told& told : told_) {
    if (told.id == stream.id_) counts = told.priority;
  }
  if (!counts) return;
  const nghttp2_extpri same{.urgency = counts->urgency, .inc = counts->incremental ? 1 : 0};
  need(nghttp2_session_change_extpri_stream_priority(session_, stream.id_, &same, 0));
}

// By a PRIORITY_UPDATE: nghttp2 takes care of it where the request is there, and lets no more than Limits::streams of
// others be told at once. One without a member says that the defaults count, one that cannot be understood nothing.
void Session::told_priority(std::int32_t id, std::string_view value) {
  if (id <= last_id_) return;
  const std::optional<Priority> priority = base::trim(value).empty() ? Priority() : parse_priority(value, std::nullopt);
  if (!priority) return;
  std::erase_if(told_, [&](const Told& told) { return told.id <= last_id_ || told.id == id; });
  if (told_.size() < limits_->streams) told_.push_back({id, *priority});
}

// RFC 9113, section 8.1.1.
void Session::malformed(std::int32_t id) {
  need(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_PROTOCOL_ERROR));
}

Stream* Session::open(std::int32_t id) {
  last_id_ = id;
  Stream* stream = owner_->open_stream();
  if (stream == nullptr) {
    need(nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM));
    return nullptr;
  }
  stream->id_ = id;
  need(nghttp2_session_set_stream_user_data(session_, id, stream));
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

// False when it is more than was announced.
bool Session::content_arrived(Stream& stream, std::string_view bytes) {
  stream.content_began_ = true;
  stream.received_ += bytes.size();
  if (stream.length_ && stream.received_ > *stream.length_) {
    malformed(stream.id_);
    return false;
  }
  if (stream.alone_) need(nghttp2_session_consume_connection(session_, bytes.size()));
  if (!stream.unwanted_ && !stream.keep(bytes)) {
    discard(stream);
    reset(stream, ErrorCode::Internal);
  }
  if (stream.unwanted_) {
    drop(stream, bytes.size());
    return true;
  }
  stream.happened_.content = true;
  queue(stream);
  return true;
}

void Session::content_ended(Stream& stream) {
  if (stream.length_ && stream.received_ != *stream.length_) return malformed(stream.id_);
  stream.content_began_ = stream.content_complete_ = true;
  stream.happened_.content = true;
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
  give_room(stream, bytes);
  if (stream.answered_) stop_content(stream);
}

// Behind the answer: what is still to come of the content is not worth taking (RFC 9113, section 8.1).
void Session::stop_content(Stream& stream) {
  if (stream.content_complete_) return;
  const std::uint64_t rest = stream.length_.value_or(0) - std::min(stream.length_.value_or(0), stream.received_);
  if (stream.dropped_ > max_dropped || rest > max_dropped) reset(stream, ErrorCode::None);
}

// The client may send as much again; on this stream only if it has not ended it.
void Session::consumed(Stream& stream, std::size_t bytes) {
  if (bytes == 0 || stream.closed_) return;
  if (!stream.content_complete_) need(nghttp2_session_consume_stream(session_, stream.id_, bytes));
  give_room(stream, bytes);
}

// In the window of the connection.
void Session::give_room(const Stream& stream, std::size_t bytes) {
  if (bytes != 0 && !stream.alone_) need(nghttp2_session_consume_connection(session_, bytes));
}

void Session::stand_alone(Stream& stream) {
  if (stream.closed_) return;
  give_room(stream, stream.inbox_.size());
  stream.alone_ = true;
}

bool Session::window_is_full() const noexcept {
  return nghttp2_session_get_effective_recv_data_length(session_) >=
         nghttp2_session_get_effective_local_window_size(session_);
}

void Session::ping() {
  if (!over_) need(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr));
}

// --- Ends ---

// What nobody has read any more no longer takes room in the connection's window.
void Session::closed(Stream& stream) {
  give_room(stream, stream.inbox_.size());
  stream.inbox_.clear();
  heads_.forget(stream);
  if (recent_ == &stream) recent_ = nullptr;
  stream.closed_ = true;
  stream.happened_.closed = true;
  --streams_;
  queue(stream);
}

void Session::drain() {
  if (over_ || std::exchange(draining_, true)) return;
  need(nghttp2_submit_shutdown_notice(session_));
  need(nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, drain_ping.data()));
}

void Session::refuse_streams() {
  draining_ = true;
  if (over_ || std::exchange(refusing_, true)) return;
  const std::int32_t last = nghttp2_session_get_last_proc_stream_id(session_);
  need(nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, nullptr, 0));
}

void Session::terminate(ErrorCode why) {
  if (std::exchange(over_, true)) return;
  need(nghttp2_session_terminate_session(session_, static_cast<std::uint32_t>(why)));
}

bool Session::done() const noexcept {
  if (dead_) return true;
  if (nghttp2_session_want_write(session_) != 0) return false;
  return over_ || (refusing_ && streams_ == 0) || nghttp2_session_want_read(session_) == 0;
}

}  // namespace tern::http2
