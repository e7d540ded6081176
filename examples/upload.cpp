// Forms with files: POST /upload reads a form as a struct, with its files in temporary files; POST /stream counts
// content of any size as it arrives.
//
//   curl --form name=Ann --form file=@picture.png --form file=@notes.txt http://127.0.0.1:8080/upload
//   curl --data-binary @/dev/zero http://127.0.0.1:8080/stream      (until you stop it)
//   or open http://127.0.0.1:8080/ in a browser
#include <tern/multipart.hpp>
#include <tern/tern.hpp>

#include "flags.hpp"

#include <array>
#include <limits>

namespace {

constexpr std::string_view page = R"(<!doctype html>
<title>Upload</title>
<h1>Upload</h1>
<form method="post" action="/upload" enctype="multipart/form-data">
  <p><label>Name <input name="name" required></label>
  <p><label>Files <input type="file" name="file" multiple></label>
  <p><button>Send</button>
</form>
)";

struct Upload {
  std::string name;
  std::vector<tern::UploadedFile> file;
};

struct Stored {
  std::string file_name;
  std::string content_type;
  std::uint64_t size;
  std::uint32_t crc32;
};
struct Receipt {
  std::string name;
  std::vector<Stored> files;
};

// CRC-32 as in zlib and Ethernet.
std::uint32_t crc32(const tern::UploadedFile& file) {
  std::uint32_t crc = ~std::uint32_t{0};
  std::array<char, 64 * 1024> piece;
  std::uint64_t at = 0;
  while (const std::size_t count = file.read_now(piece, at)) {
    for (const char byte : std::span(piece).first(count)) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320U : 0U);
    }
    at += count;
  }
  return ~crc;
}

// On the thread pool, because it reads files and computes.
Receipt receive(tern::Multipart<Upload> upload) {
  Receipt receipt{upload->name, {}};
  for (const tern::UploadedFile& file : upload->file) {
    receipt.files.push_back({file.file_name(), file.content_type(), file.size(), crc32(file)});
  }
  return receipt;
}

tern::Task<std::uint64_t> count(tern::BodyStream body) {
  std::uint64_t total = 0;
  while (const auto piece = co_await body.next()) total += piece->size();
  co_return total;
}

}  // namespace

int main(int argc, char** argv) {
  tern::App app;
  app.get("/", [] { return tern::Response::static_content(tern::media::html, page); }).hide();
  app.post("/upload", tern::blocking(receive)).limits({.max_body_bytes = 1024 * 1024 * 1024});
  app.post("/stream", count).limits({.max_body_bytes = std::numeric_limits<std::size_t>::max()});
  app.openapi({.title = "Upload", .docs = "/docs"});
  return app.run(examples::options(argc, argv));
}
