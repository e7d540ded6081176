// Writing: status line and fields (RFC 9112, sections 4 and 5), content by length or in chunks (sections 6 and 7).
//
// A head is written in one pass into space that was reserved once, in this order: status line, Date, Server,
// Content-Type, the user's fields, Connection, length.
#include "http1/connection.hpp"

#include <tern/base/expects.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>

namespace tern::http1 {
namespace {

constexpr std::string_view line_end = "\r\n";

char* put(char* to, std::string_view text) noexcept {
  // An empty view may have no address.
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
  return to + text.size();
}

char* put_field(char* to, std::string_view name_and_colon, std::string_view value) noexcept {
  return put(put(put(to, name_and_colon), value), line_end);
}

char* put_number(char* to, std::uint64_t value) noexcept {
  return std::to_chars(to, to + 20, value).ptr;
}

char* put_status_line(char* to, Status status) noexcept {
  if (status == Status::Ok) return put(to, "HTTP/1.1 200 OK\r\n");
  to = put_number(put(to, "HTTP/1.1 "), static_cast<std::uint64_t>(code(status)));
  *to++ = ' ';  // also before an empty reason
  return put(put(to, reason(status)), line_end);
}

bool has_field(const Fields* fields, std::string_view name) noexcept {
  return fields != nullptr && fields->may_have(name) && fields->find(name).has_value();
}

std::size_t size_of(const Fields* fields) noexcept {
  return fields == nullptr ? 0 : fields->text().size();
}

// The maximum size of a head: longest status line, all field names written here, longest length.
std::size_t room_for(const ResponseHead& head) noexcept {
  return 256 + reason(head.status).size() + head.date.size() + head.server.size() + head.content_type.size() +
         head.upgrade.size() + size_of(head.fields);
}

// Appends at most `room` bytes that `fill(char*)` writes; it returns their end.
template <class Fill>
void append_in_place(std::string& out, std::size_t room, Fill fill) {
  const std::size_t before = out.size();
  out.resize_and_overwrite(before + room, [before, &fill](char* data, std::size_t) noexcept {
    return static_cast<std::size_t>(fill(data + before) - data);
  });
}

}  // namespace

void CachedResponseHead::set(std::string_view date, std::string_view server) noexcept {
  constexpr std::size_t max_around = 64;  // status line, names, line ends
  common_ = size_ = 0;
  type_ = {};
  shared_ = nullptr;
  length_ = static_cast<std::size_t>(-1);
  if (date.empty() || date.size() + server.size() + max_around > max_common) return;
  char* to = put_field(put_status_line(text_.data(), Status::Ok), "Date: ", date);
  if (!server.empty()) to = put_field(to, "Server: ", server);
  common_ = static_cast<std::size_t>(to - text_.data());
}

void CachedResponseHead::finish(std::string_view content_type, std::string_view shared, std::size_t length) noexcept {
  constexpr std::size_t max_around = 64;  // names, line ends, the length
  type_ = {};
  shared_ = nullptr;
  length_ = static_cast<std::size_t>(-1);
  size_ = 0;
  if (common_ == 0 || content_type.size() + max_around > max_rest) return;
  if (shared.size() > max_shared) return;
  char* to = text_.data() + common_;
  if (!content_type.empty()) {
    to = put_field(to, "Content-Type: ", content_type);
    type_ = {to - line_end.size() - content_type.size(), content_type.size()};
  }
  to = put(to, shared);
  shared_ = shared.data();
  length_ = length;
  char* const end = put(put_number(put(to, "Content-Length: "), length), "\r\n\r\n");
  framing_size_ = static_cast<std::size_t>(end - to);
  size_ = static_cast<std::size_t>(end - text_.data());
}

bool Connection::answer_with_cached_head(std::string& out, CachedResponseHead& cached, std::string_view content_type,
                                         const Fields& fields, std::string_view content) {
  if (close_ || writing_ != Writing::Owed || !content_complete() || framing_.version != Version::Http11 ||
      framing_.method == Method::Head || fields.may_have("date") || fields.may_have("server") ||
      fields.may_have("upgrade")) {
    return false;
  }
  const std::string_view shared = fields.is_shared() ? fields.text() : std::string_view();
  const std::string_view own = fields.is_shared() ? std::string_view() : fields.text();
  const std::string_view head = cached.head_for(content_type, shared, content.size());
  if (head.empty()) return false;
  append_in_place(out, head.size() + own.size() + content.size(), [&](char* to) noexcept {
    if (own.empty()) return put(put(to, head), content);
    const std::size_t before = head.size() - cached.framing_size();
    return put(put(put(put(to, head.substr(0, before)), own), head.substr(before)), content);
  });
  begin_next();
  return true;
}

void Connection::answer(std::string& out, const ResponseHead& head, std::string_view content) {
  const std::size_t room = room_for(head) + content.size();
  out.reserve(out.size() + room);  // throws before anything changes
  begin_answer(head, content.size());
  append_in_place(out, room, [&](char* to) noexcept {
    to = write_head(to, head, content.size());
    return writing_ == Writing::Swallowed ? to : put(to, content);
  });
  writing_ = Writing::Finished;
  begin_next_if_complete();
}

bool Connection::respond(std::string& out, const ResponseHead& head) {
  const std::size_t room = room_for(head);
  out.reserve(out.size() + room);
  begin_answer(head, head.content_length);
  append_in_place(out, room, [&](char* to) noexcept { return write_head(to, head, head.content_length); });
  return writing_ != Writing::Swallowed && !(writing_ == Writing::Counted && to_write_ == 0);
}

// Determines the framing of the content and whether the connection ends.
void Connection::begin_answer(const ResponseHead& head, std::optional<std::uint64_t> length) noexcept {
  base::expects(writing_ == Writing::Owed, "one answer to each request");
  const bool switches = head.status == Status::SwitchingProtocols;
  base::expects(code(head.status) >= 200 || switches, "1xx is written by inform()");
  base::expects(code(head.status) <= 599, "a status has three digits and is below 600");
  if (switches) {
    base::expects(upgrade_requested() && content_complete(), "101 answers a complete request for an upgrade");
    reading_ = Reading::Switched;
    writing_ = Writing::Swallowed;
    close_ = false;
    return;
  }
  // A client that still waits for 100 Continue may send or omit the content: its next byte is ambiguous.
  if (head.close || expects_continue()) close_ = true;
  to_write_ = length.value_or(0);
  if (has_no_content(head.status)) {
    writing_ = Writing::Swallowed;
  } else if (length) {
    writing_ = Writing::Counted;
  } else if (framing_.version == Version::Http11) {
    writing_ = Writing::Chunked;
  } else {
    writing_ = Writing::UntilClose;
    close_ = true;
  }
}

// RFC 9110, section 6.4.1, and section 15.3.6 for 205.
bool Connection::has_no_content(Status status) const noexcept {
  return framing_.method == Method::Head || forbids_content(status) || status == Status::ResetContent;
}

char* Connection::write_head(char* to, const ResponseHead& head, std::optional<std::uint64_t> length) const noexcept {
  to = put_status_line(to, head.status);
  if (!head.date.empty() && !has_field(head.fields, "date")) to = put_field(to, "Date: ", head.date);
  if (!head.server.empty() && !has_field(head.fields, "server")) to = put_field(to, "Server: ", head.server);
  if (!head.content_type.empty()) to = put_field(to, "Content-Type: ", head.content_type);
  if (head.fields != nullptr) to = put(to, head.fields->text());
  return put(write_framing(to, head, length), line_end);
}

// RFC 9112, section 9.6, and RFC 9110, section 8.6: a 304 has the length that a 200 would have had, or none.
char* Connection::write_framing(char* to, const ResponseHead& head,
                                std::optional<std::uint64_t> length) const noexcept {
  if (head.status == Status::SwitchingProtocols) {
    return put_field(put(to, "Connection: Upgrade\r\n"), "Upgrade: ", head.upgrade);
  }
  const bool http11 = framing_.version == Version::Http11;
  if (http11 && has_field(head.fields, "upgrade")) {  // RFC 9110, section 7.8
    to = put(to, close_ ? "Connection: close, Upgrade\r\n" : "Connection: Upgrade\r\n");
  } else if (close_ && http11) {
    to = put(to, "Connection: close\r\n");
  }
  if (!close_ && !http11) to = put(to, "Connection: keep-alive\r\n");
  if (head.status == Status::NoContent) return to;
  if (head.status == Status::NotModified && length.value_or(0) == 0) return to;
  if (head.status == Status::ResetContent) return put(to, "Content-Length: 0\r\n");
  if (length) return put(put_number(put(to, "Content-Length: "), *length), line_end);
  return http11 ? put(to, "Transfer-Encoding: chunked\r\n") : to;
}

void Connection::inform(std::string& out, Status status, const Fields* fields) {
  base::expects(writing_ == Writing::Owed, "an interim response comes before the final one");
  base::expects(code(status) >= 100 && code(status) < 200 && status != Status::SwitchingProtocols,
                "an interim response is 100, 102 or 103");
  if (framing_.version == Version::Http10) return;
  const std::size_t room = 64 + size_of(fields);
  append_in_place(out, room, [&](char* to) noexcept {
    to = put_status_line(to, status);
    if (fields != nullptr) to = put(to, fields->text());
    return put(to, line_end);
  });
  if (status == Status::Continue) framing_.unset(Framing::Continue);
}

void Connection::write(std::string& out, std::string_view bytes) {
  switch (writing_) {
    case Writing::Counted:
      bytes = bytes.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), to_write_)));
      out.append(bytes);
      to_write_ -= bytes.size();
      break;
    case Writing::Chunked:
      if (bytes.empty()) break;  // an empty chunk would end the content
      append_in_place(out, bytes.size() + max_chunk_size_digits + 2 * line_end.size(), [bytes](char* to) noexcept {
        to = std::to_chars(to, to + max_chunk_size_digits, bytes.size(), 16).ptr;
        return put(put(put(to, line_end), bytes), line_end);
      });
      break;
    case Writing::UntilClose: out.append(bytes); break;
    case Writing::Swallowed: break;
    case Writing::Nothing:
    case Writing::Owed:
    case Writing::Finished: base::expects(false, "content comes between respond() and finish()");
  }
}

void Connection::wrote(std::uint64_t bytes) noexcept {
  base::expects(writing_ == Writing::Counted && bytes <= to_write_, "content of its own that the caller announced");
  to_write_ -= bytes;
}

void Connection::finish(std::string& out, const Fields* trailers) {
  base::expects(writing_ != Writing::Nothing && writing_ != Writing::Owed && writing_ != Writing::Finished,
                "finish() ends an answer that has begun");
  if (writing_ == Writing::Chunked) {
    append_in_place(out, 8 + size_of(trailers), [trailers](char* to) noexcept {
      to = put(to, "0\r\n");
      if (trailers != nullptr) to = put(to, trailers->text());
      return put(to, line_end);
    });
  }
  if (writing_ == Writing::Counted && to_write_ != 0) close_ = true;
  writing_ = Writing::Finished;
  begin_next_if_complete();
}

}  // namespace tern::http1
