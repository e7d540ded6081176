// A process that takes over the listening sockets of this one.
#pragma once

#include "net/descriptor.hpp"
#include "server/server.hpp"

#include <sys/types.h>
#include <cstdint>
#include <string>
#include <vector>

namespace tern {

// How this program was started: the name of its file, and its arguments.
struct Program {
  std::string path = {};
  std::vector<std::string> arguments = {};  // with the name of the program

  // As the kernel knows it. The name is not resolved: behind it there may be a newer program by now.
  static Program this_one();
};

class Successor {
public:
  // Starts `program` with these sockets, and everything else as this process has it. Throws std::system_error.
  Successor(const Program& program, std::vector<server::KeptSocket> sockets);
  Successor(const Successor&) = delete;
  Successor& operator=(const Successor&) = delete;
  // Ends a process that does not serve yet, and waits for its end.
  ~Successor();

  pid_t process() const noexcept { return started_; }
  // Readable when it serves, or has ended.
  int descriptor() const noexcept { return ready_.number(); }

  // When descriptor() is readable. True: it serves, owns the sockets and their files, and runs on.
  bool has_started();
  // Of a process that has not started: "ended with status 1". Waits for its end.
  std::string end();

  std::vector<server::KeptSocket> take_sockets() { return std::move(sockets_); }

private:
  std::vector<server::KeptSocket> sockets_;
  net::Descriptor ready_;
  pid_t process_ = -1;  // that has to be ended by this object
  pid_t started_ = -1;
};

}  // namespace tern
