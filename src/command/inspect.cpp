#include "command/inspect.hpp"

#include "command/process.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>

namespace tern::command {
namespace {

std::string all_of(int descriptor) {
  std::string text;
  std::array<char, 16 * 1024> part{};
  while (true) {
    const auto size = ::read(descriptor, part.data(), part.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(size));
  }
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
    process_ = ::fork();
    if (process_ < 0) fail("fork");
    if (process_ != 0) return;  // and the socket is the program's: its end ends a connection
    silence(STDOUT_FILENO);
    silence(STDERR_FILENO);
    inherit_socket(server.number());
    execute(command);
  }
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;
  ~RunningProgram() {
    ::kill(process_, SIGINT);
    ::kill(process_, SIGINT);  // at once
    wait_for(process_);
  }

  std::string get(std::string_view path) const {
    const Handle client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    std::string request = "GET ";
    request.append(path).append(" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    const bool sent =
        ::connect(client.number(), reinterpret_cast<const sockaddr*>(&address_), sizeof address_) == 0 &&
        ::send(client.number(), request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size());
    return sent ? all_of(client.number()) : std::string();
  }

private:
  sockaddr_in address_{};
  pid_t process_ = -1;
};

}  // namespace

std::vector<ProgramRoute> routes_of(const std::vector<std::string>& command) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) fail("pipe2");
  const Handle output(ends[0]);
  Handle theirs(ends[1]);
  const pid_t process = ::fork();
  if (process < 0) fail("fork");
  if (process == 0) {
    ::dup2(theirs.number(), STDOUT_FILENO);
    ::setenv("TERN_ROUTES", "1", 1);
    execute(command);
  }
  theirs.close();
  const std::string text = all_of(output.number());
  const int status = wait_for(process);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) throw std::runtime_error("cannot run " + command.front());
  const std::size_t begin = text.find("tern routes 1\n");  // behind what the program prints itself
  if (begin == std::string::npos) {
    throw std::runtime_error(command.front() + " does not print its routes: it ends before App::run()");
  }
  std::vector<ProgramRoute> routes;
  std::string_view rest = std::string_view(text).substr(begin);
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

std::string content_of(const std::vector<std::string>& command, std::string_view path) {
  const std::string answer = RunningProgram(command).get(path);
  const std::size_t head = answer.find("\r\n\r\n");
  if (head == std::string::npos) throw std::runtime_error(command.front() + " ends before it answers");
  const std::string status = answer.substr(0, answer.find('\r'));
  if (!status.starts_with("HTTP/1.1 200")) {
    throw std::runtime_error(command.front() + " answers " + std::string(path) + " with " + status.substr(9));
  }
  return answer.substr(head + 4);
}

}  // namespace tern::command
