// The file of a Unix socket, removed when the last of the sockets that share it is gone.
#pragma once

#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <atomic>
#include <string>
#include <utility>

namespace tern::net {

class SocketFile {
public:
  explicit SocketFile(std::string path) : path_(std::move(path)) {
    struct stat status{};
    if (::stat(path_.c_str(), &status) != 0) return;
    device_ = status.st_dev;
    inode_ = status.st_ino;
  }
  SocketFile(const SocketFile&) = delete;
  SocketFile& operator=(const SocketFile&) = delete;
  ~SocketFile() {
    // Not the file of another process that has put its own in this place.
    struct stat status{};
    if (kept_ || ::stat(path_.c_str(), &status) != 0 || status.st_dev != device_ || status.st_ino != inode_) return;
    ::unlink(path_.c_str());
  }

  // A successor serves it from now on. From any thread.
  void keep() noexcept { kept_ = true; }

private:
  std::string path_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::atomic<bool> kept_ = false;
};

}  // namespace tern::net
