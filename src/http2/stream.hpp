// One stream of a session (RFC 9113, section 5): the state of a request and its response.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/http/fields.hpp>
#include <tern/http/request_head.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tern::http2 {

// The codes that the server sends (RFC 9113, section 7).
enum class ErrorCode : std::uint32_t {
  None = 0,
  Protocol = 1,
  Internal = 2,
  StreamClosed = 5,
  RefusedStream = 7,
  Cancel = 8,
  EnhanceYourCalm = 11,
};

// Why a request is rejected; `detail` is literal text for the problem document of the response.
struct Refusal {
  Status status = Status::BadRequest;
  std::string_view detail;
};

// Events of a stream since the last call of take_events().
struct StreamEvents {
  bool request : 1 = false;   // the head is complete; a response is due, even if refused() rejects the request
  bool content : 1 = false;   // read() has content, or content_complete() is true
  bool room : 1 = false;      // content of the response was sent: unsent() has decreased
  bool answered : 1 = false;  // the response was sent completely
  bool closed : 1 = false;    // the session has released the stream; later output for it is discarded
};

// Content of a response that is read when it is sent.
class ContentSource {
public:
  ContentSource(const ContentSource&) = delete;
  ContentSource& operator=(const ContentSource&) = delete;

  // Fills `into` with the next bytes. False if there are none: the stream is reset. Must not call the session.
  virtual bool read(std::span<char> into) = 0;

protected:
  ContentSource() = default;
  ~ContentSource() = default;
};

// Base of the owner's streams. A stream outlives its session, or lives until the session has reported `closed`.
class Stream {
public:
  // Parses the head into `head`, with its text in `arena`.
  Stream(RequestHead& head, Arena& arena) noexcept : head_(&head), arena_(&arena) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::int32_t id() const noexcept { return id_; }

  // --- The request; from `request` on ---

  const std::optional<Refusal>& refused() const noexcept { return refused_; }
  // From Content-Length.
  std::optional<std::uint64_t> content_length() const noexcept { return length_; }
  // The client waits for 100 Continue, and has sent no content yet.
  bool expects_continue() const noexcept { return expects_continue_ && !content_began_; }
  // Why the content is rejected: trailers beyond a limit. The content is complete then.
  const std::optional<Refusal>& content_refused() const noexcept { return content_refused_; }
  // Whether all of the content was received.
  bool content_complete() const noexcept { return content_complete_; }
  // Bytes of content that were received and not read.
  std::size_t unread() const noexcept { return inbox_.size(); }
  // `:protocol` of an extended CONNECT (RFC 8441); empty otherwise. The method is Connect then, and the target has a
  // path.
  std::string_view protocol() const noexcept { return protocol_; }

  // --- The answer ---

  // Bytes of content that were not sent yet.
  std::size_t unsent() const noexcept { return unsent_content().size() + unread_; }
  // Whether the response is complete but not sent. Its END_STREAM may need a window even without content.
  bool ending() const noexcept { return finished_ && !answered_; }
  // The string of the sent content, for reuse of its memory.
  std::string take_owned() noexcept { return std::exchange(owned_, {}); }

  // Bytes of content sent.
  std::uint64_t delivered() const noexcept { return delivered_; }

  bool closed() const noexcept { return closed_; }
  // Closed before the response was complete: by a reset of either side, or by the end of the connection.
  bool broken() const noexcept { return closed_ && !answered_; }

protected:
  ~Stream() = default;

private:
  friend class Session;
  friend class HeadReader;

  std::string_view unsent_content() const noexcept {
    return (borrowed_.empty() ? std::string_view(owned_) : borrowed_).substr(sent_);
  }

  bool read_source(std::string& out, std::size_t size) {
    bool is_read = false;
    const std::size_t before = out.size();
    out.resize_and_overwrite(before + size, [&](char* bytes, std::size_t) {
      is_read = source_->read({bytes + before, size});
      return is_read ? before + size : before;
    });
    if (is_read) unread_ -= size;
    return is_read;
  }

  // Stores content until it is read. False if out of memory, which fails this stream only.
  bool append_content(std::string_view bytes) noexcept {
    try {
      inbox_.append(bytes);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  RequestHead* head_;
  Arena* arena_;
  Stream* next_ = nullptr;  // in the session's queue of streams with new events
  std::int32_t id_ = 0;
  StreamEvents events_;
  std::optional<Refusal> refused_;
  std::optional<Refusal> content_refused_;
  std::optional<std::uint64_t> length_;
  std::string_view protocol_;
  std::string inbox_;
  std::string owned_;          // content of the response, or
  std::string_view borrowed_;  // a view of the caller's
  std::size_t sent_ = 0;       // of that, bytes sent
  ContentSource* source_ = nullptr;
  std::size_t unread_ = 0;  // bytes to be read from it, behind the others
  std::uint64_t delivered_ = 0;
  std::uint64_t received_ = 0;  // bytes of request content
  std::uint64_t dropped_ = 0;   // bytes of it that were discarded
  Fields trailers_;
  bool queued_ = false;
  bool to_head_ = false;  // the request is a HEAD
  bool expects_continue_ = false;
  bool content_began_ = false;
  bool content_complete_ = false;
  bool unwanted_ = false;  // content is discarded
  bool exempt_ = false;    // content does not count towards the connection's window
  bool finished_ = false;  // all of the response is written
  bool deferred_ = false;  // nghttp2 waits for content
  bool answered_ = false;
  bool closed_ = false;
};

}  // namespace tern::http2
