// Which of the kernel's interfaces a loop waits with.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>

namespace tern::net {

class Poller;

enum class Backend : std::uint8_t { Epoll, IoUring };

// What an operator asks for.
enum class Io : std::uint8_t { Automatic, Epoll, IoUring };

// Why this process cannot use io_uring here, for a person to read; empty where it can. Makes a ring to find out.
std::string why_no_io_uring();

// What to use; or, where io_uring was asked for and cannot be used, why.
std::expected<Backend, std::string> choose_backend(Io io);

// For Loop. Throws std::system_error when the kernel refuses.
std::unique_ptr<Poller> make_poller(Backend backend);

}  // namespace tern::net
