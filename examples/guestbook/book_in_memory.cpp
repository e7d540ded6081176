#include "book.hpp"

#include <algorithm>
#include <deque>
#include <utility>

namespace guestbook {
namespace {

std::string lower_case(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return name;
}

struct Stored {
  Entry entry;
  std::optional<Picture> picture;
};

struct Contents {
  std::map<std::string, Account> accounts;  // by the name in lower case
  std::deque<Stored> entries;               // the latest first
  std::int64_t last_id = 0;
};

class MemoryBook final : public Book {
public:
  tern::Task<std::optional<Account>> find(std::string name) const override {
    const auto contents = contents_.lock();
    const auto found = contents->accounts.find(lower_case(std::move(name)));
    if (found == contents->accounts.end()) co_return std::nullopt;
    co_return found->second;
  }

  tern::Task<std::optional<Account>> add(Account account) const override {
    const auto contents = contents_.lock();
    if (contents->accounts.empty()) account.roles = {"moderator"};
    const auto [at, is_new] = contents->accounts.try_emplace(lower_case(account.name), account);
    if (!is_new) co_return std::nullopt;
    co_return at->second;
  }

  tern::Task<> set_password(std::string name, std::string password_hash) const override {
    const auto contents = contents_.lock();
    const auto found = contents->accounts.find(lower_case(std::move(name)));
    if (found != contents->accounts.end()) found->second.password_hash = std::move(password_hash);
    co_return;
  }

  tern::Task<std::vector<Entry>> latest() const override {
    const auto contents = contents_.lock();
    std::vector<Entry> list;
    for (const Stored& stored : contents->entries) list.push_back(stored.entry);
    co_return list;
  }

  tern::Task<> sign(std::string name, std::string message, std::optional<Picture> picture) const override {
    const auto contents = contents_.lock();
    const Entry entry{++contents->last_id, std::move(name), std::move(message), picture.has_value()};
    contents->entries.push_front({entry, std::move(picture)});
    if (contents->entries.size() > max_entries) contents->entries.pop_back();
    co_return;
  }

  tern::Task<bool> remove(std::int64_t id) const override {
    const auto contents = contents_.lock();
    co_return std::erase_if(contents->entries, [id](const Stored& stored) { return stored.entry.id == id; }) > 0;
  }

  tern::Task<std::optional<Picture>> picture(std::int64_t id) const override {
    const auto contents = contents_.lock();
    const auto found = std::ranges::find(contents->entries, id, [](const Stored& stored) { return stored.entry.id; });
    if (found == contents->entries.end()) co_return std::nullopt;
    co_return found->picture;
  }

private:
  tern::Shared<Contents> contents_;
};

}  // namespace

std::unique_ptr<Book> book_in_memory() {
  return std::make_unique<MemoryBook>();
}

}  // namespace guestbook
