// Limits of the control groups (cgroups) of this process: its own and their ancestors, of version 1 and 2.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tern::server {

// The smallest of each; unset if there is none.
struct CgroupLimits {
  std::optional<unsigned> processors;  // CPU quota, rounded up
  std::optional<std::size_t> memory;   // bytes
};

// Below `root` there are proc/self/cgroup and sys/fs/cgroup. Missing and unreadable files set no limit.
CgroupLimits cgroup_limits(const std::string& root = {});

}  // namespace tern::server
