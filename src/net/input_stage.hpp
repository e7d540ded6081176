// The receiving side of a byte stream, whatever carries it: a socket, TLS, or a stream of HTTP/2. Delivers bytes, keeps
// those that are not consumed, and delivers them again in front of the next ones, or after a pause.
#pragma once

#include "net/rest_buffer.hpp"

#include <tern/base/expects.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <span>

namespace tern::net {

class InputStage {
public:
  bool empty() const noexcept { return rest_.empty(); }
  void clear() noexcept {
    rest_.clear();
    due_ = false;
  }

  // After a pause: the kept bytes are to be delivered again.
  void schedule_redelivery() noexcept { due_ = true; }
  bool is_redelivery_due() const noexcept { return due_; }

  // Delivers the kept and the fresh bytes together: consume(bytes) returns how many of them, from the front, are done
  // with. `room` bytes in front of `fresh` may be overwritten. is_open() is asked afterwards; the rest of a stream that
  // has ended is dropped. Every byte is copied a bounded number of times, however small the steps in which they arrive:
  // the kept bytes are put in front of fresh ones that are at least as many, where there is room; else fresh ones are
  // appended to them, whose buffer grows by doubling. Throws std::bad_alloc.
  template <class Consume, class IsOpen>
  void deliver(std::span<char> fresh, std::size_t room, Consume&& consume, IsOpen&& is_open) {
    const std::span<const char> old = rest_.bytes();
    if (old.size() > std::min(fresh.size(), room)) {
      rest_.append(fresh);
      return redeliver(consume);
    }
    due_ = false;
    if (!old.empty()) {
      char* begin = fresh.data() - old.size();
      std::memcpy(begin, old.data(), old.size());
      fresh = {begin, old.size() + fresh.size()};
    }
    const std::size_t consumed = consume(std::span<const char>(fresh));
    base::expects(consumed <= fresh.size(), "no more is consumed than was delivered");
    if (is_open()) rest_.assign(fresh.subspan(consumed));
  }

  // Delivers the kept bytes again, if there are any.
  template <class Consume>
  void redeliver(Consume&& consume) {
    due_ = false;
    if (rest_.empty()) return;
    rest_.consume(consume(rest_.bytes()));
  }

private:
  RestBuffer rest_;
  bool due_ = false;
};

}  // namespace tern::net
