// tern-embed: writes the C++ source, and the contents, of a folder that tern_embed() puts into a program.
//   tern-embed FOLDER NAME OUTPUT
// writes OUTPUT/NAME.cpp, OUTPUT/NAME.bin and OUTPUT/embedded/NAME.hpp, which declares embedded::NAME.
#include "web/compressible.hpp"
#include "web/digest.hpp"
#include "web/encoder.hpp"
#include "web/folder.hpp"
#include "web/media_type.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::web {
namespace {

namespace fs = std::filesystem;

struct Coding {
  ContentCoding coding;
  std::string_view enumerator;
  std::string_view suffix;  // of siblings, and in entity tags
  int level;
};
constexpr Coding codings[] = {{ContentCoding::Brotli, "Brotli", "br", 11},
                              {ContentCoding::Zstd, "Zstd", "zst", 19},
                              {ContentCoding::Gzip, "Gzip", "gz", 9}};

// A sibling is worth its place if it has at most so many percent of the size.
constexpr std::size_t worthwhile_percent = 95;

struct EmbeddedBytes {
  std::string_view enumerator;
  std::string etag;
  std::size_t offset = 0;
  std::size_t size = 0;
};

struct File {
  std::string path;
  std::string hashed_path;
  std::vector<EmbeddedBytes> variants;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), {}};
  if (!file) throw std::runtime_error("cannot read " + path.string());
  return content;
}

// Keeps the time of a file that has this content, so that nothing is compiled again.
void write_file(const fs::path& path, std::string_view content) {
  if (fs::exists(path) && read_file(path) == content) return;
  std::ofstream file(path, std::ios::binary);
  file << content;
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

// Every character that is not plain as an octal escape.
std::string literal_of(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= ' ' && byte < 0x7f && c != '"' && c != '\\' && c != '?') {
      literal += c;
      continue;
    }
    literal += '\\';
    for (const int shift : {6, 3, 0}) literal += static_cast<char>('0' + (byte >> shift & 7));
  }
  return literal += '"';
}

// "css/style.css" with the hash becomes "css/style.<hash>.css".
std::string with_hash(const std::string& path, std::string_view hash) {
  const std::size_t name = path.rfind('/') + 1;
  const std::size_t dot = path.rfind('.');
  const std::size_t at = dot == std::string::npos || dot <= name ? path.size() : dot;
  return path.substr(0, at) + "." + std::string(hash) + path.substr(at);
}

// Visible regular files, by their paths; not the compressed siblings of others, which are made here.
std::vector<std::string> list_files(const fs::path& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::string path = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_regular_file() && is_visible_path(path)) paths.push_back(std::move(path));
  }
  std::ranges::sort(paths);
  const std::vector<std::string> all = paths;
  std::erase_if(paths, [&](const std::string& path) {
    return std::ranges::any_of(codings, [&](const Coding& coding) {
      const std::string suffix = "." + std::string(coding.suffix);
      return path.ends_with(suffix) && std::ranges::binary_search(all, path.substr(0, path.size() - suffix.size()));
    });
  });
  return paths;
}

class Blob {
public:
  // Aligned, so that contents begin in a cache line of their own.
  EmbeddedBytes add(std::string_view enumerator, std::string etag, std::string_view content) {
    bytes_.resize((bytes_.size() + 63) / 64 * 64);
    const EmbeddedBytes added{enumerator, std::move(etag), bytes_.size(), content.size()};
    bytes_ += content;
    return added;
  }
  const std::string& bytes() const noexcept { return bytes_; }

private:
  std::string bytes_ = std::string(1, '\0');  // never empty
};

File embed(const fs::path& folder, const std::string& path, Blob& blob) {
  const std::string content = read_file(folder / path);
  const std::string hash = to_hex(sha256({content})).substr(0, 32);
  File file{path, with_hash(path, hash.substr(0, 16)), {}};
  file.variants.push_back(blob.add("Identity", "\"" + hash + "\"", content));
  if (content.empty() || !is_compressible(media_type_of(path))) return file;
  std::vector<std::pair<std::string, Coding>> siblings;
  for (const Coding& coding : codings) {
    std::string coded;
    make_encoder(coding.coding, {.level = coding.level, .size = content.size()})->encode(content, Step::Finish, coded);
    if (coded.size() * 100 <= content.size() * worthwhile_percent) siblings.emplace_back(std::move(coded), coding);
  }
  // By size, equal ones by coding: the same folder gives the same program.
  std::ranges::sort(siblings, {},
                    [](const auto& sibling) { return std::pair(sibling.first.size(), sibling.second.coding); });
  for (const auto& [coded, coding] : siblings) {
    const std::string etag = "\"" + hash + "-" + std::string(coding.suffix) + "\"";
    file.variants.push_back(blob.add(coding.enumerator, etag, coded));
  }
  return file;
}

std::string source_of(const std::string& name, const fs::path& blob, std::size_t size, const std::vector<File>& files) {
  const std::string symbol = "tern_embedded_" + name;
  std::string source = "// Made by tern-embed.\n#include <embedded/" + name + ".hpp>\n\n";
  source += "asm(\".pushsection .rodata,\\\"a\\\",%progbits\\n.balign 64\\n.globl " + symbol + "\\n.hidden " + symbol +
            "\\n" + symbol + ":\\n.incbin \" " + literal_of(literal_of(blob.string())) + " \"\\n.popsection\\n\");\n\n";
  source += "extern \"C\" __attribute__((visibility(\"hidden\"))) const char " + symbol + "[" + std::to_string(size) +
            "];\n\nnamespace embedded {\nnamespace {\n\nusing tern::web::ContentCoding;\n\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    source += "constexpr tern::web::EmbeddedVariant file_" + std::to_string(i) + "[] = {\n";
    for (const EmbeddedBytes& bytes : files[i].variants) {
      source += "    {ContentCoding::" + std::string(bytes.enumerator) + ", {" + symbol + " + " +
                std::to_string(bytes.offset) + ", " + std::to_string(bytes.size) + "}, " + literal_of(bytes.etag) +
                "},\n";
    }
    source += "};\n";
  }
  source += "constexpr tern::web::EmbeddedFile files[] = {\n";
  for (std::size_t i = 0; i < files.size(); ++i) {
    source += "    {" + literal_of(files[i].path) + ", " + literal_of(files[i].hashed_path) + ", file_" +
              std::to_string(i) + "},\n";
  }
  return source + "};\n\n}  // namespace\n\nconstinit const tern::EmbeddedFolder " + name +
         "{files};\n\n}  // namespace embedded\n";
}

std::string header_of(const std::string& name) {
  return "// Made by tern-embed.\n#pragma once\n\n#include <tern/web/embedded.hpp>\n\nnamespace embedded {\n\n"
         "extern const tern::EmbeddedFolder " +
         name + ";\n\n}  // namespace embedded\n";
}

void run(const fs::path& folder, const std::string& name, const fs::path& output) {
  Blob blob;
  std::vector<File> files;
  for (const std::string& path : list_files(folder)) files.push_back(embed(folder, path, blob));
  if (files.empty()) throw std::runtime_error("the folder " + folder.string() + " has no files");
  fs::create_directories(output / "embedded");
  const fs::path bytes = fs::absolute(output / (name + ".bin"));
  write_file(bytes, blob.bytes());
  write_file(output / "embedded" / (name + ".hpp"), header_of(name));
  // Written in any case: its time tells the build that it was made.
  std::ofstream(output / (name + ".cpp")) << source_of(name, bytes, blob.bytes().size(), files);
}

}  // namespace
}  // namespace tern::web

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fputs("usage: tern-embed FOLDER NAME OUTPUT\n", stderr);
    return 2;
  }
  try {
    tern::web::run(argv[1], argv[2], argv[3]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern-embed: %s\n", error.what());
    return 1;
  }
}
