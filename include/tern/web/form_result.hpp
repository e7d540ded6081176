// FormResult: a form that may be invalid, for pages that show it again with what was entered.
#pragma once

#include <tern/app/extract.hpp>

#include <cstddef>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// A field of a form as a template shows it: {{fields.email.value}}, {{fields.email.error}}.
struct FormField {
  std::string value = {};                // as it was entered; of a repeated name, the first
  std::string error = {};                // empty: none
  std::vector<std::string> values = {};  // all of a repeated name
};

// By the names of the members, in their order. A map for JSON and templates.
class FormFields {
  template <class Items>
  static auto find_in(Items& items, std::string_view name) noexcept {
    auto at = items.begin();
    while (at != items.end() && at->first != name) ++at;
    return at;
  }

public:
  using key_type = std::string;
  using mapped_type = FormField;
  using value_type = std::pair<std::string, FormField>;

  auto begin() noexcept { return items_.begin(); }
  auto end() noexcept { return items_.end(); }
  auto begin() const noexcept { return items_.begin(); }
  auto end() const noexcept { return items_.end(); }
  std::size_t size() const noexcept { return items_.size(); }
  auto find(std::string_view name) noexcept { return find_in(items_, name); }
  auto find(std::string_view name) const noexcept { return find_in(items_, name); }
  bool contains(std::string_view name) const noexcept { return find(name) != end(); }
  // Adds the field if there is none of that name.
  FormField& operator[](std::string_view name) {
    const auto found = find(name);
    return found != end() ? found->second : items_.emplace_back(std::string(name), FormField()).second;
  }
  void try_emplace(std::string name) { static_cast<void>((*this)[name]); }

private:
  std::vector<value_type> items_;
};

namespace web {
void add_entered(FormFields& fields, const app::Pairs& pairs, std::string_view name);
void add_errors(FormFields& fields, std::vector<ProblemItem>& others, const Problem& problem);
}  // namespace web

// The fields of a form that was not filled in.
template <class T>
FormFields empty_form() {
  FormFields fields;
  for (const std::string_view name : json::member_names<T>()) static_cast<void>(fields[name]);
  return fields;
}

// In place of Form<T>, where an invalid form is no 422 but a page:
//
//   app.post("/notes", [](tern::Request& request, tern::FormResult<NewNote> form) -> tern::Response {
//     if (!form) return tern::render(request, "new_note",
//     Page{form.fields()}).status(tern::Status::UnprocessableContent); store(*form); return
//     tern::Response::redirect("/notes");  // 303: the browser gets the page, and a reload does not send the form again
//   });
//
// Content that is not a form is refused as by Form<T>. The texts of errors are those of App::on_violation.
template <class T>
class FormResult {
public:
  // Whether the form is valid.
  explicit operator bool() const noexcept { return value_.has_value(); }
  // The form; only if it is valid.
  T& operator*() noexcept { return *value_; }
  const T& operator*() const noexcept { return *value_; }
  T* operator->() noexcept { return &*value_; }
  const T* operator->() const noexcept { return &*value_; }

  const FormFields& fields() const noexcept { return fields_; }
  // Errors of names that T does not have.
  const std::vector<ProblemItem>& other_errors() const noexcept { return others_; }
  // Reports an error that only the handler knows, such as a name that is taken. It does not change whether the form is
  // valid.
  void add_error(std::string_view name, std::string error) { fields_[name].error = std::move(error); }

private:
  friend struct Extract<FormResult<T>>;
  std::optional<T> value_;
  FormFields fields_ = empty_form<T>();
  std::vector<ProblemItem> others_;
};

template <class T>
struct Extract<FormResult<T>> {
  static constexpr app::ParameterContract contract = Extract<Form<T>>::contract;
  static constexpr app::PrepareRules prepare = Extract<Form<T>>::prepare;
  static constexpr bool reads_body = true;
  static constexpr bool computes_from_body = true;
  static std::expected<FormResult<T>, Rejection> from(Request& request) { return from(request, request.arena()); }
  static std::expected<FormResult<T>, Rejection> from(Request& request, Arena& arena) {
    auto form = app::extract<Form<T>>(request, arena);
    if (!form && form.error().problem.status != Status::UnprocessableContent) return std::unexpected(form.error());
    const auto pairs = app::form_pairs(request, arena);
    if (!pairs) return std::unexpected(pairs.error());
    FormResult<T> result;
    for (const std::string_view name : json::member_names<T>()) web::add_entered(result.fields_, *pairs, name);
    if (form) {
      result.value_ = std::move(form->value);
    } else {
      Problem& problem = form.error().problem;
      app::replace_violation_texts(problem, request);
      web::add_errors(result.fields_, result.others_, problem);
    }
    return result;
  }
};

}  // namespace tern
