#include <tern/base/mutex.hpp>

#include <mutex>
#include <new>

namespace tern::base {
namespace {

std::mutex& in(unsigned char* storage) noexcept {
  return *std::launder(reinterpret_cast<std::mutex*>(storage));
}

}  // namespace

Mutex::Mutex() noexcept {
  static_assert(sizeof(std::mutex) <= sizeof storage_ && alignof(std::mutex) <= 8);
  ::new (storage_) std::mutex;
}
Mutex::~Mutex() {
  in(storage_).~mutex();
}
void Mutex::lock() noexcept {
  in(storage_).lock();
}
bool Mutex::try_lock() noexcept {
  return in(storage_).try_lock();
}
void Mutex::unlock() noexcept {
  in(storage_).unlock();
}

}  // namespace tern::base
