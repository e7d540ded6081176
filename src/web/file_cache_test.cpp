// What is kept between requests, and when a change is seen.
#include "web/file_cache.hpp"
#include "web/missing_paths.hpp"

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

TEST(FileCache, renews_what_is_unchanged_for_half_a_minute) {
  FileCache cache(1'000'000, 10);
  const auto resource = resource_of(10);
  EXPECT_EQ(cache.find_known("a", 5000), nullptr);
  cache.put("a", resource, 5000);
  EXPECT_EQ(cache.find_known("a", 34'999), resource);
  EXPECT_EQ(cache.find_known("a", 35'000), nullptr);
  cache.renew("a", resource, 20'000);
  EXPECT_EQ(cache.find("a", 20'999), resource);
  EXPECT_EQ(cache.find("a", 21'000), nullptr);
  cache.renew("a", resource_of(10), 30'000);  // another one than is there
  EXPECT_EQ(cache.find("a", 30'000), nullptr);
  EXPECT_EQ(cache.find_known("a", 35'000), nullptr);
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

TEST(MissingPaths, are_known_for_a_second) {
  web::MissingPaths missing;
  EXPECT_FALSE(missing.contains("a", 5000));
  missing.put("a", 5000);
  EXPECT_TRUE(missing.contains("a", 5999));
  EXPECT_FALSE(missing.contains("a", 6000));
  EXPECT_FALSE(missing.contains("b", 5000));
  EXPECT_FALSE(missing.contains("", 0));
}

TEST(MissingPaths, are_bounded_in_number_and_length) {
  web::MissingPaths missing;
  missing.put(std::string(web::MissingPaths::max_path_bytes + 1, 'a'), 0);
  EXPECT_FALSE(missing.contains(std::string(web::MissingPaths::max_path_bytes + 1, 'a'), 0));
  std::size_t known = 0;
  for (int i = 0; i < 5000; ++i) missing.put(std::to_string(i), 0);
  for (int i = 0; i < 5000; ++i) known += missing.contains(std::to_string(i), 0) ? 1U : 0U;
  EXPECT_LE(known, web::MissingPaths::max_paths);
  EXPECT_GT(known, web::MissingPaths::max_paths / 2);
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

TEST_F(CachedFiles, a_sibling_that_appears_or_disappears_is_seen_within_a_second) {
  write("a.txt", "plain");
  EXPECT_EQ(get("/a.txt", {{"accept-encoding", "gzip"}}).body, "plain");
  const auto coded = [this] { return get("/a.txt", {{"accept-encoding", "gzip"}}).body == "coded"; };
  const auto within_a_second = [](auto holds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
    while (!holds() && std::chrono::steady_clock::now() < end) {
    }
    return holds();
  };
  write("a.txt.gz", "coded");
  EXPECT_TRUE(within_a_second(coded));
  std::filesystem::remove(folder / "a.txt.gz");
  EXPECT_TRUE(within_a_second([&] { return !coded(); }));
}

TEST_F(CachedFiles, an_unchanged_file_is_served_for_more_than_a_second) {
  write("a.txt", "unchanged");
  const std::string etag(get("/a.txt").field("etag"));
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1200);
  while (std::chrono::steady_clock::now() < end) EXPECT_EQ(get("/a.txt").field("etag"), etag);
  EXPECT_EQ(get("/a.txt").body, "unchanged");
  std::filesystem::remove(folder / "a.txt");
  write("b.txt", "another");
  link("b.txt", "a.txt");
  EXPECT_TRUE(becomes("/a.txt", "another"));
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

TEST_F(CachedFiles, a_missing_file_is_seen_within_a_second_after_it_appears) {
  EXPECT_EQ(get("/a.txt").status, 404);
  EXPECT_EQ(get("/a.txt").status, 404);
  write("a.txt", "here");
  EXPECT_TRUE(becomes("/a.txt", "here"));
}

TEST_F(CachedFiles, a_changed_page_is_seen_behind_missing_paths) {
  write("index.html", "old");
  write("404.html", "nothing");
  serve({.fallback = "index.html", .not_found = "404.html"});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(get("/users/7").body, "old");
    EXPECT_EQ(get("/users/7").status, 200);
    EXPECT_EQ(get("/gone.js").body, "nothing");
    EXPECT_EQ(get("/gone.js").status, 404);
  }
  write("index.html", "new", 1'700'000'001);
  EXPECT_TRUE(becomes("/users/7", "new"));
  write("users/7", "a file");
  EXPECT_TRUE(becomes("/users/7", "a file"));
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
