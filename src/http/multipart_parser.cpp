#include <tern/http/multipart_parser.hpp>

#include "http/delimiter_search.hpp"
#include "http/multipart_fault.hpp"
#include "http/multipart_head.hpp"
#include "http/parameters.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/expects.hpp>

#include <algorithm>
#include <limits>

namespace tern {
namespace {

namespace fault = multipart::fault;
using enum MultipartEvent;

constexpr std::size_t max_boundary = 70;
constexpr std::size_t max_padding = 256;  // clients send none

// boundary = 0*69<bchars> bcharsnospace     (RFC 2046, section 5.1.1)
bool is_boundary(std::string_view text) {
  if (text.empty() || text.size() > max_boundary || text.back() == ' ') return false;
  return std::ranges::all_of(text, [](char c) {
    return base::is_alpha(c) || base::is_digit(c) ||
           std::string_view("'()+_,-./:=? ").find(c) != std::string_view::npos;
  });
}

}  // namespace

std::expected<std::string_view, MultipartReject> multipart_boundary(std::string_view content_type) noexcept {
  if (!base::equals_ignoring_case(multipart::take_media_type(content_type), "multipart/form-data")) {
    return std::unexpected(fault::media_type);
  }
  std::optional<std::string_view> boundary;
  multipart::ParameterReader parameters(content_type);
  for (multipart::Parameter parameter; parameters.next(parameter);) {
    if (!base::equals_ignoring_case(parameter.name, "boundary")) continue;
    if (boundary) return std::unexpected(fault::two_boundaries);
    boundary = parameter.value;  // an escape makes it invalid: '\' is not a boundary character
  }
  if (parameters.malformed()) return std::unexpected(fault::type_parameters);
  if (!boundary) return std::unexpected(fault::no_boundary);
  if (!is_boundary(*boundary)) return std::unexpected(fault::boundary_syntax);
  return *boundary;
}

MultipartParser::MultipartParser(std::string_view boundary, const MultipartLimits& limits) noexcept
    : limits_(limits), room_(limits.preamble), delimiter_{'\r', '\n', '-', '-'} {
  base::expects(is_boundary(boundary), "a MultipartParser needs a boundary of 1 to 70 characters");
  boundary.copy(delimiter_.data() + 4, boundary.size());
  delimiter_size_ = static_cast<std::uint8_t>(4 + boundary.size());
}

void MultipartParser::receive(std::string_view bytes) noexcept {
  bytes_ = bytes;
  at_ = 0;
  piece_ = {};
}

MultipartEvent MultipartParser::next() {
  while (state_ != State::Rejected) {
    if (at_ == bytes_.size()) return finished_ ? at_end() : NeedMore;
    if (const MultipartEvent event = step(); event != NeedMore) return event;
  }
  return Reject;
}

// Processes at least one byte. NeedMore: no event yet.
MultipartEvent MultipartParser::step() {
  switch (state_) {
    case State::Content: return matched_ != 0 ? continue_delimiter() : read_content();
    case State::Head: return read_head();
    case State::Epilogue: return read_epilogue();
    default: return read_boundary_line(bytes_[at_++]);
  }
}

// --- Content ---
// A possible begin of a delimiter is consumed at once, and only its length is stored: if it turns out to be content,
// the delimiter has the same bytes.

MultipartEvent MultipartParser::read_content() {
  const std::string_view text = rest();
  const multipart::DelimiterSearch found = multipart::find_delimiter(text, delimiter());
  at_ += found.begin + found.matched;
  const MultipartEvent event = content(text.substr(0, found.begin));
  if (state_ == State::Rejected) return event;
  matched_ = static_cast<std::uint8_t>(found.matched);
  if (matched_ == delimiter_size_) boundary_found();
  return event;
}

// The consumed bytes end with matched_ bytes of a delimiter.
MultipartEvent MultipartParser::continue_delimiter() {
  while (matched_ != delimiter_size_) {
    if (at_ == bytes_.size()) return NeedMore;
    if (bytes_[at_] != delimiter_[matched_]) {
      const std::string_view piece = delimiter().substr(implied_, std::size_t{matched_} - implied_);
      matched_ = implied_ = 0;
      return content(piece);
    }
    ++at_;
    ++matched_;
  }
  boundary_found();
  return NeedMore;
}

void MultipartParser::boundary_found() noexcept {
  matched_ = implied_ = 0;
  room_ = max_padding;
  state_ = State::Boundary;
}

MultipartEvent MultipartParser::content(std::string_view piece) {
  if (piece.empty()) return NeedMore;
  if (!in_part_) {
    if (piece.size() > room_) return reject(fault::preamble);
    room_ -= piece.size();
    return NeedMore;
  }
  // Reports the allowed part first, so that the events do not depend on the splits.
  piece_ = piece.substr(0, static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), content_room_)));
  content_room_ -= piece_.size();
  if (piece_.size() < piece.size()) reject(fault::field_too_large);
  return piece_.empty() ? Reject : Data;
}

// --- Boundaries ---

MultipartEvent MultipartParser::read_boundary_line(char c) {
  switch (state_) {
    case State::Boundary:
      if (c == '-') {
        state_ = State::Dash;
        return NeedMore;
      }
      state_ = State::Padding;
      return read_padding(c, State::LineEnd);
    case State::Padding: return read_padding(c, State::LineEnd);
    case State::LineEnd: return c == '\n' ? open_part() : reject(fault::bare_cr);
    case State::Dash: return c == '-' ? close_part(State::ClosePadding) : reject(fault::boundary_line);
    case State::ClosePadding: return read_padding(c, State::CloseLineEnd);
    default:  // CloseLineEnd
      if (c != '\n') return reject(fault::bare_cr);
      room_ = limits_.epilogue;
      state_ = State::Epilogue;
      return NeedMore;
  }
}

MultipartEvent MultipartParser::read_padding(char c, State line_end) {
  if (c == '\r') {
    state_ = line_end;
    return NeedMore;
  }
  if (c != ' ' && c != '\t') return reject(c == '\n' ? fault::bare_lf : fault::boundary_line);
  if (room_ == 0) return reject(fault::padding);
  --room_;
  return NeedMore;
}

MultipartEvent MultipartParser::open_part() {
  if (parts_ == limits_.parts) return reject(fault::too_many_parts);
  ++parts_;
  head_room_ = limits_.head;
  fields_ = 0;
  seen_ = {};
  return close_part(State::Head);
}

// Ends the previous part, if there is one.
MultipartEvent MultipartParser::close_part(State state) {
  state_ = state;
  if (!in_part_) return NeedMore;
  in_part_ = false;
  return PartEnd;
}

MultipartEvent MultipartParser::read_epilogue() {
  if (rest().size() > room_) return reject(fault::epilogue);
  room_ -= rest().size();
  at_ = bytes_.size();
  return NeedMore;
}

// --- Heads ---

MultipartEvent MultipartParser::read_head() {
  const std::string_view text = rest().substr(0, head_room_);
  if (text.empty()) return reject(fault::head_too_large);
  std::size_t length = 0;  // bytes that belong to the line
  if (line_ends_) {
    if (text.front() != '\n') return reject(fault::bare_cr);
    length = 1;
  } else {
    length = static_cast<std::size_t>(std::ranges::find_if(text, multipart::is_control) - text.begin());
    line_ += text.substr(0, length);
    if (length < text.size()) {
      const char c = text[length++];
      if (c != '\r') return reject(c == '\n' ? fault::bare_lf : fault::control_byte);
    }
  }
  at_ += length;
  head_room_ -= length;
  if (line_ends_) return end_line();
  line_ends_ = text[length - 1] == '\r';
  return NeedMore;
}

MultipartEvent MultipartParser::end_line() {
  line_ends_ = false;
  if (line_.empty()) return seen_.disposition ? begin_content() : reject(fault::no_disposition);
  if (fields_ == limits_.fields) return reject(fault::too_many_fields);
  if (fields_++ == 0) part_ = {};
  if (line_.starts_with(delimiter().substr(2))) return reject(fault::boundary_in_head);
  if (const auto field = multipart::read_field(line_, limits_, seen_, part_); !field) return reject(field.error());
  line_.clear();
  return NeedMore;
}

// The empty line before the content also counts as the CRLF of a delimiter: the second one of a part without content is
// optional (RFC 2046, section 5.1.1), and no content begins with a boundary.
MultipartEvent MultipartParser::begin_content() {
  content_room_ = part_.is_file ? std::numeric_limits<std::uint64_t>::max() : limits_.field_bytes;
  matched_ = implied_ = 2;
  in_part_ = true;
  state_ = State::Content;
  return Part;
}

// --- Ends ---

MultipartEvent MultipartParser::at_end() {
  if (state_ == State::ClosePadding || state_ == State::Epilogue) return End;
  return reject(parts_ == 0 && state_ == State::Content ? fault::no_part : fault::truncated);
}

MultipartEvent MultipartParser::reject(const MultipartReject& why) {
  rejected_ = why;
  state_ = State::Rejected;
  return Reject;
}

}  // namespace tern
