// The certificates of a server's listeners, loaded again when their files change. A separate thread checks the files
// periodically, so that no loop waits for a disk; loops get the loaded contexts for future connections. Invalid files
// are logged as errors, and change nothing.
#pragma once

#include "tls/config.hpp"
#include "tls/context.hpp"

#include <tern/base/duration.hpp>
#include <tern/base/function.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tern::logging {
class Log;
}

namespace tern::transport {

// Identifies a version of a file; all zero if it does not exist.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t seconds = 0;
  std::int64_t nanoseconds = 0;
  std::int64_t size = 0;
  bool operator==(const FileStamp&) const = default;
};

class Certificates {
public:
  using Context = std::shared_ptr<const tls::Context>;
  // Called with a listener and its new context, by the thread that has loaded it.
  using Use = base::Function<void(std::size_t listener, const Context& context)>;

  // Checks the files every `period`. `log` outlives it.
  Certificates(logging::Log& log, Milliseconds period) noexcept : log_(log), period_(period) {}
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Loads the first context of a listener; the error names the file and the cause. Before watch().
  std::expected<Context, std::string> load(std::size_t listener, const std::string& name, const tls::Config& config);
  // Starts watching, if there are files to check. `use` is called until the end.
  void watch(Use use);

  // Loads all of them, changed or not. Thread-safe; blocks for reading files. Every listener with valid files gets its
  // new context; the errors of the others are returned and logged.
  std::string reload();

private:
  using Stamps = std::vector<FileStamp>;
  struct Entry {
    std::size_t listener;
    std::string name;
    tls::Config config;
    std::shared_ptr<tls::TicketKeys> tickets;
    Stamps tried;  // of the last load, or attempt
    Stamps seen;   // at the last check
  };

  static Stamps stamps_of(const tls::Config& config);
  void run();
  void look();
  void load_again(Entry& entry, std::string& faults);

  logging::Log& log_;
  const Milliseconds period_;
  std::mutex loading_;  // for entries_ and use_
  std::vector<Entry> entries_;
  Use use_;
  std::mutex mutex_;  // for ending_
  std::condition_variable ends_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tern::transport
