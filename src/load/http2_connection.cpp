// Http2Connection on nghttp2's client session.
#include "load/http2_connection.hpp"

#include <tern/base/number.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>

namespace tern::load {
namespace {

constexpr std::int32_t window = std::numeric_limits<std::int32_t>::max();  // a load reads all at once

struct Stream {
  Clock::time_point begin = {};
  int status = 0;
  std::size_t taken = 0;  // of the content
};

std::string_view text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

std::uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
}

class Connection final : public Http2Connection {
public:
  Connection(const Http2Request& request, StatusClasses& classes) : request_(request), classes_(classes) {
    for (const auto& [name, value] : request.fields) {
      fields_.push_back({bytes_of(name), bytes_of(value), name.size(), value.size(),
                         NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE});
    }
    nghttp2_session_callbacks* calls = nullptr;
    if (nghttp2_session_callbacks_new(&calls) != 0) throw std::bad_alloc();
    nghttp2_session_callbacks_set_on_header_callback(calls, &on_header);
    nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(calls, &on_close);
    const int made = nghttp2_session_client_new(&session_, calls, this);
    nghttp2_session_callbacks_del(calls);
    if (made != 0) throw std::bad_alloc();
    const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
                                               {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window}};
    nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, std::size(settings));
    nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0, window);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() override { nghttp2_session_del(session_); }

  void begin(Clock::time_point begin) override {
    auto stream = std::make_unique<Stream>(Stream{.begin = begin});
    nghttp2_data_provider content{};
    content.read_callback = &read;
    content.source.ptr = stream.get();
    const std::int32_t id = nghttp2_submit_request(session_, nullptr, fields_.data(), fields_.size(),
                                                   request_.content.empty() ? nullptr : &content, stream.get());
    if (id < 0) {  // there are no more numbers
      ends_.unprocessed.push_back(begin);
      drains_ = true;
      return;
    }
    streams_.push_back(std::move(stream));
    ++open_;
  }

  bool receive(std::string_view bytes) override {
    const auto taken = nghttp2_session_mem_recv(session_, bytes_of(bytes), bytes.size());
    // After an error of the server, nghttp2 has no use for more input once it has said why.
    fill_output();
    return taken >= 0 && (nghttp2_session_want_read(session_) != 0 || (drains_ && open_ == 0));
  }

  std::string_view output() override {
    fill_output();
    return std::string_view(out_).substr(taken_);
  }

  void sent(std::size_t bytes) override {
    taken_ += bytes;
    if (taken_ < out_.size()) return;
    out_.clear();
    taken_ = 0;
  }

private:
  void fill_output() {
    const std::uint8_t* some = nullptr;
    for (ssize_t size = 0; (size = nghttp2_session_mem_send(session_, &some)) > 0;) {
      out_ += text(some, static_cast<std::size_t>(size));
    }
  }

  static Stream* stream_of(nghttp2_session* session, std::int32_t id) {
    return static_cast<Stream*>(nghttp2_session_get_stream_user_data(session, id));
  }

  static int on_header(nghttp2_session* session, const nghttp2_frame* frame, const std::uint8_t* name,
                       std::size_t name_size, const std::uint8_t* value, std::size_t value_size, std::uint8_t, void*) {
    if (text(name, name_size) != ":status") return 0;
    Stream* const stream = stream_of(session, frame->hd.stream_id);
    if (stream != nullptr) stream->status = base::parse_integer<int>(text(value, value_size)).value_or(0);
    return 0;
  }

  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type != NGHTTP2_GOAWAY) return 0;
    Connection& self = *static_cast<Connection*>(user);
    self.drains_ = true;
    if (frame->goaway.error_code != NGHTTP2_NO_ERROR) {
      ++self.ends_.reset;
      self.ends_.reason =
          std::string("the server ends the connection: ") + nghttp2_http2_strerror(frame->goaway.error_code);
    }
    return 0;
  }

  static int on_close(nghttp2_session* session, std::int32_t id, std::uint32_t code, void* user) {
    Stream* const stream = stream_of(session, id);
    if (stream != nullptr) static_cast<Connection*>(user)->end(*stream, code);
    return 0;
  }

  static ssize_t read(nghttp2_session*, std::int32_t, std::uint8_t* to, std::size_t room, std::uint32_t* flags,
                      nghttp2_data_source* source, void* user) {
    Stream& stream = *static_cast<Stream*>(source->ptr);
    const std::string& content = static_cast<Connection*>(user)->request_.content;
    const std::size_t size = std::min(room, content.size() - stream.taken);
    std::copy_n(content.data() + stream.taken, size, reinterpret_cast<char*>(to));
    stream.taken += size;
    if (stream.taken == content.size()) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(size);
  }

  void end(Stream& stream, std::uint32_t code) {
    --open_;
    if (code == NGHTTP2_NO_ERROR && stream.status >= 200 && stream.status < 1000) {
      ++classes_[static_cast<std::size_t>(stream.status / 100)];
      ends_.answered.push_back(stream.begin);
    } else if (code == NGHTTP2_REFUSED_STREAM && drains_) {  // behind the last one of the GOAWAY
      ends_.unprocessed.push_back(stream.begin);
    } else {
      ++ends_.reset;
      ends_.reason = std::string("a stream was reset: ") + nghttp2_http2_strerror(code);
    }
    std::erase_if(streams_, [&](const auto& each) { return each.get() == &stream; });
  }

  const Http2Request& request_;
  StatusClasses& classes_;
  std::vector<nghttp2_nv> fields_ = {};
  std::vector<std::unique_ptr<Stream>> streams_ = {};  // one for each open request
  nghttp2_session* session_ = nullptr;
  std::string out_ = {};
  std::size_t taken_ = 0;
};

}  // namespace

std::unique_ptr<Http2Connection> make_http2_connection(const Http2Request& request, StatusClasses& classes) {
  return std::make_unique<Connection>(request, classes);
}

}  // namespace tern::load
