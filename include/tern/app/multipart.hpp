// Multipart<T>: a form with files (multipart/form-data, RFC 7578) as a struct.
#pragma once

#include <tern/app/extract.hpp>
#include <tern/app/multipart_file.hpp>
#include <tern/app/multipart_stream.hpp>
#include <tern/json/defaults.hpp>
#include <tern/json/reflect.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace tern {

// Limits on a Multipart<T>. A struct may override them:
//
//   static constexpr tern::FormLimits form_limits = {.files = 1, .file_bytes = 1024 * 1024};
//
// Limits::max_body_bytes, 10 MiB unless the app or the route sets it, bounds the whole form.
struct FormLimits {
  std::size_t files = 20;                                     // 413: files for members of T
  std::uint64_t file_bytes = static_cast<std::uint64_t>(-1);  // 413: per file
  std::size_t text_bytes = 2 * 1024 * 1024;                   // 413: of all other members together, names included
  MultipartLimits parts = {};                                 // of the form as sent
};

// The content as multipart/form-data. Members as in Form<T> (scalars, enums, text, std::optional of them, vectors), and
// for files tern::UploadedFile, std::optional of it, or a vector. 415 for another Content-Type; 422 lists every invalid
// or missing member. Ignores names that T does not have. Fields are stored in memory, files in temporary files, written
// on the thread pool as they arrive. An empty file input counts as missing.
template <class T>
struct Multipart : Holder<T> {};

namespace app {

template <class M>
inline constexpr bool is_file_member = false;
template <>
inline constexpr bool is_file_member<UploadedFile> = true;
template <>
inline constexpr bool is_file_member<std::optional<UploadedFile>> = true;
template <>
inline constexpr bool is_file_member<std::vector<UploadedFile>> = true;

template <class M>
concept FormMember = TextValue<M> || OptionalText<M> || TextSequence<M> || is_file_member<M>;

// The properties of a member for the receiver.
struct FormName {
  std::string_view name;
  bool is_file = false;
  bool may_repeat = false;  // for files
};

template <class T, class Indices = std::make_index_sequence<json::member_count<T>()>>
struct FormNames;
template <class T, std::size_t... I>
struct FormNames<T, std::index_sequence<I...>> {
  static constexpr bool usable = (true && ... && FormMember<json::MemberType<T, I>>);
  static constexpr std::array<FormName, sizeof...(I)> list{
      FormName{json::member_names<T>()[I], is_file_member<json::MemberType<T, I>>,
               std::is_same_v<json::MemberType<T, I>, std::vector<UploadedFile>>}...};
};

// A received form, as far as there are members for it.
struct ReceivedForm {
  struct File {
    std::size_t member = 0;
    UploadedFile file;
  };
  std::vector<Field> fields;        // views into the exchange's arena
  std::vector<File> files;          // for each member, in received order
  std::uint64_t of_wrong_kind = 0;  // members (by bit) with a file in place of a field, or vice versa
  std::uint64_t repeated = 0;       // files that must not be repeated

  bool has(std::uint64_t set, std::size_t member) const noexcept { return (set >> member & 1) != 0; }
};

Task<std::expected<ReceivedForm, Rejection>> receive_form(Request& request, std::span<const FormName> names,
                                                          const FormLimits& limits);

template <class T>
consteval FormLimits form_limits() {
  if constexpr (requires { T::form_limits; }) {
    return T::form_limits;
  } else {
    return {};
  }
}

template <class M>
void bind_files(ReceivedForm& form, std::size_t index, std::string_view name, M& member, Problem& problem) {
  if (form.has(form.of_wrong_kind, index)) return add_error(problem, name, "expected a file");
  if (form.has(form.repeated, index)) return add_error(problem, name, "given more than once", "duplicate");
  bool found = false;
  for (ReceivedForm::File& candidate : form.files) {
    if (candidate.member != index) continue;
    found = true;
    if constexpr (requires { member.push_back(std::move(candidate.file)); }) {
      member.push_back(std::move(candidate.file));
    } else {
      member = std::move(candidate.file);
    }
  }
  if (!found && std::is_same_v<M, UploadedFile>) add_error(problem, name, "missing", "missing");
}

template <class T>
std::expected<T, Rejection> bind_form(ReceivedForm& form) {
  T value{};
  Problem problem{Status::UnprocessableContent, {}, {}, {}};
  const Pairs pairs(form.fields);
  json::for_each_member(value, [&](std::string_view name, auto& member, auto index) {
    if constexpr (is_file_member<std::remove_reference_t<decltype(member)>>) {
      bind_files(form, index, name, member, problem);
    } else if (form.has(form.of_wrong_kind, index)) {
      add_error(problem, name, "expected text, not a file");
    } else {
      bind_and_check<T, index>(pairs, name, member, problem);
    }
  });
  return checked(std::move(value), problem, "form");
}

// Only if T is a struct; for others, the extractor has the message.
template <class T>
concept UsableForm = json::Aggregate<T> && FormNames<T>::usable;

}  // namespace app

template <class T>
struct Extract<Multipart<T>> {
  static_assert(json::Aggregate<T>, "tern: Multipart<T> takes a struct whose members are the names");
  static_assert(
      !json::Aggregate<T> || app::UsableForm<T>,
      "tern: a member of a multipart form is a scalar, an enum, text, std::optional of these or a vector of them, or "
      "tern::UploadedFile, std::optional of it or a vector of it");

  static constexpr app::ParameterContract contract{app::Reads::Multipart, false,   {},
                                                   app::schema_of<T>,     nullptr, nullptr};
  static constexpr bool streams_body = true;
  static constexpr app::PrepareRules prepare = app::prepare_rules<T>();
  static Task<std::expected<Multipart<T>, Rejection>> from(Request& request)
    requires app::UsableForm<T>
  {
    static constexpr FormLimits limits = app::form_limits<T>();
    auto form = co_await app::receive_form(request, app::FormNames<T>::list, limits);
    if (!form) co_return std::unexpected(std::move(form.error()));
    auto value = app::bind_form<T>(*form);
    if (!value) co_return std::unexpected(std::move(value.error()));
    Multipart<T> multipart{{std::move(*value)}};
    co_return multipart;
  }
};

}  // namespace tern
