// The processors, memory and descriptors that this process may use.
#pragma once

#include <cstddef>

namespace tern::server {

// How many loops to run: the processors that this process may use, by affinity and by cgroup quota.
unsigned usable_processors();
// How many bytes of memory this process may use, by cgroup and by the machine.
std::size_t usable_memory();
// How many descriptors this process may have (RLIMIT_NOFILE), and how many a server with so many loops and listeners
// needs beside its connections: those that are open by now, its own, and a reserve.
struct DescriptorBudget {
  std::size_t limit = 0;
  std::size_t needed = 0;
};
DescriptorBudget descriptor_budget(std::size_t loops, std::size_t listeners);

}  // namespace tern::server
