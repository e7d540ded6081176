// One stream of a session (RFC 9113, section 5): what the session knows of a request and its answer.
#pragma once

#include <tern/base/arena.hpp>
#include <tern/http/fields.hpp>
#include <tern/http/request_head.hpp>
#include <tern/http/status.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern::http2 {

// The codes that we use ourselves (RFC 9113, section 7).
enum class ErrorCode : std::uint32_t {
  None = 0,
  Protocol = 1,
  Internal = 2,
  StreamClosed = 5,
  RefusedStream = 7,
  Cancel = 8,
  EnhanceYourCalm = 11,
};

// Why a request is refused; `detail` is literal text, fit for the problem document of the answer.
struct Refusal {
  Status status = Status::BadRequest;
  std::string_view detail;
};

// What has happened to a stream since it was looked at last.
struct Happened {
  bool request : 1 =
      false;  // the head is complete: it is owed an answer, even where refused() says why not to serve it
  bool content : 1 = false;   // there is more to read(), or content_complete()
  bool room : 1 = false;      // content of the answer has left: unsent() is less
  bool answered : 1 = false;  // the last byte of the answer has left
  bool closed : 1 = false;    // the session has forgotten the stream: whatever is written for it is dropped
};

// Whoever serves streams derives from it. What a Session is given lives until that session has reported `closed`, or
// has gone itself.
class Stream {
public:
  // The head is read into `head`, and what it consists of lives in `arena`.
  Stream(RequestHead& head, Arena& arena) noexcept : head_(&head), arena_(&arena) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  std::int32_t id() const noexcept { return id_; }

  // --- The request; from `request` on ---

  const std::optional<Refusal>& refused() const noexcept { return refused_; }
  // As announced.
  std::optional<std::uint64_t> content_length() const noexcept { return length_; }
  // The client waits for 100 Continue, and has sent no content yet.
  bool expects_continue() const noexcept { return expects_continue_ && !content_began_; }
  // Why the content is refused, which is complete then: its trailers are past a limit.
  const std::optional<Refusal>& content_refused() const noexcept { return content_refused_; }
  // Whether all of the content has arrived.
  bool content_complete() const noexcept { return content_complete_; }
  // Bytes of content that have arrived and were not read.
  std::size_t unread() const noexcept { return inbox_.size(); }
  // What `:protocol` asks for in an extended CONNECT (RFC 8441); empty otherwise. The method is Connect then, and the
  // target has a path.
  std::string_view protocol() const noexcept { return protocol_; }

  // --- The answer ---

  // Bytes of content that have not left yet.
  std::size_t unsent() const noexcept { return rest().size(); }
  // Whether all of the answer is here, and its end has not left: that may lack a window even where no content does.
  bool ending() const noexcept { return finished_ && !answered_; }
  // The string that was given for content, for its memory.
  std::string take_owned() noexcept { return std::exchange(owned_, {}); }

  // Bytes of content that have left.
  std::uint64_t delivered() const noexcept { return delivered_; }

  bool closed() const noexcept { return closed_; }
  // Taken by the client's reset, by ours, or by the connection's end, before the answer was complete.
  bool broken() const noexcept { return closed_ && !answered_; }

protected:
  ~Stream() = default;

private:
  friend class Session;
  friend class HeadReader;

  std::string_view rest() const noexcept {
    return (borrowed_.empty() ? std::string_view(owned_) : borrowed_).substr(taken_);
  }

  // Content, until it is read. False where there is no memory, which is this stream's affair and not the connection's.
  bool keep(std::string_view bytes) noexcept {
    try {
      inbox_.append(bytes);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  RequestHead* head_;
  Arena* arena_;
  Stream* next_ = nullptr;  // in the session's queue of those to which something has happened
  std::int32_t id_ = 0;
  Happened happened_;
  std::optional<Refusal> refused_;
  std::optional<Refusal> content_refused_;
  std::optional<std::uint64_t> length_;
  std::string_view protocol_;
  std::string inbox_;
  std::string owned_;          // content of the answer, or
  std::string_view borrowed_;  // somebody else's
  std::size_t taken_ = 0;      // of which so much has left
  std::uint64_t delivered_ = 0;
  std::uint64_t received_ = 0;  // bytes of the request's content
  std::uint64_t dropped_ = 0;   // of which nobody wanted
  Fields trailers_;
  bool queued_ = false;
  bool to_head_ = false;  // answers HEAD
  bool expects_continue_ = false;
  bool content_began_ = false;
  bool content_complete_ = false;
  bool unwanted_ = false;  // content is dropped
  bool alone_ = false;     // content takes nothing of the connection's window
  bool finished_ = false;  // all of the answer is here
  bool deferred_ = false;  // the session waits for content
  bool answered_ = false;
  bool closed_ = false;
};

}  // namespace tern::http2
