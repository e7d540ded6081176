#include "server/symbols.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <system_error>

namespace tern::server {
namespace {

constexpr std::size_t max_known = 10'000;

// With digits of base 16.
std::string hexadecimal(std::uintptr_t number) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[number % 16]);
    number /= 16;
  } while (number != 0);
  return "0x" + text;
}

// Without parameters, and without the suffixes of a coroutine's parts (".actor" of GCC, ".resume" of Clang). GCC's have
// a parameter, whose type is named "<length>_Z<the coroutine's own name>.Frame".
std::string demangled(std::string_view symbol) {
  symbol = symbol.substr(0, symbol.find('.'));
  const std::size_t own = symbol.rfind("_Z");
  const std::string name(symbol.substr(own == symbol.npos ? 0 : own));
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  const std::string whole = status == 0 ? text.get() : name;
  std::size_t end =
      whole.size();  // of what is before the parameters: "f(int)::{lambda(char)#1}::operator()(char) const"
  int depth = 0;
  while (end != 0) {
    const char c = whole[--end];
    if (c == ')') ++depth;
    if (c == '(' && --depth == 0) break;
  }
  if (end != 0 && whole.substr(0, end).ends_with("operator")) return whole.substr(0, end + 2);
  return end == 0 ? whole : whole.substr(0, end);
}

// A file in memory, while this exists. Empty if it cannot be read.
class MappedFile {
public:
  explicit MappedFile(const char* path) {
    const int descriptor = ::open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return;
    struct stat status{};
    if (::fstat(descriptor, &status) == 0 && status.st_size > 0) {
      void* const mapped = ::mmap(nullptr, std::size_t(status.st_size), PROT_READ, MAP_PRIVATE, descriptor, 0);
      if (mapped != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(mapped), std::size_t(status.st_size)};
    }
    ::close(descriptor);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }

  // `count` objects at this offset; empty beyond the file.
  template <class T>
  std::span<const T> at(std::uint64_t offset, std::uint64_t count) const {
    if (offset > bytes_.size() || offset % alignof(T) != 0) return {};
    if (count > (bytes_.size() - offset) / sizeof(T)) return {};
    return {reinterpret_cast<const T*>(bytes_.data() + offset), std::size_t(count)};
  }

private:
  std::span<const std::byte> bytes_;
};

// The name in the symbol table of an ELF file of this machine's kind; empty if there is none.
std::string symbol_at(const char* path, std::uintptr_t offset) {
  const MappedFile file(path);
  const auto header = file.at<Elf64_Ehdr>(0, 1);
  if (header.empty() || std::string_view(reinterpret_cast<const char*>(header[0].e_ident), SELFMAG) != ELFMAG)
    return {};
  if (header[0].e_ident[EI_CLASS] != ELFCLASS64 || header[0].e_shentsize != sizeof(Elf64_Shdr)) return {};
  const auto sections = file.at<Elf64_Shdr>(header[0].e_shoff, header[0].e_shnum);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& names = sections[section.sh_link];
    const auto text = file.at<char>(names.sh_offset, names.sh_size);
    for (const Elf64_Sym& symbol : file.at<Elf64_Sym>(section.sh_offset, section.sh_size / sizeof(Elf64_Sym))) {
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_name >= text.size()) continue;
      if (offset < symbol.st_value || offset - symbol.st_value >= symbol.st_size) continue;
      const std::string_view rest(text.data() + symbol.st_name, text.size() - symbol.st_name);
      return demangled(rest.substr(0, rest.find('\0')));
    }
  }
  return {};
}

// An address in a file that is loaded: the program or a library.
struct Place {
  std::uintptr_t address = 0;
  std::uintptr_t offset = 0;  // the address by the file's own count
  std::string path = {};      // empty: in none
};

// Knows static programs too, of which dladdr() knows nothing.
int find_place(dl_phdr_info* module, std::size_t, void* data) {
  Place& place = *static_cast<Place*>(data);
  for (const Elf64_Phdr& segment : std::span(module->dlpi_phdr, module->dlpi_phnum)) {
    const std::uintptr_t begin = module->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || place.address < begin || place.address - begin >= segment.p_memsz) continue;
    place.offset = place.address - module->dlpi_addr;
    place.path = *module->dlpi_name == '\0' ? "/proc/self/exe" : module->dlpi_name;
    return 1;
  }
  return 0;
}

std::string file_name(const std::string& path) {
  std::error_code failure;
  const std::filesystem::path target = std::filesystem::read_symlink(path, failure);
  return (failure ? std::filesystem::path(path) : target).filename().string();
}

std::string described(const void* address) {
  Place place{reinterpret_cast<std::uintptr_t>(address)};
  ::dl_iterate_phdr(find_place, &place);
  if (place.path.empty()) return hexadecimal(place.address);
  const std::string module = file_name(place.path) + "+" + hexadecimal(place.offset);
  std::string name = symbol_at(place.path.c_str(), place.offset);
  // A library that is stripped still has the names of what it exports.
  Dl_info info{};
  if (name.empty() && ::dladdr(address, &info) != 0 && info.dli_sname != nullptr) name = demangled(info.dli_sname);
  return name.empty() ? module : name + " (" + module + ")";
}

}  // namespace

std::string function_at(const void* address) {
  static std::mutex mutex;
  static std::map<const void*, std::string> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(address); found != known.end()) return found->second;
  if (known.size() == max_known) known.clear();
  return known.emplace(address, described(address)).first->second;
}

std::string function_name(const void* address) {
  const std::string text = function_at(address);
  return text.substr(0, text.rfind(" ("));
}

}  // namespace tern::server
