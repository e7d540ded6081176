// The owner of one file descriptor.
#pragma once

#include <utility>

namespace tern::net {

class Descriptor {
public:
  Descriptor() noexcept = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { reset(); }

  explicit operator bool() const noexcept { return number_ >= 0; }
  int number() const noexcept { return number_; }

  // Another descriptor of the same file, closed on exec; none, with errno, if the process may not have more.
  Descriptor duplicate() const noexcept;

  // Closes the descriptor, if there is one.
  void reset() noexcept;
  // Gives the descriptor away; the caller closes it.
  [[nodiscard]] int release() noexcept { return std::exchange(number_, -1); }

private:
  int number_ = -1;
};

}  // namespace tern::net
