// What this process may use of the machine.
#include "server/settings.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace tern::server {
namespace {

// For uploads, certificates, and whatever the application opens.
constexpr std::size_t descriptor_reserve = 64;
constexpr std::size_t descriptors_of_loop = 2;  // epoll, and what wakes it

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

std::size_t open_descriptors() {
  std::error_code error;
  std::size_t count = 0;
  std::filesystem::directory_iterator entry("/proc/self/fd", error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) ++count;
  return std::max<std::size_t>(count, 3);
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

DescriptorBudget descriptor_budget(std::size_t loops, std::size_t listeners) {
  DescriptorBudget budget;
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  budget.limit = limited ? static_cast<std::size_t>(limit.rlim_cur) : std::size_t{1} << 20U;
  budget.needed = open_descriptors() + loops * (descriptors_of_loop + listeners) + descriptor_reserve;
  return budget;
}

}  // namespace tern::server
