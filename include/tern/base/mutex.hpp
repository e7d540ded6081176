// Mutex: a std::mutex without its header, which hello.cpp need not compile.
#pragma once

namespace tern::base {

// For std::scoped_lock and std::unique_lock. Neither copied nor moved.
class Mutex {
public:
  Mutex() noexcept;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex();

  void lock() noexcept;
  bool try_lock() noexcept;
  void unlock() noexcept;

private:
  alignas(8) unsigned char storage_[48];  // a std::mutex: 40 bytes on x86-64, 48 on aarch64
};

}  // namespace tern::base
