#include "command/inspect.hpp"

#include "command/process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>

namespace tern::command {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto patience = std::chrono::seconds(1);

// What is there up to the end; nothing if that is not within the time.
std::optional<std::string> all_of(const Handle& from, Clock::time_point limit) {
  std::string text;
  std::array<char, 16 * 1024> part{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - Clock::now()).count();
    pollfd input = {.fd = from.number(), .events = POLLIN, .revents = 0};
    const int ready = ::poll(&input, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (ready == 0) return std::nullopt;
    const auto size = ready < 0 ? ready : ::read(from.number(), part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
}

[[noreturn]] void fail_late(const std::string& program, std::string_view what, std::chrono::milliseconds time) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time).count();
  throw std::runtime_error(program + " does not " + std::string(what) + " within " + std::to_string(seconds) + " s");
}

// Of a child that has closed what it was asked by.
void check_it_ran(const std::string& program, Child& child) {
  if (!child.ends_within(patience)) return;
  const int status = child.status().value_or(0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) throw std::runtime_error("cannot run " + program);
}

std::string take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  std::string line(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string take_field(std::string& line) {
  const std::size_t end = std::min(line.find('\t'), line.size());
  std::string field = line.substr(0, end);
  line.erase(0, end + 1);
  return field;
}

// A program that serves a socket, and is stopped by the destructor.
class RunningProgram {
public:
  explicit RunningProgram(const std::vector<std::string>& command) {
    Handle server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address_;
    auto* const address = reinterpret_cast<sockaddr*>(&address_);
    if (::bind(server.number(), address, length) != 0 || ::listen(server.number(), 16) != 0 ||
        ::getsockname(server.number(), address, &length) != 0) {
      fail("cannot open a socket");
    }
    // The socket is the program's, closed here: its end ends a connection.
    child_ = Child(
        [&]() -> int {
          silence(STDOUT_FILENO);
          silence(STDERR_FILENO);
          inherit_socket(server.number());
          execute(command);
        },
        false);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() { child_.stop(patience); }

  Child& child() noexcept { return child_; }

  // Up to the end of the connection; nothing if that is not within the time.
  std::optional<std::string> get(std::string_view path, Clock::time_point limit) const {
    const Handle client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::string request = "GET ";
    request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const bool sent =
        ::connect(client.number(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0 &&
        ::send(client.number(), request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
    return sent ? all_of(client, limit) : std::string();
  }

private:
  sockaddr_in address_{};
  Child child_;
};

}  // namespace

std::vector<ProgramRoute> routes_of(const std::vector<std::string>& command, std::chrono::milliseconds time) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  const Handle output(ends[0]);
  Handle theirs(ends[1]);
  Child program(
      [&]() -> int {
        ::dup2(theirs.number(), STDOUT_FILENO);
        ::setenv("TERN_ROUTES", "1", 1);
        execute(command);
      },
      false);
  theirs.close();
  const std::optional<std::string> text = all_of(output, Clock::now() + time);
  if (!text) fail_late(command.front(), "print its routes", time);
  const std::size_t begin = text->find("tern routes 1\n");  // behind what the program prints itself
  if (begin == std::string::npos) {
    check_it_ran(command.front(), program);
    throw std::runtime_error(command.front() + " does not print its routes: it ends before App::run()");
  }
  std::vector<ProgramRoute> routes;
  std::string_view rest = std::string_view(*text).substr(begin);
  take_line(rest);
  while (!rest.empty()) {
    std::string line = take_line(rest);
    ProgramRoute& route = routes.emplace_back();
    route.method = take_field(line);
    route.pattern = take_field(line);
    route.name = take_field(line);
    route.place = take_field(line);
  }
  return routes;
}

std::string as_table(const std::vector<ProgramRoute>& routes) {
  std::size_t method = 0;
  std::size_t pattern = 0;
  std::size_t name = 0;
  for (const ProgramRoute& route : routes) {
    method = std::max(method, route.method.size());
    pattern = std::max(pattern, route.pattern.size());
    name = std::max(name, route.name.size());
  }
  std::string table;
  for (const ProgramRoute& route : routes) {
    std::string line = route.method;
    line.resize(method + 2, ' ');
    line += route.pattern;
    line.resize(method + pattern + 4, ' ');
    line += route.name;
    line.resize(method + pattern + name + 6, ' ');
    line += route.place;
    line.erase(line.find_last_not_of(' ') + 1);
    table += line + "\n";
  }
  return table;
}

std::string content_of(const std::vector<std::string>& command, std::string_view path, std::chrono::milliseconds time) {
  RunningProgram program(command);
  const std::optional<std::string> answer = program.get(path, Clock::now() + time);
  if (!answer) fail_late(command.front(), "answer", time);
  const std::size_t head = answer->find("\r\n\r\n");
  if (head == std::string::npos) {
    check_it_ran(command.front(), program.child());
    throw std::runtime_error(command.front() + " ends before it answers");
  }
  const std::string status = answer->substr(0, answer->find('\r'));
  if (!status.starts_with("HTTP/1.1 200")) {
    throw std::runtime_error(command.front() + " answers " + std::string(path) + " with " + status.substr(9));
  }
  std::string content = answer->substr(head + 4);
  if (!content.starts_with('{')) {
    throw std::runtime_error(command.front() + " has no document at " + std::string(path) + ": name it by --path");
  }
  return content;
}

}  // namespace tern::command
