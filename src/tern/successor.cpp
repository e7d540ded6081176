#include "tern/successor.hpp"

#include "net/socket_file.hpp"
#include "tern/inheritance.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

namespace tern {
namespace {

constexpr int first_of_successor = 3;

void check(int error, const char* what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

// What posix_spawn() does in the new process.
class Actions {
public:
  Actions() { check(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init"); }
  ~Actions() { ::posix_spawn_file_actions_destroy(&actions_); }
  Actions(const Actions&) = delete;
  Actions& operator=(const Actions&) = delete;

  // `from` is above all `to`, and so is no number that an earlier action has overwritten.
  void place(const net::Descriptor& from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from.number(), to), "posix_spawn_file_actions_adddup2");
  }
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

private:
  posix_spawn_file_actions_t actions_{};
};

// No signal is blocked, and SIGPIPE is not ignored: as this process was started.
class Attributes {
public:
  Attributes() {
    check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
    sigset_t none;
    sigemptyset(&none);
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;

  const posix_spawnattr_t* get() const noexcept { return &attributes_; }

private:
  posix_spawnattr_t attributes_{};
};

// With a number of at least `least`.
net::Descriptor moved_up(const net::Descriptor& descriptor, int least) {
  net::Descriptor copy(::fcntl(descriptor.number(), F_DUPFD_CLOEXEC, least));
  check(copy ? 0 : errno, "no descriptor is left");
  return copy;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_with(std::string variable) {
  std::vector<std::string> all;
  for (char** each = ::environ; *each != nullptr; ++each) {
    if (!is_of_one_process(*each)) all.emplace_back(*each);
  }
  all.push_back(std::move(variable));
  return all;
}

}  // namespace

Program Program::this_one() {
  Program program;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  for (std::string argument; std::getline(file, argument, '\0');) program.arguments.push_back(argument);
  const auto* const name = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  std::error_code error;
  if (name != nullptr && *name != '\0') program.path = std::filesystem::absolute(name, error);
  if (program.path.empty() || error) program.path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (program.arguments.empty()) program.arguments.push_back(program.path);
  return program;
}

Successor::Successor(const Program& program, std::vector<server::KeptSocket> sockets) : sockets_(std::move(sockets)) {
  int ends[2];
  check(::pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno, "pipe2");
  ready_ = net::Descriptor(ends[0]);
  const net::Descriptor theirs(ends[1]);

  Actions actions;
  std::vector<net::Descriptor> copies;
  std::string names;
  const int least = first_of_successor + static_cast<int>(sockets_.size()) + 1;
  for (const server::KeptSocket& socket : sockets_) {
    if (!copies.empty()) names.push_back(':');
    names += socket.listener;
    copies.push_back(moved_up(socket.descriptor, least));
    actions.place(copies.back(), first_of_successor + static_cast<int>(copies.size()) - 1);
  }
  copies.push_back(moved_up(theirs, least));
  actions.place(copies.back(), least - 1);

  std::vector<std::string> arguments = program.arguments;
  std::vector<std::string> environment = environment_with(handover_variable(sockets_.size(), names));
  const Attributes attributes;
  check(::posix_spawn(&process_, program.path.c_str(), actions.get(), attributes.get(), pointers_to(arguments).data(),
                      pointers_to(environment).data()),
        program.path.c_str());
  started_ = process_;
}

Successor::~Successor() {
  if (process_ > 0) static_cast<void>(end());
}

bool Successor::has_started() {
  char byte = 0;
  ssize_t size = 0;
  do {
    size = ::read(ready_.number(), &byte, 1);
  } while (size < 0 && errno == EINTR);
  if (size != 1) return false;
  for (const server::KeptSocket& socket : sockets_) {
    if (socket.file) socket.file->keep();
  }
  sockets_.clear();
  process_ = -1;
  return true;
}

std::string Successor::end() {
  int status = 0;
  const pid_t process = std::exchange(process_, -1);
  // It may have ended by itself, with a status that tells why.
  pid_t ended = ::waitpid(process, &status, WNOHANG);
  if (ended == 0) {
    ::kill(process, SIGKILL);
    do {
      ended = ::waitpid(process, &status, 0);
    } while (ended < 0 && errno == EINTR);
  }
  if (ended != process) return "ended";
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "was ended by signal " + std::to_string(WTERMSIG(status));
}

}  // namespace tern
