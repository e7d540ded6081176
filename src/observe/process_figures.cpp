#include "observe/process_figures.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tern::observe {
namespace {

std::string content_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The words behind the name of the program, which is in parentheses and may have any others in it (proc(5)).
std::vector<std::string> process_status() {
  const std::string line = content_of("/proc/self/stat");
  const std::size_t name_end = line.rfind(')');
  std::vector<std::string> words;
  if (name_end == std::string::npos) return words;
  std::string word;
  for (const char byte : std::string_view(line).substr(name_end + 1)) {
    if (byte != ' ' && byte != '\n') {
      word += byte;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

// When the machine was booted, in seconds since 1970.
std::optional<std::uint64_t> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("btime ")) return base::parse_integer<std::uint64_t>(std::string_view(line).substr(6));
  }
  return std::nullopt;
}

void report_status(http::FigureSink& sink) {
  const std::vector<std::string> words = process_status();
  // The fields of proc(5), whose third is the first word.
  const auto field = [&words](std::size_t number) -> std::optional<double> {
    if (words.size() < number - 2) return std::nullopt;
    const auto value = base::parse_integer<std::uint64_t>(words[number - 3]);
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  if (const auto user = field(14), system = field(15); user && system) {
    sink.counter("process_cpu_seconds", "CPU time of the process, in seconds.", (*user + *system) / ticks);
  }
  if (const auto threads = field(20)) sink.gauge("process_threads", "Threads of the process.", *threads);
  if (const auto began = field(22), boot = boot_time() ? std::optional(double(*boot_time())) : std::nullopt;
      began && boot) {
    sink.gauge("process_start_time_seconds", "Start of the process, in seconds since 1970.", *boot + *began / ticks);
  }
  if (const auto bytes = field(23)) {
    sink.gauge("process_virtual_memory_bytes", "Virtual memory of the process.", *bytes);
  }
  if (const auto pages = field(24)) {
    sink.gauge("process_resident_memory_bytes", "Resident memory of the process.", *pages * page);
  }
}

}  // namespace

void report_process(http::FigureSink& sink) {
  report_status(sink);
  std::error_code error;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd", error);
  if (!error) {
    // One of them is the folder's.
    const auto count = std::distance(begin(descriptors), end(descriptors)) - 1;
    sink.gauge("process_open_fds", "Open descriptors.", static_cast<double>(count));
  }
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    sink.gauge("process_max_fds", "The limit of open descriptors.", static_cast<double>(limit.rlim_cur));
  }
}

}  // namespace tern::observe
