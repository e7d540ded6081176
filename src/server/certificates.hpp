// The certificates of a server's listeners, loaded again when their files change. A thread of its own looks at the
// files every now and then, so that no loop waits for a disk; what it loads, the loops are given for the connections to
// come. Files that cannot be used are an error in the log, and change nothing.
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

namespace tern::server {

class Log;

// What shows that a file has changed; all zero for one that is not there.
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
  // Called with a listener and what it goes on with, by the thread that has loaded it.
  using Use = base::Function<void(std::size_t listener, const Context& context)>;

  // Looks at the files every `period`. `log` outlives it.
  Certificates(Log& log, Milliseconds period) noexcept : log_(log), period_(period) {}
  ~Certificates();
  Certificates(const Certificates&) = delete;
  Certificates& operator=(const Certificates&) = delete;

  // Loads what a listener begins with; the error names the file and says what is wrong. Before watch().
  std::expected<Context, std::string> load(std::size_t listener, const std::string& name, const tls::Config& config);
  // From now on, if there is anything to look at. `use` is called until the end.
  void watch(Use use);

  // Loads all of them, changed or not. From any thread; blocks for reading files. Every listener whose files are good
  // goes on with them; what is wrong with the others is the answer, and in the log.
  std::string reload();

private:
  using Stamps = std::vector<FileStamp>;
  struct Entry {
    std::size_t listener;
    std::string name;
    tls::Config config;
    std::shared_ptr<tls::TicketKeys> tickets;
    Stamps tried;  // of what was loaded last, or could not be
    Stamps seen;   // by the last look
  };

  static Stamps stamps_of(const tls::Config& config);
  void run();
  void look();
  void load_again(Entry& entry, std::string& faults);

  Log& log_;
  const Milliseconds period_;
  std::mutex loading_;  // for entries_ and use_
  std::vector<Entry> entries_;
  Use use_;
  std::mutex mutex_;  // for ending_
  std::condition_variable ends_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace tern::server
