// For tests: a Redis of its own, on a Unix socket in a temporary folder.
#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tern::testing {

class RedisProcess {
public:
  // More arguments of redis-server.
  explicit RedisProcess(std::vector<std::string> arguments = {}) : arguments_(std::move(arguments)) {
    std::string folder = "/tmp/tern-test-XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    socket = folder_ + "/socket";
    start();
  }
  RedisProcess(const RedisProcess&) = delete;
  RedisProcess& operator=(const RedisProcess&) = delete;
  ~RedisProcess() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // After kill(), too.
  void start() {
    std::vector<std::string> words = {"redis-server", "--port", "0",         "--unixsocket", socket, "--save", "",
                                      "--dir",        folder_,  "--logfile", "log"};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    ended_ = false;
    process_ = ::fork();
    if (process_ != 0) return;
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // also when the test aborts
    ::execvp(pointers[0], pointers.data());
    ::_exit(127);
  }
  // False where there is no Redis.
  bool await() {
    while (!ended()) {
      if (accepts()) return true;
      std::this_thread::yield();
    }
    return false;
  }
  void kill() {
    if (ended()) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    ended_ = true;
    std::error_code ignored;
    std::filesystem::remove(socket, ignored);
  }
  // The process hangs, or goes on.
  void signal(int number) const { ::kill(process_, number); }

  std::string socket;

private:
  bool ended() {
    if (!ended_) ended_ = ::waitpid(process_, nullptr, WNOHANG) == process_;
    return ended_;
  }
  bool accepts() const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    socket.copy(address.sun_path, sizeof address.sun_path - 1);
    const int client = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = ::connect(client, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    ::close(client);
    return connected;
  }

  const std::vector<std::string> arguments_;
  std::string folder_;
  pid_t process_ = -1;
  bool ended_ = false;
};

}  // namespace tern::testing
