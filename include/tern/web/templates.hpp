// Templates: pages from Mustache templates and C++ values. See docs/guide/templates.md.
#pragma once

#include <tern/app/app.hpp>
#include <tern/base/box.hpp>
#include <tern/web/embedded.hpp>
#include <tern/web/template_value.hpp>

#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// A mistake in a template: "templates/page.mustache:12: 'rows' is opened and never closed".
class TemplateError : public std::exception {
public:
  TemplateError(std::string_view file, std::uint32_t line, std::string_view what);
  const char* what() const noexcept override { return what_.c_str(); }

private:
  std::string what_;
};

// Where app.files() serves an embedded folder: {{asset "/assets/style.css"}} becomes "/assets/style.0f3a5c….css".
struct TemplateAssets {
  std::string prefix;
  const EmbeddedFolder* folder;
};

struct TemplateOptions {
  // Files with this ending are templates, and their names may be given without it.
  std::string extension = ".mustache";
  // For development: a changed file is compiled at the next use, and a mistake is shown in the response. Looks at all
  // files for every page.
  bool reload = false;
  std::vector<TemplateAssets> assets = {};
};

namespace web {

class TemplateStore;

// The value of a page, until the page was sent.
class PageValue {
public:
  PageValue() = default;
  PageValue(const PageValue&) = delete;
  PageValue& operator=(const PageValue&) = delete;
  virtual ~PageValue() = default;
  virtual TemplateValue view() const = 0;
};

template <class T>
class OwnedPageValue final : public PageValue {
public:
  explicit OwnedPageValue(T value) : value_(std::move(value)) {}
  TemplateValue view() const override { return value_of(value_); }

private:
  T value_;
};

std::string render_page(const Request& request, std::string_view name, TemplateValue value);
Response respond_with_page(const Request& request, std::string_view name, base::Box<PageValue> value);

}  // namespace web

// The templates of an app, as State<Templates>. Thread-safe.
class Templates {
public:
  // All templates below the folder. Throws TemplateError, or std::runtime_error if the folder cannot be read.
  Templates(std::string_view folder, const TemplateOptions& options);
  Templates(const EmbeddedFolder& folder, const TemplateOptions& options);
  Templates(Templates&&) noexcept;
  Templates& operator=(Templates&&) noexcept;
  ~Templates();

  // The text of a page or a mail. `value` is a struct or a map. Throws TemplateError for a name in the template that no
  // struct in scope has, and std::out_of_range if there is no such template.
  template <class T>
  std::string render(std::string_view name, const T& value) const {
    return render_value(name, web::value_of(value));
  }

private:
  friend std::string web::render_page(const Request& request, std::string_view name, web::TemplateValue value);
  friend Response web::respond_with_page(const Request& request, std::string_view name,
                                         base::Box<web::PageValue> value);
  std::string render_value(std::string_view name, web::TemplateValue value) const;

  base::Box<web::TemplateStore> store_;
};

// A page as the result of a handler; see render().
template <class T>
struct Rendered {
  std::string name;
  T value;
};

// return tern::render("book.mustache", book);
//
// Rendered after the handler has returned: views in `value` are of the request or of static text. A page of more than
// 64 KiB is rendered as the client reads it.
template <class T>
Rendered<T> render(std::string name, T value) {
  return {std::move(name), std::move(value)};
}

// return tern::render(request, "form.mustache", form).status(tern::Status::UnprocessableContent);
//
// Rendered whole, during the call.
template <class T>
Response render(const Request& request, std::string_view name, const T& value) {
  return Response::html(web::render_page(request, name, web::value_of(value)));
}

template <class T>
struct Respond<Rendered<T>> {
  static constexpr app::NeededState needed_state{"tern::Templates", &http::type_key<Templates>, false,
                                                 "app.templates(…)"};
  static Response to(Rendered<T> page, Request& request) {
    base::Box<web::PageValue> value(new web::OwnedPageValue<T>(std::move(page.value)));
    return web::respond_with_page(request, page.name, std::move(value));
  }
};

}  // namespace tern
