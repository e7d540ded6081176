// What is kept between requests, and when a change is seen.
#include "web/file_cache.hpp"

#include "web/file_testing.hpp"

#include <chrono>
#include <memory>
#include <string>

namespace tern::testing {
namespace {

using web::FileCache;

web::SharedResource resource_of(std::size_t bytes) {
  auto resource = std::make_shared<web::Resource>();
  resource->variants.push_back({.size = bytes, .content = std::string(bytes, 'x')});
  return resource;
}

web::SharedResource open_resource() {
  auto resource = std::make_shared<web::Resource>();
  resource->variants.push_back({.file = http::SharedFile(::open("/dev/null", O_RDONLY | O_CLOEXEC))});
  return resource;
}

TEST(FileCache, has_a_resource_for_a_second) {
  FileCache cache(1'000'000, 10);
  const auto resource = resource_of(10);
  cache.put("a", resource, 5000);
  EXPECT_EQ(cache.find("a", 5000), resource);
  EXPECT_EQ(cache.find("a", 5999), resource);
  EXPECT_EQ(cache.find("a", 6000), nullptr);
  EXPECT_EQ(cache.find_stale("a"), resource);
  EXPECT_EQ(cache.find("b", 5000), nullptr);
  cache.put("a", resource, 6000);
  EXPECT_EQ(cache.find("a", 6500), resource);
  cache.erase("a");
  EXPECT_EQ(cache.find_stale("a"), nullptr);
  EXPECT_EQ(cache.bytes(), 0U);
}

TEST(FileCache, is_bounded_in_bytes_and_drops_the_least_recently_used) {
  FileCache cache(10'000, 10);
  for (const char* path : {"a", "b", "c"}) cache.put(path, resource_of(3000), 0);
  EXPECT_NE(cache.find("a", 1), nullptr);
  cache.put("d", resource_of(3000), 1);
  EXPECT_NE(cache.find("a", 1), nullptr);
  EXPECT_EQ(cache.find("b", 1), nullptr);
  EXPECT_LE(cache.bytes(), 10'000U);
  cache.put("e", resource_of(20'000), 1);
  EXPECT_EQ(cache.find("e", 1), nullptr);
  EXPECT_NE(cache.find("d", 1), nullptr);
}

TEST(FileCache, is_bounded_in_open_files) {
  FileCache cache(1'000'000, 2);
  for (const char* path : {"a", "b", "c"}) cache.put(path, open_resource(), 0);
  EXPECT_EQ(cache.open_files(), 2U);
  EXPECT_EQ(cache.find("a", 0), nullptr);
  EXPECT_NE(cache.find("c", 0), nullptr);
}

TEST(FileCache, is_bounded_in_entries) {
  FileCache cache(1'000'000'000, 2);
  for (std::size_t i = 0; i <= FileCache::max_entries; ++i) cache.put(std::to_string(i), resource_of(0), 0);
  EXPECT_EQ(cache.find("0", 0), nullptr);
  EXPECT_NE(cache.find("1", 0), nullptr);
}

class CachedFiles : public ServedFolderTest {
protected:
  // Whether the response becomes this within a second and a bit.
  bool becomes(std::string_view path, std::string_view content) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (std::chrono::steady_clock::now() < end) {
      if (get(path).body == content) return true;
    }
    return false;
  }
};

TEST_F(CachedFiles, a_change_is_seen_within_a_second) {
  write("a.txt", "old");
  EXPECT_EQ(get("/a.txt").body, "old");
  const std::string etag(get("/a.txt").field("etag"));
  write("a.txt", "new", 1'700'000'001);
  EXPECT_TRUE(becomes("/a.txt", "new"));
  EXPECT_NE(get("/a.txt").field("etag"), etag);
}

TEST_F(CachedFiles, a_change_within_the_granularity_of_the_clock_is_seen) {
  write("a.txt", "old");
  EXPECT_EQ(get("/a.txt").body, "old");
  const std::filesystem::path path = folder / "a.txt";
  std::ofstream(path, std::ios::binary) << "new";  // the same inode and size,
  set_time("a.txt", 1'700'000'000);                // and the same time
  EXPECT_TRUE(becomes("/a.txt", "new"));
}

TEST_F(CachedFiles, a_file_that_is_deleted_is_missing_within_a_second) {
  write("a.txt", "here");
  EXPECT_EQ(get("/a.txt").status, 200);
  std::filesystem::remove(folder / "a.txt");
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  int status = 200;
  while (status == 200 && std::chrono::steady_clock::now() < end) status = get("/a.txt").status;
  EXPECT_EQ(status, 404);
}

TEST_F(CachedFiles, one_that_is_replaced_is_served_whole_old_or_new) {
  const std::string old_content(200'000, 'a');
  const std::string new_content(200'000, 'b');
  write("a.bin", old_content);
  EXPECT_TRUE(get("/a.bin").body == old_content);
  write("b.bin", new_content);
  std::filesystem::rename(folder / "b.bin", folder / "a.bin");
  const std::string seen = get("/a.bin").body;
  EXPECT_TRUE(seen == old_content || seen == new_content);
  EXPECT_TRUE(becomes("/a.bin", new_content));
}

}  // namespace
}  // namespace tern::testing
