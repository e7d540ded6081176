// Rows as values of the program: structs by the names of their members, or single columns.
#pragma once

#include <tern/app/handler_traits.hpp>
#include <tern/json/reflect.hpp>
#include <tern/sql/codec.hpp>
#include <tern/sql/driver.hpp>

#include <array>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace tern::sql {
namespace detail {

// One member of a row's type, or all of it if the type is a column.
struct Member {
  std::string_view name;
  std::string_view type;  // in C++
  bool (*decode)(void* row, const Value& value);
};

template <class T, std::size_t I>
bool decode_member(void* row, const Value& value) {
  return decode(value, *json::detail::leaf<I>(json::detail::member_pointers(*static_cast<T*>(row))));
}

template <class T, std::size_t I>
consteval Member make_member() {
  using Type = json::MemberType<T, I>;
  static_assert(
      ColumnType<Type>,
      "tern: a member of a row is a number, a bool, a std::string, a std::vector<std::byte>, an enumeration, "
      "a time or date, a Uuid, Json<T>, json::Raw, a std::optional or std::vector of these, or a type with an "
      "SqlCodec");
  if constexpr (ColumnType<Type>) {
    return {json::detail::names_of<T>.items[I], app::type_name<Type>(), &decode_member<T, I>};
  } else {
    return {};
  }
}

template <class T>
inline constexpr auto members = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<Member, sizeof...(I)>{make_member<T, I>()...};
}(std::make_index_sequence<json::detail::member_count<T>>{});

template <ColumnType T>
inline constexpr std::array<Member, 1> members<T> = {Member{
    {}, app::type_name<T>(), [](void* row, const Value& value) { return decode(value, *static_cast<T*>(row)); }}};

// Which member each column of a result is.
class RowMapping {
public:
  // `single`: the one member takes the one column, whatever its name is.
  RowMapping(std::span<const Member> members, bool single) noexcept : members_(members), single_(single) {}

  // Throws SqlError (Column) if they are not the members.
  void columns(std::span<const Column> columns);
  // Throws SqlError (Column) if a member cannot hold its value.
  void read(std::span<const Column> columns, std::span<const Value> values, void* row) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Member& member = members_[order_[i]];
      if (!member.decode(row, values[i])) [[unlikely]]
        refuse(member, columns[i], values[i]);
    }
  }

private:
  [[noreturn]] static void refuse(const Member& member, const Column& column, const Value& value);
  std::size_t find(std::string_view name) const noexcept;

  std::span<const Member> members_;
  bool single_;
  std::array<std::uint8_t, json::detail::max_members> order_{};  // by column; of a single one 0
};

}  // namespace detail

// What a row can be.
template <class T>
concept RowType = ColumnType<T> || json::Aggregate<T>;

// Collects up to `max` rows.
template <RowType T>
class RowCollector final : public RowReader {
public:
  explicit RowCollector(std::size_t max = SIZE_MAX) noexcept : max_(max) {}

  void columns(std::span<const Column> columns) override {
    rows.clear();  // of an attempt that had no effect
    mapping_.columns(columns);
  }
  bool row(std::span<const Column> columns, std::span<const Value> values) override {
    if (rows.capacity() == 0) rows.reserve(max_ < first_rows ? max_ : first_rows);
    if constexpr (std::is_same_v<T, bool>) {  // a std::vector of them has no addresses
      bool made = false;
      mapping_.read(columns, values, &made);
      rows.push_back(made);
    } else {
      mapping_.read(columns, values, &rows.emplace_back());
    }
    return rows.size() < max_;
  }

  std::vector<T> rows;

private:
  static constexpr std::size_t first_rows = 16;  // in place of 1, 2, 4 and 8

  detail::RowMapping mapping_{detail::members<T>, ColumnType<T>};
  std::size_t max_;
};

// A result that is read row by row, in bounded memory; the result of each(). Belongs to one coroutine. Until its end,
// or its destruction, it occupies a connection. Must not outlive its database or transaction.
template <RowType T>
class RowStream {
public:
  explicit RowStream(base::Box<Cursor> cursor) noexcept : cursor_(std::move(cursor)) {}
  RowStream(RowStream&&) noexcept = default;
  RowStream& operator=(RowStream&&) noexcept = default;

  class [[nodiscard]] Next {
  public:
    explicit Next(RowStream& stream) noexcept : stream_(stream) {}
    bool await_ready() const noexcept { return !stream_.batch_.empty() || stream_.ended_; }
    template <class Promise>
    bool await_suspend(std::coroutine_handle<Promise> waiting) {
      fetch_ = stream_.fetch();
      return coro::start_for(waiting, fetch_);
    }
    std::optional<T> await_resume() {
      if (fetch_) fetch_.result();
      return stream_.take();
    }

  private:
    RowStream& stream_;
    Task<> fetch_;
  };
  // while (auto row = co_await rows.next()) …: unset at the end. Throws as the functions of Queries do.
  Next next() noexcept { return Next(*this); }

private:
  // Rows of one batch: enough to pay for the way to the database and back.
  static constexpr std::size_t batch_rows = 128;

  class Batch final : public RowReader {
  public:
    explicit Batch(RowStream& stream) noexcept : stream_(stream) {}
    void columns(std::span<const Column> columns) override { stream_.mapping_.columns(columns); }
    bool row(std::span<const Column> columns, std::span<const Value> values) override {
      std::size_t size = 0;
      for (const Value& value : values) size += value.bytes.size();
      bytes_ += size;
      T made{};
      stream_.mapping_.read(columns, values, &made);
      stream_.batch_.push_back(std::move(made));
      return stream_.batch_.size() < batch_rows && bytes_ < batch_bytes;
    }

  private:
    static constexpr std::size_t batch_bytes = 64 * 1024;
    RowStream& stream_;
    std::size_t bytes_ = 0;
  };

  Task<> fetch() {
    Batch batch(*this);
    ended_ = true;  // unless there is more
    base::Box<Cursor> cursor = std::move(cursor_);
    if (!co_await cursor->fetch(batch)) co_return;
    cursor_ = std::move(cursor);
    ended_ = false;
  }

  std::optional<T> take() {
    if (batch_.empty()) return std::nullopt;
    std::optional<T> row(std::move(batch_.front()));
    batch_.pop_front();
    return row;
  }

  base::Box<Cursor> cursor_;
  std::deque<T> batch_;
  detail::RowMapping mapping_{detail::members<T>, ColumnType<T>};
  bool ended_ = false;
};

}  // namespace tern::sql
