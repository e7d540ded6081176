#include "server/machine.hpp"

#include "server/cgroup.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tern::server {
namespace {

// For uploads, certificates, and files of the application.
constexpr std::size_t descriptor_reserve = 64;
constexpr std::size_t descriptors_of_loop = 2;  // epoll, and its eventfd

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
  return std::min(count, cgroup_limits().processors.value_or(count));
}

std::size_t usable_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGESIZE);
  const std::size_t memory =
      pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page) : std::size_t{1} << 30U;
  return std::min(memory, cgroup_limits().memory.value_or(memory));
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
