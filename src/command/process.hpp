// Child processes of the command, for as long as it has one thread.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tern::command {

// A descriptor that is closed by the destructor. The library has one too, and hides it: the command links it as users
// do.
class Handle {
public:
  Handle() noexcept = default;
  explicit Handle(int number) noexcept : number_(number) {}
  Handle(Handle&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Handle() { close(); }

  int number() const noexcept { return number_; }
  explicit operator bool() const noexcept { return number_ >= 0; }
  void close() noexcept;

private:
  int number_ = -1;
};

// Throws std::system_error with errno.
[[noreturn]] void fail(const std::string& what);

// In a child: makes `socket` its only inherited listening socket (LISTEN_FDS, sd_listen_fds(3)).
void inherit_socket(int socket);
// In a child: becomes `command`. Ends with 127 if there is no such program.
[[noreturn]] void execute(const std::vector<std::string>& command);
// In a child: /dev/null.
void silence(int descriptor);

// The status of waitpid(); blocks.
int wait_for(pid_t process);

// A child that ends with this object, and with this process. Its signals are as a shell has them.
class Child {
public:
  Child() noexcept = default;
  // `run()` is called in the child, and its result the exit status. With a group of its own, signals of the terminal do
  // not reach it, and those of stop() reach its children.
  template <class F>
  Child(F run, bool own_group) : Child(begin(own_group)) {
    if (process_ == 0) leave(run());
  }
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  ~Child();

  explicit operator bool() const noexcept { return process_ > 0; }
  pid_t process() const noexcept { return process_; }
  // Readable, for poll(), when it has ended.
  int descriptor() const noexcept { return ended_.number(); }
  bool ends_within(std::chrono::milliseconds time) const;
  // Its status, as waitpid() has it; nothing while it runs.
  std::optional<int> status();
  // SIGTERM, again after `patience`, and SIGKILL two seconds later. Returns when it has ended.
  void stop(std::chrono::milliseconds patience);

private:
  static Child begin(bool own_group);
  [[noreturn]] static void leave(int status);
  void signal(int number) const;

  pid_t process_ = -1;  // 0: in the child itself
  bool has_group_ = false;
  Handle ended_;
};

// "exit status 1", "signal 11 (Segmentation fault)".
std::string text_of_status(int status);

}  // namespace tern::command
