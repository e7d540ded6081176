#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <stdexcept>

namespace tern {
namespace {

TEST(CacheControl, has_the_directives_that_are_set) {
  EXPECT_EQ(to_field_value(CacheControl{}), "");
  EXPECT_EQ(to_field_value(CacheControl{.no_cache = true}), "no-cache");
  EXPECT_EQ(to_field_value(CacheControl{.scope = CacheScope::Private, .no_store = true, .no_transform = true}),
            "private, no-store, no-transform");
  EXPECT_EQ(
      to_field_value(CacheControl{.scope = CacheScope::Public, .immutable = true, .max_age = Seconds(31'536'000)}),
      "public, max-age=31536000, immutable");
  EXPECT_EQ(to_field_value(CacheControl{.must_revalidate = true, .max_age = Seconds(0), .shared_max_age = Seconds(7)}),
            "must-revalidate, max-age=0, s-maxage=7");
  EXPECT_EQ(to_field_value(CacheControl{.stale_while_revalidate = Seconds(1), .stale_if_error = Seconds(2)}),
            "stale-while-revalidate=1, stale-if-error=2");
}

void expect_refused(const CacheControl& control, const char* text) {
  try {
    to_field_value(control);
    FAIL() << text;
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
  }
}

TEST(CacheControl, refuses_contradictions) {
  for (const CacheControl& control :
       {CacheControl{.no_store = true, .no_cache = true}, CacheControl{.no_store = true, .must_revalidate = true},
        CacheControl{.no_store = true, .max_age = Seconds(1)},
        CacheControl{.no_store = true, .stale_if_error = Seconds(1)},
        CacheControl{.scope = CacheScope::Public, .no_store = true}}) {
    expect_refused(control, "no_store excludes");
  }
  expect_refused({.scope = CacheScope::Private, .shared_max_age = Seconds(1)}, "Private excludes shared_max_age");
  expect_refused({.immutable = true}, "immutable needs max_age");
  expect_refused({.must_revalidate = true, .stale_if_error = Seconds(1)}, "must_revalidate excludes");
  expect_refused({.max_age = Seconds(-1)}, "max-age is negative");
}

}  // namespace
}  // namespace tern
