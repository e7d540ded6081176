// What this process may use of the machine.
#include "server/settings.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>

namespace tern::server {
namespace {

constexpr std::size_t descriptor_reserve = 64;

std::optional<std::string> first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

// "max 100000" or "150000 100000": quota and period (cgroup v2). Nothing where there is no quota.
std::optional<unsigned> quota_processors() {
  const auto line = first_line("/sys/fs/cgroup/cpu.max");
  if (!line) return std::nullopt;
  const std::string_view text = *line;
  const auto quota = base::parse_integer<unsigned long>(text.substr(0, text.find(' ')));
  const auto period = base::parse_integer<unsigned long>(text.substr(std::min(text.find(' ') + 1, text.size())));
  if (!quota || !period || *period == 0) return std::nullopt;
  return static_cast<unsigned>(std::max(1UL, (*quota + *period - 1) / *period));
}

}  // namespace

unsigned usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  unsigned count = 1;
  if (sched_getaffinity(0, sizeof set, &set) == 0) count = static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
  return std::min(count, quota_processors().value_or(count));
}

std::size_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  std::size_t memory =
      pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : std::size_t{1} << 30U;
  if (const auto line = first_line("/sys/fs/cgroup/memory.max")) {
    if (const auto limit = base::parse_integer<std::size_t>(*line)) memory = std::min(memory, *limit);
  }
  return memory;
}

std::size_t usable_descriptors() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return std::size_t{1} << 20U;
  const auto allowed = static_cast<std::size_t>(limit.rlim_cur);
  return allowed > 2 * descriptor_reserve ? allowed - descriptor_reserve : std::max<std::size_t>(allowed / 2, 1);
}

}  // namespace tern::server
