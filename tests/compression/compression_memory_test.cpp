// Every allocation of a compression or a decompression fails in turn: the response stays as it is, and the content is
// refused.
#include "server/failing_allocator.hpp"
#include "web/accept_encoding.hpp"
#include "web/coding_testing.hpp"
#include "web/compressor.hpp"
#include "web/decoder.hpp"

#include <tern/http/memory_exchange.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <utility>

namespace tern::testing {
namespace {

using web::Compressor;
using web::ContentCoding;
using web::Plan;

constexpr ContentCoding codings[] = {ContentCoding::Gzip, ContentCoding::Brotli, ContentCoding::Zstd};

// Calls `attempt(n)`, whose n-th allocation fails, until it returns that none has.
void sweep(const std::function<bool(std::int64_t n)>& attempt) {
  allocations_of_this_thread_may_fail();
  attempt(0);  // none fails: libraries initialise themselves
  std::int64_t n = 1;
  for (bool failed = true; failed && n < 200; ++n) {
    SCOPED_TRACE(n);
    failed = attempt(n);
  }
  EXPECT_GT(n, 3);
  EXPECT_LT(n, 200) << "the attempt does not come to its end";
}

class AllocationSweepCompression : public ::testing::TestWithParam<ContentCoding> {
protected:
  const std::string page = web::compressible_text(20'000);
  const Compressor compressor{CompressOptions()};
  MemoryExchange exchange{Method::Get, "/", {{"accept-encoding", "gzip, br, zstd"}}};
};

TEST_P(AllocationSweepCompression, a_response_is_compressed_or_stays_as_it_is) {
  bool was_compressed = false;
  sweep([&](std::int64_t n) {
    Response response = Response::text(page).set("etag", "\"v1\"").set("vary", "Origin");
    fail_allocation(n);
    if (compressor.plan(exchange.request(), response, GetParam()) == Plan::AtOnce) {
      compressor.replace(response, GetParam(), compressor.encode(response.content(), GetParam()), false);
    }
    const bool failed = stop_failing();
    was_compressed = response.field("content-encoding").has_value();
    EXPECT_EQ(web::decoded(response.field("content-encoding").value_or(""), response.content()), page);
    if (was_compressed) {
      EXPECT_EQ(response.field("etag"), "W/\"v1\"");
    }
    return failed;
  });
  EXPECT_TRUE(was_compressed);
}

TEST_P(AllocationSweepCompression, a_stream_is_compressed_or_stays_as_it_is) {
  sweep([&](std::int64_t n) {
    Response response = Response::stream("text/plain", [](Writer&) -> Task<> { co_return; });
    const http::Producer* const before = response.producer();
    fail_allocation(n);
    if (compressor.plan(exchange.request(), response, GetParam()) == Plan::Streamed) {
      compressor.wrap(response, GetParam());
    }
    const bool failed = stop_failing();
    EXPECT_EQ(response.producer() != before, response.field("content-encoding").has_value());
    EXPECT_NE(response.producer(), nullptr);
    return failed;
  });
}

TEST_P(AllocationSweepCompression, a_content_is_decoded_or_refused) {
  const std::string coded = *compressor.encode(page, GetParam());
  const std::string_view name = web::name_of(GetParam());
  bool was_decoded = false;
  sweep([&](std::int64_t n) {
    MemoryExchange request(Method::Post, "/", {}, coded);
    fail_allocation(n);
    std::optional<StreamError> error;
    try {
      request.decode_with(web::make_decoder({&name, 1}, page.size()));
      std::size_t total = 0;
      while (!error) {
        const auto piece = request.read();
        if (!piece) {
          error = piece.error();
        } else if (piece->empty()) {
          break;
        } else {
          total += piece->size();
        }
      }
      was_decoded = total == page.size();
    } catch (const std::bad_alloc&) {
      error = StreamError::Overloaded;
    }
    const bool failed = stop_failing();
    if (error) {
      EXPECT_EQ(*error, StreamError::Overloaded);
    }
    return failed;
  });
  EXPECT_TRUE(was_decoded);
}

INSTANTIATE_TEST_SUITE_P(Codings, AllocationSweepCompression, ::testing::ValuesIn(codings),
                         [](const auto& coding) { return std::string(web::name_of(coding.param)); });

}  // namespace
}  // namespace tern::testing
