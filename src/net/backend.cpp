#include "net/backend.hpp"

#include "net/epoll.hpp"
#include "net/uring.hpp"

namespace tern::net {

std::expected<Backend, std::string> choose_backend(Io io) {
  if (io != Io::IoUring) return Backend::Epoll;
  std::string why_not = why_no_io_uring();
  if (why_not.empty()) return Backend::IoUring;
  return std::unexpected("io_uring was asked for, and cannot be used here: " + std::move(why_not));
}

std::unique_ptr<Poller> make_poller(Backend backend) {
  return backend == Backend::IoUring ? make_uring() : std::make_unique<Epoll>();
}

}  // namespace tern::net
