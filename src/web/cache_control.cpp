#include <tern/base/number.hpp>
#include <tern/web/cache_control.hpp>

#include <stdexcept>
#include <string_view>

namespace tern {
namespace {

void check(const CacheControl& control) {
  const auto refuse_if = [](bool wrong, const char* text) {
    if (wrong) throw std::invalid_argument(std::string("Cache-Control: ") + text);
  };
  const bool stale = control.stale_while_revalidate || control.stale_if_error;
  const bool lives = control.max_age || control.shared_max_age || stale;
  refuse_if(control.no_store && (lives || control.no_cache || control.must_revalidate || control.immutable ||
                                 control.scope == CacheScope::Public),
            "no_store excludes every other directive but no_transform and Private");
  refuse_if(control.scope == CacheScope::Private && control.shared_max_age, "Private excludes shared_max_age");
  refuse_if(control.immutable && !control.max_age, "immutable needs max_age");
  refuse_if(control.must_revalidate && stale, "must_revalidate excludes stale_while_revalidate and stale_if_error");
}

class Directives {
public:
  void add(bool is_set, std::string_view name) {
    if (!is_set) return;
    if (!text_.empty()) text_ += ", ";
    text_ += name;
  }
  void add(const std::optional<Seconds>& duration, std::string_view name) {
    if (!duration) return;
    if (duration->count() < 0) throw std::invalid_argument("Cache-Control: " + std::string(name) + " is negative");
    add(true, name);
    text_ += '=';
    base::append_integer(text_, duration->count());
  }
  std::string take() && { return std::move(text_); }

private:
  std::string text_;
};

}  // namespace

std::string to_field_value(const CacheControl& control) {
  check(control);
  Directives directives;
  directives.add(control.scope == CacheScope::Public, "public");
  directives.add(control.scope == CacheScope::Private, "private");
  directives.add(control.no_store, "no-store");
  directives.add(control.no_cache, "no-cache");
  directives.add(control.no_transform, "no-transform");
  directives.add(control.must_revalidate, "must-revalidate");
  directives.add(control.max_age, "max-age");
  directives.add(control.shared_max_age, "s-maxage");
  directives.add(control.stale_while_revalidate, "stale-while-revalidate");
  directives.add(control.stale_if_error, "stale-if-error");
  directives.add(control.immutable, "immutable");
  return std::move(directives).take();
}

}  // namespace tern
