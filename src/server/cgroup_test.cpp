#include "server/cgroup.hpp"

#include "base/test_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace tern::server {
namespace {

// A directory with proc/self/cgroup and sys/fs/cgroup.
class CgroupTest : public ::testing::Test {
protected:
  void file(const std::string& path, std::string_view content) {
    const std::filesystem::path whole = root_.path / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << content << '\n';
  }
  void process_in(std::string_view hierarchies) { file("proc/self/cgroup", hierarchies); }
  void group(const std::string& path, const std::string& name, std::string_view value) {
    file("sys/fs/cgroup" + path + "/" + name, value);
  }
  CgroupLimits limits() const { return cgroup_limits(root_.path.string()); }

private:
  base::TestFolder root_;
};

TEST_F(CgroupTest, no_cgroup_is_no_limit) {
  EXPECT_FALSE(limits().processors);
  EXPECT_FALSE(limits().memory);
  process_in("0::/");
  EXPECT_FALSE(limits().processors);
  EXPECT_FALSE(limits().memory);
}

TEST_F(CgroupTest, of_a_container_is_at_the_mount_point) {
  process_in("0::/");
  group("", "cpu.max", "150000 100000");
  group("", "memory.max", "1048576");
  EXPECT_EQ(limits().processors, 2U);
  EXPECT_EQ(limits().memory, 1'048'576U);
}

TEST_F(CgroupTest, of_a_systemd_unit_is_in_its_own_group) {
  process_in("0::/system.slice/app.service");
  group("", "cgroup.procs", "");
  group("/system.slice", "cpu.max", "max 100000");
  group("/system.slice", "memory.max", "max");
  group("/system.slice/app.service", "cpu.max", "50000 100000");
  group("/system.slice/app.service", "memory.max", "268435456");
  EXPECT_EQ(limits().processors, 1U);
  EXPECT_EQ(limits().memory, 268'435'456U);
}

TEST_F(CgroupTest, the_smallest_of_all_groups_around_counts) {
  process_in("0::/a/b/c");
  group("/a", "cpu.max", "300000 100000");
  group("/a/b", "cpu.max", "800000 200000");
  group("/a/b/c", "cpu.max", "600000 100000");
  group("/a", "memory.max", "3000");
  group("/a/b", "memory.max", "1000");
  group("/a/b/c", "memory.max", "2000");
  group("/a/b/d", "memory.max", "1");  // of another group
  EXPECT_EQ(limits().processors, 3U);
  EXPECT_EQ(limits().memory, 1000U);
}

TEST_F(CgroupTest, a_path_of_the_host_that_is_not_visible_ends_at_the_mount_point) {
  group("", "memory.max", "4096");
  for (const char* path : {"0::/docker/0123", "0::/../other", "0::/.."}) {
    process_in(path);
    EXPECT_EQ(limits().memory, 4096U) << path;
  }
}

TEST_F(CgroupTest, version_1_has_a_hierarchy_for_each_controller) {
  process_in("11:memory:/app\n4:cpu,cpuacct:/slice/app\n1:name=systemd:/init.scope\n0::/init.scope");
  group("/memory", "memory.limit_in_bytes", "9223372036854771712");
  group("/memory/app", "memory.limit_in_bytes", "65536");
  group("/cpu,cpuacct/slice", "cpu.cfs_quota_us", "350000");
  group("/cpu,cpuacct/slice", "cpu.cfs_period_us", "100000");
  group("/cpu,cpuacct/slice/app", "cpu.cfs_quota_us", "-1");
  group("/cpu,cpuacct/slice/app", "cpu.cfs_period_us", "100000");
  EXPECT_EQ(limits().processors, 4U);
  EXPECT_EQ(limits().memory, 65'536U);
}

TEST_F(CgroupTest, version_2_may_stand_beside_version_1) {
  process_in("4:cpu:/\n0::/app");
  group("/cpu", "cpu.cfs_quota_us", "200000");
  group("/cpu", "cpu.cfs_period_us", "100000");
  group("/unified/app", "memory.max", "8192");
  EXPECT_EQ(limits().processors, 2U);
  EXPECT_EQ(limits().memory, 8192U);
}

TEST_F(CgroupTest, what_cannot_be_understood_is_no_limit) {
  process_in("0\n:\n0::/app\n\n");
  group("/app", "cpu.max", "100000");
  group("/app", "memory.max", "-5");
  EXPECT_FALSE(limits().processors);
  EXPECT_FALSE(limits().memory);
  group("/app", "cpu.max", "100000 0");
  group("/app", "memory.max", "");
  EXPECT_FALSE(limits().processors);
  EXPECT_FALSE(limits().memory);
}

}  // namespace
}  // namespace tern::server
