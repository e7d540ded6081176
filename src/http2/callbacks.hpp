// The callbacks that nghttp2 calls. Only for the session's sources: this header includes nghttp2's.
#pragma once

#include "http2/session.hpp"

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <tuple>

namespace tern::http2 {

// Checks the result of an nghttp2 call: throws std::bad_alloc when out of memory. Other errors concern streams that are
// already closed.
inline void check_result(int result) {
  if (result == NGHTTP2_ERR_NOMEM) throw std::bad_alloc();
}

// An allocator for one session. `memory` outlives it.
nghttp2_mem allocator_of(Memory& memory) noexcept;

struct Session::Callbacks {
  static nghttp2_session_callbacks* make();

  // Reading: session.cpp.
  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* head, void* user);
  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int on_header(nghttp2_session*, const nghttp2_frame*, nghttp2_rcbuf* name, nghttp2_rcbuf* value,
                       std::uint8_t flags, void* user);
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int on_data(nghttp2_session*, std::uint8_t flags, std::int32_t id, const std::uint8_t* data, std::size_t size,
                     void* user);
  static int on_stream_close(nghttp2_session*, std::int32_t id, std::uint32_t code, void* user);

  // Writing: session_writing.cpp.
  static int on_sent(nghttp2_session*, const nghttp2_frame* frame, void* user);
  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int why, void* user);
  static ssize_t read_content(nghttp2_session*, std::int32_t id, std::uint8_t*, std::size_t room, std::uint32_t* flags,
                              nghttp2_data_source* source, void* user);
  static int send_content(nghttp2_session*, nghttp2_frame* frame, const std::uint8_t* frame_head, std::size_t size,
                          nghttp2_data_source* source, void* user);

  // Wraps `call` for C frames: an exception is stored, and rethrown after nghttp2 has returned.
  template <auto call>
  struct Guarded;

  static Session& self(void* user) noexcept { return *static_cast<Session*>(user); }
  static bool is(std::uint8_t flags, nghttp2_flag flag) noexcept { return (flags & flag) != 0; }
};

// The session is the last argument of every callback.
template <class Result, class... Given, Result (*call)(Given...)>
struct Session::Callbacks::Guarded<call> {
  static Result run(Given... given) noexcept {
    try {
      return call(given...);
    } catch (...) {
      self(std::get<sizeof...(given) - 1>(std::tie(given...))).thrown_ = std::current_exception();
      return NGHTTP2_ERR_CALLBACK_FAILURE;
    }
  }
};

}  // namespace tern::http2
