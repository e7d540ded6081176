// /proc/self/cgroup has a line "id:controllers:path" for each hierarchy: "0::/system.slice/app.service" is version 2,
// "4:cpu,cpuacct:/app" version 1. The files of a group are in the directory `path` below the hierarchy's mount point.
// In a container the path may be that of the host, which is not visible there; the mount point is the container's own
// group then. So every directory from the path up to the mount point is read, as far as it exists.
#include "server/cgroup.hpp"

#include <tern/base/number.hpp>

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <string_view>

namespace tern::server {
namespace {

std::optional<std::string> first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::string_view behind(std::string_view text, char separator) {
  return text.substr(std::min(text.find(separator), text.size() - 1) + 1);
}

template <class T>
void lower(std::optional<T>& limit, std::optional<T> found) {
  if (found && (!limit || *found < *limit)) limit = found;
}

std::optional<unsigned> processors(std::string_view quota, std::string_view period) {
  const auto used = base::parse_integer<unsigned long>(quota);
  const auto of = base::parse_integer<unsigned long>(period);
  if (!used || !of || *of == 0) return std::nullopt;  // "max", or -1
  const unsigned long whole = *used / *of + (*used % *of != 0 ? 1 : 0);
  return static_cast<unsigned>(std::clamp(whole, 1UL, 1UL << 20U));
}

std::optional<std::size_t> bytes(const std::optional<std::string>& line) {
  return line ? base::parse_integer<std::size_t>(*line) : std::nullopt;
}

// "max 100000" or "150000 100000": quota and period.
void read_version_2(const std::string& directory, CgroupLimits& limits) {
  if (const auto line = first_line(directory + "/cpu.max"); line && !line->empty()) {
    lower(limits.processors, processors(std::string_view(*line).substr(0, line->find(' ')), behind(*line, ' ')));
  }
  lower(limits.memory, bytes(first_line(directory + "/memory.max")));
}

void read_version_1(const std::string& directory, CgroupLimits& limits) {
  const auto quota = first_line(directory + "/cpu.cfs_quota_us");
  const auto period = first_line(directory + "/cpu.cfs_period_us");
  if (quota && period) lower(limits.processors, processors(*quota, *period));
  lower(limits.memory, bytes(first_line(directory + "/memory.limit_in_bytes")));
}

// The group at `path` below the mount point and its ancestors.
template <class Read>
void read_all(const std::string& mount, std::string_view path, CgroupLimits& limits, Read read) {
  if (path.find("/..") != std::string_view::npos) path = {};  // outside of this process's namespace
  while (!path.empty()) {
    if (path != "/") read(mount + std::string(path), limits);
    path = path.substr(0, path.rfind('/'));
  }
  read(mount, limits);
}

bool has_controller(std::string_view list, std::string_view name) {
  for (; !list.empty(); list = list.find(',') == std::string_view::npos ? std::string_view() : behind(list, ',')) {
    if (list.substr(0, list.find(',')) == name) return true;
  }
  return false;
}

}  // namespace

CgroupLimits cgroup_limits(const std::string& root) {
  CgroupLimits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  std::ifstream hierarchies(root + "/proc/self/cgroup");
  for (std::string line; std::getline(hierarchies, line);) {
    if (std::ranges::count(line, ':') < 2) continue;
    const std::string_view rest = behind(line, ':');
    const std::string_view controllers = rest.substr(0, rest.find(':'));
    const std::string_view path = behind(rest, ':');
    if (controllers.empty()) {
      read_all(mount, path, limits, &read_version_2);
      read_all(mount + "/unified", path, limits, &read_version_2);  // beside version 1
      continue;
    }
    for (const std::string_view name : {"cpu", "memory"}) {
      if (!has_controller(controllers, name)) continue;
      read_all(mount + "/" + std::string(name), path, limits, &read_version_1);
      read_all(mount + "/" + std::string(controllers), path, limits, &read_version_1);
    }
  }
  return limits;
}

}  // namespace tern::server
