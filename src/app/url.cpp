#include <tern/app/url.hpp>

#include "app/core.hpp"
#include "app/quoted.hpp"

#include <tern/base/utf8.hpp>
#include <tern/http/uri.hpp>

#include <algorithm>
#include <stdexcept>

namespace tern {
namespace app {
namespace {

[[noreturn]] void refuse_url(std::string_view name, const std::string& why) {
  throw std::invalid_argument("url(" + quoted(name) + "): " + why);
}

// Refuses a value with which the path would not lead to the route. In one segment a slash is encoded.
void append_value(std::string& url, std::string_view name, const Segment& placeholder, std::string_view value) {
  const auto refuse = [&](const char* what) {
    refuse_url(name, "the value of " + quoted(placeholder.name) + " " + what);
  };
  const bool is_rest = placeholder.kind == SegmentKind::Rest;
  if (value.empty() && !is_rest) refuse("is empty");
  if (!base::is_utf8(value)) refuse("is not UTF-8");
  for (bool more = true; more;) {
    const std::size_t end = value.find('/');
    const std::string_view piece = value.substr(0, end);
    if (piece == "." || piece == "..") refuse("has a dot segment");
    append_percent_encoded(url, piece);
    more = end != value.npos;
    if (more) {
      url += is_rest ? "/" : "%2F";
      value.remove_prefix(end + 1);
    }
  }
}

}  // namespace

UrlValue::UrlValue(const UrlQuery& query) : text_(query.text()), is_query_(true) {}

const Core::RouteEntry* Core::find_named(std::string_view name) const {
  if (name.empty()) return nullptr;
  if (!frozen_) {
    const auto route =
        std::ranges::find_if(routes_, [&](const RouteEntry& each) { return !each.faulty && full_name(each) == name; });
    return route == routes_.end() ? nullptr : &*route;
  }
  const auto found =
      std::ranges::lower_bound(names_, name, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  return found == names_.end() || found->first != name ? nullptr : found->second;
}

void Core::add_link(LinkEntry link) {
  require_open("link() was called");
  links_.push_back(std::move(link));
}

void Core::check_links(Mistakes& mistakes) const {
  for (const LinkEntry& link : links_) {
    const std::string title = "link(" + quoted(link.name) + "): ";
    const RouteEntry* const route = find_named(link.name);
    if (route == nullptr) {
      mistakes.add(link.place, title + "no route has this name");
    } else if (route->placeholders.size() != link.values) {
      mistakes.add(link.place, title + quoted(route->pattern) + " has " + std::to_string(route->placeholders.size()) +
                                   " placeholders, but the link takes " + std::to_string(link.values) + " values");
    }
  }
}

std::string Core::url(std::string_view name, std::span<const UrlValue> values) const {
  if (outer_ != nullptr) return outer_->url(name, values);
  const RouteEntry* route = find_named(name);
  if (route == nullptr) refuse_url(name, "no route has this name");
  const bool has_query = !values.empty() && values.back().is_query();
  const std::span<const UrlValue> parameters = values.first(values.size() - (has_query ? 1 : 0));
  if (parameters.size() != route->placeholders.size()) {
    refuse_url(name, quoted(route->pattern) + " has " + std::to_string(route->placeholders.size()) +
                         (route->placeholders.size() == 1 ? " placeholder" : " placeholders") + ", but " +
                         std::to_string(parameters.size()) + (parameters.size() == 1 ? " value was" : " values were") +
                         " given");
  }
  std::string url;
  std::size_t next = 0;
  PatternReader reader(route->pattern);
  for (Segment segment; reader.next(segment);) {
    url += '/';
    if (segment.kind == SegmentKind::Literal) {
      append_percent_encoded(url, segment.text);
      continue;
    }
    const UrlValue& value = parameters[next++];
    if (value.is_query()) refuse_url(name, "a UrlQuery is the last argument");
    append_value(url, name, segment, value.text());
  }
  // A browser takes what follows for a host.
  if (url.starts_with("//")) refuse_url(name, "the path would begin with two slashes");
  if (has_query && !values.back().text().empty()) url.append("?").append(values.back().text());
  return url;
}

std::string make_url(const Core& core, std::string_view name, std::span<const UrlValue> values) {
  return core.url(name, values);
}

std::string make_url(const Request& request, std::string_view name, std::span<const UrlValue> values) {
  return static_cast<const Core&>(request.exchange().service()).url(name, values);
}

}  // namespace app

UrlQuery::UrlQuery(std::initializer_list<std::pair<std::string_view, app::UrlValue>> parameters) {
  for (const auto& [name, value] : parameters) {
    if (!text_.empty()) text_ += '&';
    append_percent_encoded(text_, name);
    text_ += '=';
    append_percent_encoded(text_, value.text());
  }
}

}  // namespace tern
