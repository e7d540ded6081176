#include "http2/test_client.hpp"

#include <tern/base/number.hpp>

#include <algorithm>

namespace tern::http2 {
namespace {

std::vector<nghttp2_nv> to_nv(const FieldPairs& fields) {
  std::vector<nghttp2_nv> list;
  for (const auto& [name, value] : fields) {
    const auto bytes = [](const std::string& text) {
      return reinterpret_cast<std::uint8_t*>(const_cast<char*>(text.data()));
    };
    list.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  return list;
}

std::string text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

struct TestClient::Calls {
  static TestClient& self(void* user) { return *static_cast<TestClient*>(user); }

  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    ClientResponse& answer = self(user).answers_[frame->hd.stream_id];
    answer.in_trailers = answer.status >= 200;
    return 0;
  }
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_size,
                       const std::uint8_t* value, std::size_t value_size, std::uint8_t, void* user) {
    ClientResponse& answer = self(user).answers_[frame->hd.stream_id];
    const std::string key = text(name, name_size);
    const std::string what = text(value, value_size);
    if (key != ":status") {
      (answer.in_trailers ? answer.trailers : answer.fields).emplace_back(key, what);
      return 0;
    }
    if (answer.status != 0) answer.interim.push_back(answer.status);
    answer.status = base::parse_integer<int>(what).value_or(0);
    return 0;
  }
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* data, std::size_t size,
                     void* user) {
    self(user).answers_[id].content += text(data, size);
    self(user).order_.push_back(id);
    return 0;
  }
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    if (frame->hd.type == NGHTTP2_GOAWAY) {
      self(user).goaway_ = frame->goaway.error_code;
      self(user).last_stream_ = frame->goaway.last_stream_id;
    }
    const bool may_end = frame->hd.type == NGHTTP2_DATA || frame->hd.type == NGHTTP2_HEADERS;
    if (may_end && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0)
      self(user).answers_[frame->hd.stream_id].ended = true;
    return 0;
  }
  static int on_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user) {
    self(user).answers_[id].closed = true;
    self(user).answers_[id].error = code;
    return 0;
  }
  static ssize_t read(nghttp2_session* session, std::int32_t id, std::uint8_t* to, std::size_t room,
                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
    Body& body = *static_cast<Body*>(source->ptr);
    const std::size_t size = std::min(room, body.bytes.size() - body.taken);
    if (size == 0 && !body.end) {
      body.deferred = true;
      return NGHTTP2_ERR_DEFERRED;
    }
    std::copy_n(body.bytes.data() + body.taken, size, reinterpret_cast<char*>(to));
    body.taken += size;
    if (body.end && body.taken == body.bytes.size()) {
      *flags |= NGHTTP2_DATA_FLAG_EOF;
      if (!body.trailers.empty()) {
        *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
        const auto list = to_nv(body.trailers);
        nghttp2_submit_trailer(session, id, list.data(), list.size());
      }
    }
    return static_cast<ssize_t>(size);
  }
};

TestClient::TestClient(std::uint32_t window) {
  nghttp2_session_callbacks* calls = nullptr;
  nghttp2_session_callbacks_new(&calls);
  nghttp2_session_callbacks_set_on_begin_headers_callback(calls, &Calls::on_begin_headers);
  nghttp2_session_callbacks_set_on_header_callback(calls, &Calls::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &Calls::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &Calls::on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(calls, &Calls::on_close);
  nghttp2_option* option = nullptr;
  nghttp2_option_new(&option);
  nghttp2_option_set_no_http_messaging(option, 1);  // malformed requests must be sendable
  nghttp2_option_set_max_send_header_block_length(option, 1U << 20U);
  nghttp2_session_client_new2(&session_, calls, this, option);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(calls);
  const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, window},
                                             {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1}};
  nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings, 2);
}

std::int32_t TestClient::request(std::string_view method, std::string_view path, const FieldPairs& more,
                                 std::string content, bool end) {
  FieldPairs fields = {{":method", std::string(method)}, {":scheme", scheme_}, {":authority", "a"}};
  fields.emplace_back(":path", std::string(path));
  fields.insert(fields.end(), more.begin(), more.end());
  if (content.empty() && end) return send_head(fields);
  const std::int32_t id = send_head(fields, false);
  send(id, content, end);
  return id;
}

std::int32_t TestClient::connect(std::string_view protocol, std::string_view path, const FieldPairs& more) {
  FieldPairs fields = {{":method", "CONNECT"}, {":protocol", std::string(protocol)}, {":scheme", scheme_}};
  fields.emplace_back(":path", std::string(path));
  fields.emplace_back(":authority", "a");
  fields.insert(fields.end(), more.begin(), more.end());
  return send_head(fields, false);
}

std::int32_t TestClient::send_head(const FieldPairs& fields, bool end) {
  const auto list = to_nv(fields);
  if (end) return nghttp2_submit_request(session_, nullptr, list.data(), list.size(), nullptr, nullptr);
  auto body = std::make_unique<Body>();
  nghttp2_data_provider provider{};
  provider.source.ptr = body.get();
  provider.read_callback = &Calls::read;
  const std::int32_t id = nghttp2_submit_request(session_, nullptr, list.data(), list.size(), &provider, nullptr);
  bodies_[id] = std::move(body);
  return id;
}

void TestClient::send(std::int32_t id, std::string_view content, bool end) {
  Body& body = *bodies_.at(id);
  body.bytes += content;
  body.end = end;
  if (std::exchange(body.deferred, false)) nghttp2_session_resume_data(session_, id);
}

void TestClient::send_trailers(std::int32_t id, const FieldPairs& trailers) {
  bodies_.at(id)->trailers = trailers;
  send(id, {}, true);
}

void TestClient::reset(std::int32_t id, std::uint32_t code) {
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, code);
}

std::string TestClient::output() {
  std::string out;
  const std::uint8_t* bytes = nullptr;
  while (true) {
    const ssize_t size = nghttp2_session_mem_send(session_, &bytes);
    if (size <= 0) return out;
    out += text(bytes, static_cast<std::size_t>(size));
  }
}

bool TestClient::input(std::string_view bytes) {
  return nghttp2_session_mem_recv(session_, reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()) >= 0;
}

std::string frame(std::uint8_t type, std::uint8_t flags, std::uint32_t stream, std::string_view payload) {
  std::string out;
  for (int shift = 16; shift >= 0; shift -= 8) out.push_back(static_cast<char>(payload.size() >> shift));
  out.push_back(static_cast<char>(type));
  out.push_back(static_cast<char>(flags));
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<char>(stream >> shift));
  return out.append(payload);
}

std::string client_preface() {
  return "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(NGHTTP2_SETTINGS, 0, 0, "");
}

std::string literal(std::string_view name, std::string_view value) {
  std::string out(1, '\0');
  out.push_back(static_cast<char>(name.size()));
  out.append(name);
  out.push_back(static_cast<char>(value.size()));
  return out.append(value);
}

std::string get_block() {
  return "\x82\x86\x84" + literal(":authority", "a");  // GET, http, "/" of the static table
}

}  // namespace tern::http2
