#include "web/accept_encoding.hpp"
#include "web/coding_testing.hpp"
#include "web/encoder.hpp"
#include "web/zstd_contexts.hpp"

#include <tern/tern.hpp>
#include <tern/testing.hpp>
#include <tern/web.hpp>

#include <gmock/gmock.h>

#include <map>
#include <set>
#include <stdexcept>

namespace tern::web {
namespace {

using testing::Client;
using ::testing::HasSubstr;
using testing::TestRequest;
using testing::TestResponse;

const std::string page = compressible_text(5000);

class Compression : public ::testing::Test {
protected:
  // The response of a handler to a client that sends `accept`.
  TestResponse get(Response response, const std::string& accept = "gzip", TestRequest request = {}) {
    App app;
    app.use(Compress(options));
    app.get("/", [&response] { return std::move(response); });
    Client client(app);
    if (!accept.empty()) request.fields.emplace_back("accept-encoding", accept);
    return client.send(request);
  }

  CompressOptions options;
};

void expect_unchanged(const TestResponse& answer, std::string_view content, bool varies) {
  EXPECT_EQ(answer.body, content);
  EXPECT_FALSE(answer.has("content-encoding"));
  EXPECT_EQ(answer.field("vary"), varies ? "accept-encoding" : "");
}

TEST_F(Compression, every_coding_is_read_by_its_library) {
  for (const char* coding : {"gzip", "br", "zstd"}) {
    for (const std::size_t size : {1024U, 5000U, 65536U, 65537U, 3'000'000U}) {
      const std::string content = compressible_text(size);
      const TestResponse answer = get(Response::json(content), coding);
      EXPECT_EQ(answer.field("content-encoding"), coding);
      EXPECT_EQ(answer.field("vary"), "accept-encoding");
      EXPECT_EQ(answer.field("content-type"), "application/json");
      EXPECT_EQ(answer.field("content-length"), std::to_string(answer.body.size()));
      EXPECT_LT(answer.body.size(), size / 2);
      EXPECT_EQ(decoded(coding, answer.body), content) << coding << ' ' << size;
    }
  }
}

TEST_F(Compression, the_client_and_then_the_server_choose_the_coding) {
  EXPECT_EQ(get(Response::text(page), "gzip, br, zstd").field("content-encoding"), "zstd");
  EXPECT_EQ(get(Response::text(page), "gzip, br;q=0.9, zstd;q=0.8").field("content-encoding"), "gzip");
  options.codings = {ContentCoding::Brotli, ContentCoding::Gzip};
  EXPECT_EQ(get(Response::text(page), "gzip, br, zstd").field("content-encoding"), "br");
  EXPECT_EQ(get(Response::text(page), "*").field("content-encoding"), "br");
}

TEST_F(Compression, a_response_varies_where_a_client_could_get_it_compressed) {
  expect_unchanged(get(Response::text(page), ""), page, true);
  expect_unchanged(get(Response::text(page), "gzip;q=0"), page, true);
  expect_unchanged(get(Response::bytes("image/png", page)), page, false);
  expect_unchanged(get(Response::text(std::string(1023, 'a'))), std::string(1023, 'a'), false);
}

TEST_F(Compression, vary_is_merged_into_one_field) {
  const auto vary_of = [this](Response response) { return std::string(get(std::move(response)).field("vary")); };
  EXPECT_EQ(vary_of(Response::text(page).set("Vary", "Origin").add("Vary", "Cookie")),
            "Origin, Cookie, accept-encoding");
  EXPECT_EQ(vary_of(Response::text(page).set("Vary", "Origin, Accept-Encoding")), "Origin, Accept-Encoding");
  EXPECT_EQ(vary_of(Response::text(page).set("Vary", "*")), "*");
}

TEST_F(Compression, small_contents_stay_as_they_are) {
  options.min_bytes = 100;
  EXPECT_EQ(get(Response::text(std::string(100, 'a'))).field("content-encoding"), "gzip");
  EXPECT_FALSE(get(Response::text(std::string(99, 'a'))).has("content-encoding"));
  EXPECT_FALSE(get(Response(Status::Ok)).has("content-encoding"));
}

TEST_F(Compression, a_content_that_would_grow_stays_as_it_is) {
  const std::string noise = random_letters(4000);
  for (const char* coding : {"gzip", "br", "zstd"}) {
    expect_unchanged(get(Response::bytes("text/x-noise", noise), coding), noise, true);
  }
}

TEST_F(Compression, media_types_decide) {
  options.types = {"application/x-log", "model/*"};
  const auto is_compressed = [this](std::string_view type) {
    return get(Response::bytes(type, page)).has("content-encoding");
  };
  for (const char* type : {"text/html; charset=utf-8", "TEXT/CSS", "application/json", "application/problem+json",
                           "application/javascript", "application/wasm", "image/svg+xml", "application/atom+xml ;x=y",
                           "application/x-ndjson", "font/ttf", "application/x-log", "Model/obj"}) {
    EXPECT_TRUE(is_compressed(type)) << type;
  }
  for (const char* type : {"image/png", "image/jpeg", "video/mp4", "application/zip", "application/octet-stream",
                           "font/woff2", "application/x-logs", "application/grpc", "models/obj", "a+json/b"}) {
    EXPECT_FALSE(is_compressed(type)) << type;
  }
  EXPECT_FALSE(get(Response(Status::Ok).content(page)).has("content-encoding"));
}

TEST_F(Compression, what_must_not_be_changed_is_not) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"Content-Encoding", "br"},
                                                                      {"Content-Range", "bytes 0-4999/9000"},
                                                                      {"Cache-Control", "max-age=5, No-Transform"},
                                                                      {"Repr-Digest", "sha-256=:AAAA:"},
                                                                      {"Content-Digest", "sha-256=:AAAA:"}}) {
    const TestResponse answer = get(Response::text(page).set(name, value).set("etag", "\"a\""));
    EXPECT_EQ(answer.body, page) << name;
    EXPECT_EQ(answer.field(name), value);
    EXPECT_EQ(answer.field("etag"), "\"a\"");
    EXPECT_FALSE(answer.has("vary")) << name;
  }
  EXPECT_EQ(get(Response::text(page).status(Status::PartialContent)).body, page);
  EXPECT_FALSE(get(Response::text(page).status(Status::NoContent)).has("content-encoding"));
}

TEST_F(Compression, a_strong_etag_becomes_weak) {
  const TestResponse answer = get(Response::text(page).set("etag", "\"v1\"").set("accept-ranges", "bytes"));
  EXPECT_EQ(answer.field("etag"), "W/\"v1\"");
  EXPECT_FALSE(answer.has("accept-ranges"));
  EXPECT_EQ(get(Response::text(page).set("etag", "W/\"v1\"")).field("etag"), "W/\"v1\"");
  EXPECT_EQ(get(Response::text(page).set("etag", "\"v1\""), "").field("etag"), "\"v1\"");
}

TEST_F(Compression, a_304_has_the_tag_of_the_stored_response) {
  const auto validated = [this](const std::string& stored) {
    return get(Response(Status::NotModified).set("etag", "\"v1\""), "gzip", {.fields = {{"if-none-match", stored}}});
  };
  EXPECT_EQ(validated("\"v0\", W/\"v1\"").field("etag"), "W/\"v1\"");
  EXPECT_EQ(validated("W/\"v1\"").field("vary"), "accept-encoding");
  EXPECT_EQ(validated("\"v1\"").field("etag"), "\"v1\"");
  EXPECT_EQ(validated("W/\"v1\"").status, 304);
  EXPECT_EQ(validated("W/\"v1\"").body, "");
}

TEST_F(Compression, head_has_the_fields_of_get) {
  App app;
  app.use(Compress());
  app.get("/", [] { return Response::html(page).set("etag", "\"v1\""); });
  Client client(app);
  client.with("accept-encoding", "br");
  const TestResponse whole = client.get("/");
  const TestResponse head = client.head("/");
  EXPECT_EQ(head.fields, whole.fields);
  EXPECT_EQ(head.body, "");
  EXPECT_EQ(whole.field("content-type"), "text/html; charset=utf-8");
}

TEST_F(Compression, a_client_that_accepts_nothing_gets_406_before_the_handler) {
  App app;
  app.use(Compress());
  int calls = 0;
  app.post("/", [&calls] { return ++calls, Response::text(page); });
  Client client(app);
  client.with("accept-encoding", "identity;q=0, compress");
  const TestResponse answer = client.post("/", "{}");
  EXPECT_EQ(answer.status, 406);
  EXPECT_EQ(answer.field("vary"), "accept-encoding");
  EXPECT_EQ(calls, 0);
}

TEST_F(Compression, everything_is_compressed_where_identity_is_refused) {
  const std::string refusing = "identity;q=0, gzip";
  for (const std::string& content : {std::string("a"), random_letters(100'000)}) {
    const TestResponse answer = get(Response::bytes("image/png", content), refusing);
    EXPECT_EQ(answer.field("content-encoding"), "gzip");
    EXPECT_EQ(decoded("gzip", answer.body), content);
  }
  EXPECT_FALSE(get(Response(Status::Ok), refusing).has("content-encoding"));
}

TEST_F(Compression, text_that_is_not_utf8_keeps_its_type) {
  const std::string latin = "caf\xE9" + page;
  EXPECT_EQ(get(Response::text(latin)).field("content-type"), "text/plain");
  EXPECT_EQ(get(Response::text(page)).field("content-type"), "text/plain; charset=utf-8");
}

TEST_F(Compression, borrowed_and_static_contents_are_compressed) {
  for (const std::size_t size : {5000U, 100'000U}) {
    const std::string content = compressible_text(size);
    EXPECT_EQ(decoded("gzip", get(Response::static_content(media::json, content)).body), content);
    App app;
    app.use(Compress());
    app.post("/", [](const Request& request) { return Response::borrowed(media::json, request.body()); });
    Client client(app);
    client.with("accept-encoding", "zstd");
    const TestResponse echoed = client.post("/", content);
    EXPECT_EQ(decoded("zstd", echoed.body), content);
    EXPECT_EQ(echoed.field("content-type"), "application/json");
  }
}

TEST_F(Compression, coroutines_errors_and_missing_pages_are_compressed) {
  options.min_bytes = 1;
  App app;
  app.use(Compress(options));
  app.get("/later", []() -> Task<std::string> {
    co_await sleep_for(Milliseconds(5));
    co_return page;
  });
  app.get("/throws", []() -> Response { throw HttpError(Status::Conflict, std::string(2000, 'x')); });
  Client client(app);
  client.with("accept-encoding", "gzip");
  EXPECT_EQ(decoded("gzip", client.get("/later").body), page);
  EXPECT_EQ(client.get("/throws").field("content-encoding"), "gzip");
  const TestResponse missing = client.get("/missing");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.field("vary"), "accept-encoding");
}

TEST_F(Compression, groups_and_routes_compress_on_their_own) {
  App app;
  app.group("/pages").use(Compress()).get("/a", [] { return page; });
  app.get("/alone", [] { return page; }).use(Compress());
  app.get("/plain", [] { return page; });
  Client client(app);
  client.with("accept-encoding", "gzip");
  EXPECT_TRUE(client.get("/pages/a").has("content-encoding"));
  EXPECT_TRUE(client.get("/alone").has("content-encoding"));
  EXPECT_FALSE(client.get("/plain").has("content-encoding"));
}

TEST_F(Compression, twice_compresses_once) {
  App app;
  app.use(Compress());
  app.get("/", [] { return page; }).use(Compress());
  Client client(app);
  client.with("accept-encoding", "gzip");
  EXPECT_EQ(decoded("gzip", client.get("/").body), page);
}

TEST_F(Compression, streams_are_compressed) {
  for (const char* coding : {"gzip", "br", "zstd"}) {
    const TestResponse answer =
        get(Response::stream("application/x-ndjson",
                             [](Writer& writer) -> Task<> {
                               for (int i = 0; i < 3000; ++i) {
                                 co_await writer.write("{\"row\": " + std::to_string(i) + "}\n");
                               }
                             }),
            coding);
    EXPECT_EQ(answer.field("content-encoding"), coding);
    EXPECT_LT(answer.body.size(), 12'000U);
    EXPECT_THAT(decoded(coding, answer.body), HasSubstr("{\"row\": 2998}\n{\"row\": 2999}\n"));
  }
}

TEST_F(Compression, a_flush_makes_everything_decodable) {
  for (const ContentCoding coding : {ContentCoding::Gzip, ContentCoding::Brotli, ContentCoding::Zstd}) {
    const base::Box<Encoder> encoder = make_encoder(coding, {.level = 4});
    std::string coded;
    encoder->encode("hello", Step::Continue, coded);
    encoder->encode({}, Step::Flush, coded);
    std::string out(100, '\0');
    if (coding == ContentCoding::Gzip) {
      z_stream stream{};
      inflateInit2(&stream, MAX_WBITS + 16);
      stream.next_in = reinterpret_cast<Bytef*>(coded.data());
      stream.avail_in = static_cast<uInt>(coded.size());
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = 100;
      inflate(&stream, Z_SYNC_FLUSH);
      inflateEnd(&stream);
    } else if (coding == ContentCoding::Brotli) {
      BrotliDecoderState* const state = BrotliDecoderCreateInstance(nullptr, nullptr, nullptr);
      std::size_t in = coded.size();
      std::size_t room = out.size();
      const auto* from = reinterpret_cast<const std::uint8_t*>(coded.data());
      auto* to = reinterpret_cast<std::uint8_t*>(out.data());
      BrotliDecoderDecompressStream(state, &in, &from, &room, &to, nullptr);
      BrotliDecoderDestroyInstance(state);
    } else {
      ZSTD_DCtx* const context = ZSTD_createDCtx();
      ZSTD_inBuffer in = {coded.data(), coded.size(), 0};
      ZSTD_outBuffer to = {out.data(), out.size(), 0};
      ZSTD_decompressStream(context, &to, &in);
      ZSTD_freeDCtx(context);
    }
    EXPECT_EQ(out.substr(0, 6), std::string("hello\0", 6)) << static_cast<int>(coding);
  }
}

TEST_F(Compression, trailers_survive) {
  const TestResponse answer = get(Response::stream("text/plain", [](Writer& writer) -> Task<> {
    co_await writer.write("a");
    writer.trailers().set("x-sum", "1");
  }));
  EXPECT_EQ(decoded("gzip", answer.body), "a");
}

TEST_F(Compression, padding_changes_the_length_at_random_and_nothing_else) {
  options.max_padding_bytes = 64;
  EXPECT_FALSE(get(Response::text(page), "zstd").has("content-encoding"));
  for (const char* coding : {"gzip", "br"}) {
    std::set<std::size_t> lengths;
    for (int i = 0; i < 40; ++i) {
      const TestResponse answer = get(Response::text(page), coding);
      EXPECT_EQ(decoded(coding, answer.body), page);
      lengths.insert(answer.body.size());
    }
    EXPECT_GT(lengths.size(), 10U) << coding;
    EXPECT_LE(*lengths.rbegin() - *lengths.begin(), 70U) << coding;
  }
}

// A context that was used for large content, or at its limit, is as good as new.
TEST_F(Compression, contexts_are_reused) {
  ZstdContexts contexts;
  for (const std::size_t size : {100U, 3'000'000U, 5000U, 0U, 200'000U, 5000U}) {
    const std::string content = compressible_text(size);
    std::string fresh;
    std::string reused;
    make_encoder(ContentCoding::Zstd, {.level = 3, .size = size})->encode(content, Step::Finish, fresh);
    make_encoder(ContentCoding::Zstd, {.level = 3, .size = size, .contexts = &contexts})
        ->encode(content, Step::Finish, reused);
    EXPECT_EQ(reused, fresh) << size;
  }
  ZSTD_CCtx* const first = contexts.take();
  contexts.give(first);
  EXPECT_EQ(contexts.take(), first);
  contexts.give(first);
}

TEST_F(Compression, padding_of_every_length_is_decoded) {
  for (const ContentCoding coding : {ContentCoding::Gzip, ContentCoding::Brotli}) {
    for (std::size_t padding = 0; padding <= 4096; padding += padding < 70 ? 1 : 671) {
      std::string coded;
      make_encoder(coding, {.level = 4, .size = page.size(), .padding = padding})->encode(page, Step::Finish, coded);
      EXPECT_EQ(decoded(name_of(coding), coded), page) << padding;
    }
  }
}

TEST_F(Compression, wrong_options_are_refused) {
  const auto expect_refused = [](const CompressOptions& wrong) {
    EXPECT_THROW(Compress{wrong}, std::invalid_argument);
  };
  expect_refused({.codings = {}});
  expect_refused({.codings = {ContentCoding::Identity}});
  expect_refused({.codings = {ContentCoding::Zstd}, .max_padding_bytes = 1});
  expect_refused({.zstd_level = 20});
  expect_refused({.brotli_quality = 12});
  expect_refused({.gzip_level = 0});
  expect_refused({.max_padding_bytes = 5000});
}

}  // namespace
}  // namespace tern::web
