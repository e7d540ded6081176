// URLs from the names of routes.
#pragma once

#include <tern/base/number.hpp>
#include <tern/http/request.hpp>

#include <concepts>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace tern {

class UrlQuery;

namespace app {

class Core;

// A value for a placeholder or a query parameter, as text; or, as the last of several, a whole query.
class UrlValue {
public:
  template <class T>
    requires std::is_arithmetic_v<T> || std::is_convertible_v<const T&, std::string_view>
  UrlValue(const T& value) {  // NOLINT: it is what it holds
    if constexpr (std::same_as<T, bool>) {
      text_ = value ? "true" : "false";
    } else if constexpr (std::same_as<T, char>) {
      text_ = value;
    } else if constexpr (std::integral<T>) {
      base::append_integer(text_, value);
    } else if constexpr (std::floating_point<T>) {
      base::append_number(text_, value);
    } else {
      text_ = std::string_view(value);
    }
  }
  UrlValue(const UrlQuery& query);  // NOLINT

  const std::string& text() const noexcept { return text_; }
  bool is_query() const noexcept { return is_query_; }

private:
  std::string text_;
  bool is_query_ = false;
};

// The outermost app counts, whose names are those of App::routes().
std::string make_url(const Core& core, std::string_view name, std::span<const UrlValue> values);
std::string make_url(const Request& request, std::string_view name, std::span<const UrlValue> values);

}  // namespace app

// The query of a URL, encoded: UrlQuery{{"page", 2}, {"sort", "title"}}.
class UrlQuery {
public:
  UrlQuery(std::initializer_list<std::pair<std::string_view, app::UrlValue>> parameters);
  const std::string& text() const noexcept { return text_; }

private:
  std::string text_;
};

// The URL of a named route as a function of the values of its placeholders; see App::link(). Refers to its app.
template <class... A>
class RouteLink {
public:
  RouteLink(const app::Core& core, std::string name) : core_(&core), name_(std::move(name)) {}

  // As App::url(). Not before the start.
  std::string operator()(const A&... values) const {
    if constexpr (sizeof...(A) == 0) {
      return app::make_url(*core_, name_, {});
    } else {
      const app::UrlValue all[] = {values...};
      return app::make_url(*core_, name_, all);
    }
  }

private:
  const app::Core* core_;
  std::string name_;
};

template <class... A>
std::string Request::url(std::string_view name, const A&... values) const {
  if constexpr (sizeof...(A) == 0) {
    return app::make_url(*this, name, {});
  } else {
    const app::UrlValue all[] = {values...};
    return app::make_url(*this, name, all);
  }
}

}  // namespace tern
