// The accounts, entries and pictures of the guestbook: an interface, and implementations in memory and in SQLite.
#pragma once

#include <tern/sqlite.hpp>
#include <tern/tern.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace guestbook {

constexpr std::size_t max_entries = 100;

struct Account {
  std::string name;
  std::string password_hash;
  std::vector<std::string> roles;
};

struct Picture {
  std::string media_type;
  std::string content;
};

struct Entry {
  std::int64_t id = 0;
  std::string name;
  std::string message;
  bool has_picture = false;
};

// From any loop. Entries are bounded: the oldest ones go.
class Book {
public:
  Book() = default;
  Book(const Book&) = delete;
  Book& operator=(const Book&) = delete;
  virtual ~Book() = default;

  virtual tern::Task<std::optional<Account>> find(std::string name) const = 0;
  // Unset if the name is taken, in any case of its letters. The first account becomes a moderator.
  virtual tern::Task<std::optional<Account>> add(Account account) const = 0;
  virtual tern::Task<> set_password(std::string name, std::string password_hash) const = 0;
  virtual tern::Task<std::vector<Entry>> latest() const = 0;
  virtual tern::Task<> sign(std::string name, std::string message, std::optional<Picture> picture) const = 0;
  virtual tern::Task<bool> remove(std::int64_t id) const = 0;
  virtual tern::Task<std::optional<Picture>> picture(std::int64_t id) const = 0;
};

std::unique_ptr<Book> book_in_memory();

// In tables that migrate() creates.
std::unique_ptr<Book> book_in(tern::Sqlite database);
tern::Task<> migrate(const tern::Sqlite& database);

}  // namespace guestbook
