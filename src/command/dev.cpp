// This process holds the listening socket. One child at a time serves it: the program, or a page while there is none.
// Connections that come in between wait in the queue of the socket.
#include "command/dev.hpp"

#include "command/build_page.hpp"
#include "command/process.hpp"
#include "command/watcher.hpp"

#include <tern/tern.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace tern::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_output = 256 * 1024;  // that the page shows
constexpr auto patience = std::chrono::seconds(1);
constexpr int settle_milliseconds = 50;  // editors write files in several steps

// A build folder that is new gets what is built fast. Colours are for the terminal: CMake passes them on to the
// compiler.
constexpr const char* build_script = R"sh(
if [ ! -e "$2/build.ninja" ] && [ ! -e "$2/Makefile" ]; then
  generator=; if command -v ninja >/dev/null; then generator=-GNinja; fi
  cmake -S "$1" -B "$2" $generator -DCMAKE_BUILD_TYPE=Debug || exit
fi
exec cmake --build "$2" --parallel "$(nproc)"
)sh";

Handle listen_on(const std::string& host, std::uint16_t port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (status != 0) throw std::runtime_error("cannot find " + host + ": " + ::gai_strerror(status));
  Handle made(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  ::setsockopt(made.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  const bool is_bound = made && ::bind(made.number(), found->ai_addr, found->ai_addrlen) == 0;
  const bool listens = is_bound && ::listen(made.number(), 1024) == 0;
  const int reason = errno;
  ::freeaddrinfo(found);
  errno = reason;
  if (!listens) fail("cannot listen on " + host + ":" + std::to_string(port));
  return made;
}

std::string url_of(const Handle& socket) {
  sockaddr_storage address = {};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  auto* const to = reinterpret_cast<sockaddr*>(&address);
  if (::getsockname(socket.number(), to, &size) != 0 ||
      ::getnameinfo(to, size, host.data(), host.size(), port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) !=
          0) {
    fail("getsockname");
  }
  const std::string name = host.data();
  return "http://" + (name.contains(':') ? "[" + name + "]" : name) + ":" + port.data() + "/";
}

// SIGINT and SIGTERM, for poll().
Handle take_signals() {
  sigset_t ends;
  ::sigemptyset(&ends);
  ::sigaddset(&ends, SIGINT);
  ::sigaddset(&ends, SIGTERM);
  ::sigprocmask(SIG_BLOCK, &ends, nullptr);
  Handle made(::signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK));
  if (!made) fail("signalfd");
  return made;
}

void say(std::string_view line) {
  const bool has_colours = ::isatty(STDOUT_FILENO) != 0;
  std::printf("%stern dev: %.*s%s\n", has_colours ? "\033[1m" : "", static_cast<int>(line.size()), line.data(),
              has_colours ? "\033[0m" : "");
  std::fflush(stdout);
}

struct Built {
  bool stopped = false;  // by a signal: the others say nothing
  bool worked = false;
  std::string output;
};

class Dev {
public:
  explicit Dev(const DevArguments& arguments)
      : arguments_(with_project(arguments)),
        socket_(listen_on(arguments.host, arguments.port)),
        signals_(take_signals()),
        watcher_(watched_folders(arguments), arguments.build) {}

  int run() {
    say("serving " + url_of(socket_) + " until Ctrl-C");
    show({"The first build is under way", ""});
    while (true) {
      const Built built = build();
      if (built.stopped) break;
      if (built.worked) {
        start_program();
      } else {
        say("the build failed; waiting for a change");
        show({"The build failed", built.output, (fs::absolute(arguments_.source).lexically_normal() / "").string()});
      }
      if (!await_change()) break;
    }
    child_.stop(patience);
    return 0;
  }

private:
  static const DevArguments& with_project(const DevArguments& arguments) {
    if (fs::exists(fs::path(arguments.source) / "CMakeLists.txt")) return arguments;
    throw std::runtime_error("there is no CMakeLists.txt in " + arguments.source +
                             ": name the folder of the project by --source");
  }

  static std::vector<fs::path> watched_folders(const DevArguments& arguments) {
    std::vector<fs::path> folders = {arguments.source};
    folders.insert(folders.end(), arguments.watched.begin(), arguments.watched.end());
    return folders;
  }

  // Until it has ended; from the beginning when something changes meanwhile.
  Built build() {
    while (true) {
      say("building");
      const auto begin = std::chrono::steady_clock::now();
      Built built;
      const std::optional<int> status = run_build(built);
      if (built.stopped) return built;
      if (!status) continue;
      const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      std::array<char, 64> line{};
      std::snprintf(line.data(), line.size(), "built in %.1f s", took.count());
      built.worked = *status == 0;
      if (built.worked) say(line.data());
      return built;
    }
  }

  // Nothing: something has changed, or it was stopped.
  std::optional<int> run_build(Built& built) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
    const Handle output(ends[0]);
    Handle theirs(ends[1]);
    Child builder(
        [&]() -> int {
          if (::isatty(STDOUT_FILENO) != 0) {  // the pipe is none
            ::setenv("CMAKE_COLOR_DIAGNOSTICS", "ON", 0);
            ::setenv("CLICOLOR_FORCE", "1", 0);
          }
          ::dup2(theirs.number(), STDOUT_FILENO);
          ::dup2(theirs.number(), STDERR_FILENO);
          execute({"sh", "-c", build_script, "sh", arguments_.source, arguments_.build});
        },
        true);
    theirs.close();
    ::fcntl(output.number(), F_SETFL, O_NONBLOCK);
    while (true) {
      std::array<pollfd, 4> waits = {{{signals_.number(), POLLIN, 0},
                                      {watcher_.descriptor(), POLLIN, 0},
                                      {output.number(), POLLIN, 0},
                                      {builder.descriptor(), POLLIN, 0}}};
      if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) fail("poll");
      if (waits[0].revents != 0) {
        built.stopped = true;
        return std::nullopt;
      }
      if (waits[1].revents != 0 && watcher_.take()) {
        settle();
        return std::nullopt;
      }
      echo(output, built.output);
      if (waits[3].revents != 0) {
        echo(output, built.output);
        return builder.status();
      }
    }
  }

  // What there is, to the terminal too.
  static void echo(const Handle& output, std::string& text) {
    std::array<char, 16 * 1024> part{};
    for (ssize_t size = 0; (size = ::read(output.number(), part.data(), part.size())) > 0;) {
      std::fwrite(part.data(), 1, static_cast<std::size_t>(size), stdout);
      std::fflush(stdout);
      if (text.size() < max_output) text.append(part.data(), static_cast<std::size_t>(size));
    }
  }

  // False after a signal.
  bool await_change() {
    while (true) {
      std::array<pollfd, 3> waits = {{{signals_.number(), POLLIN, 0},
                                      {watcher_.descriptor(), POLLIN, 0},
                                      {child_.descriptor(), POLLIN, 0}}};  // a descriptor below zero is left out
      if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) fail("poll");
      if (waits[0].revents != 0) return false;
      if (waits[1].revents != 0 && watcher_.take()) {
        settle();
        return true;
      }
      if (waits[2].revents == 0) continue;
      const std::optional<int> status = child_.status();
      if (!status) continue;
      say("the program has ended with " + text_of_status(*status) + "; waiting for a change");
      show({"The program has ended with " + text_of_status(*status), "Its output is in the terminal of tern dev."});
    }
  }

  void settle() {
    pollfd change = {.fd = watcher_.descriptor(), .events = POLLIN, .revents = 0};
    while (::poll(&change, 1, settle_milliseconds) > 0) watcher_.take();
  }

  fs::path program() const {
    if (!arguments_.program.empty()) return arguments_.program;
    std::ifstream cache(fs::path(arguments_.build) / "CMakeCache.txt");
    constexpr std::string_view entry = "CMAKE_PROJECT_NAME:STATIC=";
    for (std::string line; std::getline(cache, line);) {
      if (line.starts_with(entry)) return fs::path(arguments_.build) / line.substr(entry.size());
    }
    return {};
  }

  void start_program() {
    const fs::path path = fs::absolute(program());
    if (::access(path.c_str(), X_OK) != 0 || fs::is_directory(path)) {
      say("there is no program " + path.string() + ": name it by --program");
      return show({"There is no program " + path.string(), "Name it by tern dev --program PATH."});
    }
    std::vector<std::string> command = {path.string()};
    command.insert(command.end(), arguments_.arguments.begin(), arguments_.arguments.end());
    child_.stop(patience);
    child_ = Child(
        [&]() -> int {
          enter();
          execute(command);
        },
        false);
  }

  void show(const BuildPage& page) {
    child_.stop(patience);
    child_ = Child(
        [&]() -> int {
          enter();
          try {
            App app;
            add_build_page(app, page);
            return app.run({.threads = 1, .logging = {.level = LogLevel::Off}});
          } catch (const std::exception&) {
            return 1;
          }
        },
        false);
  }

  // In the child.
  void enter() const {
    ::setenv("TERN_RELOAD", "1", 1);
    inherit_socket(socket_.number());
  }

  const DevArguments& arguments_;
  Handle socket_;
  Handle signals_;
  Watcher watcher_;
  Child child_;
};

}  // namespace

int run_dev(const DevArguments& arguments) {
  return Dev(arguments).run();
}

}  // namespace tern::command
