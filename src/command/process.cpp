#include "command/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace tern::command {

void Handle::close() noexcept {
  if (number_ >= 0) ::close(std::exchange(number_, -1));
}

void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

void inherit_socket(int socket) {
  constexpr int inherited = 3;
  if (socket == inherited) {
    ::fcntl(inherited, F_SETFD, 0);
  } else {
    ::dup2(socket, inherited);
  }
  ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
  ::setenv("LISTEN_FDS", "1", 1);
  ::unsetenv("LISTEN_FDNAMES");
}

void execute(const std::vector<std::string>& command) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  ::_exit(127);
}

void silence(int descriptor) {
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(null, descriptor);
}

int wait_for(pid_t process) {
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

Child Child::begin(bool own_group) {
  const pid_t parent = ::getpid();
  Child child;
  child.has_group_ = own_group;
  child.process_ = ::fork();
  if (child.process_ < 0) fail("fork");
  if (child.process_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(1);  // which has ended meanwhile
    if (own_group) ::setpgid(0, 0);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    return child;
  }
  if (own_group) ::setpgid(child.process_, child.process_);  // whichever of the two comes first
  child.ended_ = Handle(static_cast<int>(::syscall(SYS_pidfd_open, child.process_, 0)));
  if (!child.ended_) fail("pidfd_open");
  return child;
}

void Child::leave(int status) {
  ::_exit(status);
}

Child::Child(Child&& other) noexcept
    : process_(std::exchange(other.process_, -1)), has_group_(other.has_group_), ended_(std::move(other.ended_)) {}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(process_, other.process_);
  std::swap(has_group_, other.has_group_);
  std::swap(ended_, other.ended_);
  return *this;
}

Child::~Child() {
  stop(std::chrono::milliseconds(0));
}

void Child::signal(int number) const {
  ::kill(has_group_ ? -process_ : process_, number);
}

bool Child::ends_within(std::chrono::milliseconds time) const {
  pollfd ended = {.fd = ended_.number(), .events = POLLIN, .revents = 0};
  return ::poll(&ended, 1, static_cast<int>(time.count())) > 0;
}

std::optional<int> Child::status() {
  int status = 0;
  if (process_ <= 0 || ::waitpid(process_, &status, WNOHANG) != process_) return std::nullopt;
  process_ = -1;
  ended_.close();
  return status;
}

void Child::stop(std::chrono::milliseconds patience) {
  if (process_ <= 0) return;
  signal(SIGTERM);
  if (!ends_within(patience)) {
    signal(SIGTERM);
    if (!ends_within(std::chrono::seconds(2))) signal(SIGKILL);
  }
  wait_for(process_);
  process_ = -1;
  ended_.close();
}

std::string text_of_status(int status) {
  if (WIFEXITED(status)) return "exit status " + std::to_string(WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  return "signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

}  // namespace tern::command
