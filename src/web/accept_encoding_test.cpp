#include "web/accept_encoding.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tern::web {
namespace {

constexpr ContentCoding all[] = {ContentCoding::Zstd, ContentCoding::Brotli, ContentCoding::Gzip};
constexpr ContentCoding only_gzip[] = {ContentCoding::Gzip};

// The name of the chosen coding; "none" if nothing is acceptable.
std::string chosen(const std::vector<std::string>& lines, std::span<const ContentCoding> available = all) {
  RequestFields fields;
  fields.add("Accept", "gzip");
  for (const std::string& line : lines) fields.add("Accept-Encoding", line);
  const std::optional<ContentCoding> coding = negotiate_coding(fields, available);
  return coding ? std::string(name_of(*coding)) : "none";
}

TEST(AcceptEncoding, no_field_and_an_empty_field_are_identity) {
  EXPECT_EQ(chosen({}), "identity");
  EXPECT_EQ(chosen({""}), "identity");
  EXPECT_EQ(chosen({" , ,,\t"}), "identity");
}

TEST(AcceptEncoding, equal_qualities_are_decided_by_the_order_of_the_server) {
  EXPECT_EQ(chosen({"gzip, deflate, br, zstd"}), "zstd");
  EXPECT_EQ(chosen({"gzip, br"}), "br");
  EXPECT_EQ(chosen({"gzip", "br"}), "br");
  EXPECT_EQ(chosen({"gzip;q=0.5, br;q=0.5"}), "br");
  EXPECT_EQ(chosen({"gzip, identity"}), "gzip");
  constexpr ContentCoding identity_first[] = {ContentCoding::Identity, ContentCoding::Gzip};
  EXPECT_EQ(chosen({"gzip, identity"}, identity_first), "identity");
  EXPECT_EQ(chosen({"gzip"}, identity_first), "gzip");
}

TEST(AcceptEncoding, the_highest_quality_wins) {
  EXPECT_EQ(chosen({"zstd;q=0.1, br;q=0.25, gzip;q=0.251"}), "gzip");
  EXPECT_EQ(chosen({"gzip ;q=0.5 , br\t; Q=1.000"}), "br");
  EXPECT_EQ(chosen({"gzip;q=0.5, identity"}), "identity");
  EXPECT_EQ(chosen({"gzip;q=0.5, identity;q=0.4"}), "gzip");
  EXPECT_EQ(chosen({"gzip;q=0.001"}), "gzip");
  EXPECT_EQ(chosen({"gzip;q=0, x-gzip;q=0.2"}), "gzip");
}

TEST(AcceptEncoding, a_quality_of_zero_refuses_a_coding) {
  EXPECT_EQ(chosen({"zstd;q=0, br;q=0.0, gzip;q=0.000"}), "identity");
  EXPECT_EQ(chosen({"zstd;q=0, *"}), "br");
  EXPECT_EQ(chosen({"gzip;q=0"}, only_gzip), "identity");
}

TEST(AcceptEncoding, the_wildcard_is_every_coding_that_is_not_listed) {
  EXPECT_EQ(chosen({"*"}), "zstd");
  EXPECT_EQ(chosen({"gzip;q=0.5, *"}), "zstd");
  EXPECT_EQ(chosen({"gzip;q=0.5, *"}, only_gzip), "identity");
  EXPECT_EQ(chosen({"gzip, *;q=0"}), "gzip");
  EXPECT_EQ(chosen({"identity, *;q=0"}), "identity");
}

TEST(AcceptEncoding, nothing_is_acceptable_where_identity_is_refused) {
  EXPECT_EQ(chosen({"identity;q=0"}), "none");
  EXPECT_EQ(chosen({"*;q=0"}), "none");
  EXPECT_EQ(chosen({"deflate, identity;q=0"}), "none");
  EXPECT_EQ(chosen({"identity;q=0, gzip;q=0, *;q=0"}, only_gzip), "none");
  EXPECT_EQ(chosen({"identity;q=0, gzip"}, {}), "none");
  EXPECT_EQ(chosen({"identity;q=0, gzip;q=0.1"}), "gzip");
  EXPECT_EQ(chosen({"identity;q=0", "*"}), "zstd");
}

TEST(AcceptEncoding, names_have_no_case_and_gzip_has_an_alias) {
  EXPECT_EQ(chosen({"GZip"}), "gzip");
  EXPECT_EQ(chosen({"X-GZIP"}), "gzip");
  EXPECT_EQ(chosen({"Identity;Q=0"}), "none");
}

TEST(AcceptEncoding, malformed_elements_are_ignored) {
  for (const char* element : {"gzip;q=",   "gzip;q",    "gzip;",      "gzip;q=2",     "gzip;q=1.001", "gzip;q=0.1234",
                              "gzip;q=-1", "gzip;q=.5", "gzip;q = 1", "gzip;level=9", "gzip;q=1;q=1", "gzip br",
                              "\"gzip\"",  ";q=1",      "=",          "gzipp",        "gzi",          "zst",
                              "b",         "**",        "q=1",        "\xff\xfe"}) {
    EXPECT_EQ(chosen({element}), "identity") << element;
  }
  EXPECT_EQ(chosen({"br;q=x, gzip, ;;;, zstd;q=1.1"}), "gzip");
  EXPECT_EQ(chosen({"identity;q=x"}), "identity");
  EXPECT_EQ(chosen({std::string("gzip\0", 5)}), "identity");
}

TEST(AcceptEncoding, ten_thousand_elements_are_read) {
  std::string list;
  for (int i = 0; i < 10'000; ++i) list += "x" + std::to_string(i) + ";q=0.5,";
  EXPECT_EQ(chosen({list}), "identity");
  EXPECT_EQ(chosen({list + "br"}), "br");
  EXPECT_EQ(chosen({std::string(1'000'000, ',') + "gzip"}), "gzip");
  EXPECT_EQ(chosen({std::string(1'000'000, ' ') + "gzip"}), "gzip");
  EXPECT_EQ(chosen(std::vector<std::string>(10'000, "gzip;q=0.3")), "gzip");
}

}  // namespace
}  // namespace tern::web
