// Responses of HTTP/1.1 (RFC 9112, sections 4, 6 and 7), as far as a load client has to read them: the status, and
// where they end.
#pragma once

#include "load/engine.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tern::load {

// Responses by the first digit of their status: [2] are those of 2xx.
using StatusClasses = std::array<std::size_t, 10>;

// Counts complete responses in `classes`, which must outlive it.
class HttpAnswer {
public:
  // `to_head`: the request is a HEAD, whose responses have no content.
  HttpAnswer(StatusClasses& classes, bool to_head) : classes_(&classes), to_head_(to_head) {}

  // Broken: this is no HTTP, or is more than one response.
  Progress receive(std::string_view bytes);
  // The server has closed the connection.
  Progress end();
  bool closes() const noexcept { return closes_; }
  void reset();

private:
  enum class Part : std::uint8_t { Head, Counted, UntilClose, ChunkSize, Chunk, ChunkEnd, Trailer, Complete };

  Progress read_head(std::string_view& bytes);
  bool take_head(std::string_view head);
  bool take_field(std::string_view name, std::string_view value);
  Progress read_counted(std::string_view& bytes, Part next);
  Progress read_chunk_size(std::string_view& bytes);
  Progress read_trailer(std::string_view& bytes);
  Progress complete();
  bool take_line(std::string_view& bytes);

  StatusClasses* classes_;
  bool to_head_;
  Part part_ = Part::Head;
  bool closes_ = false;
  bool chunked_ = false;
  bool has_length_ = false;
  int status_ = 0;
  std::uint64_t left_ = 0;  // bytes of the content, or of the chunk
  std::string kept_ = {};   // an incomplete head or line
};

}  // namespace tern::load
