#include <tern/app/extract.hpp>
#include <tern/app/query_param.hpp>

#include "app/quoted.hpp"

#include <tern/base/ascii.hpp>
#include <tern/base/number.hpp>
#include <tern/coro/executor.hpp>
#include <tern/http/uri.hpp>

#include <algorithm>

namespace tern::app {
namespace {

// Binding ten megabytes of "&a" would block the loop for a second.
constexpr std::size_t max_pairs = 4096;

// The media type of a Content-Type value, without parameters.
std::string_view media_type(std::string_view value) {
  return base::trim(value.substr(0, value.find(';')));
}

bool is_json_type(std::string_view type) {
  if (base::equals_ignoring_case(type, "application/json")) return true;
  constexpr std::string_view suffix = "+json";  // RFC 6839
  return type.size() > suffix.size() && base::equals_ignoring_case(type.substr(type.size() - suffix.size()), suffix);
}

}  // namespace

std::expected<Pairs, Rejection> Pairs::parse(std::string_view text, Arena& arena) {
  const auto most = static_cast<std::size_t>(std::ranges::count(text, '&')) + 1;
  if (most > max_pairs) {
    return std::unexpected(Rejection(Status::BadRequest, "the query or form has more than 4096 members"));
  }
  auto* const items = static_cast<Field*>(arena.allocate(most * sizeof(Field), alignof(Field)));
  std::size_t count = 0;
  std::string_view name;
  std::string_view value;
  while (next_pair(text, name, value)) {
    const auto decoded_name = form_decode(name, arena);
    const auto decoded_value = form_decode(value, arena);
    if (!decoded_name || !decoded_value) {
      return std::unexpected(Rejection(Status::BadRequest, "the query or form has a malformed percent escape"));
    }
    ::new (static_cast<void*>(items + count++)) Field{*decoded_name, *decoded_value};
  }
  return Pairs({items, count});
}

const std::string_view* Pairs::find(std::string_view name, std::size_t& from) const noexcept {
  for (; from < items_.size(); ++from) {
    if (items_[from].name == name) return &items_[from++].value;
  }
  return nullptr;
}

double widened(float value) noexcept {
  std::string text;
  base::append_number(text, value);
  return base::parse_double(text).value_or(static_cast<double>(value));
}

std::expected<Pairs, Rejection> query_pairs(Request& request) {
  return Pairs::parse(request.query(), request.arena());
}

std::expected<Pairs, Rejection> shared_query_pairs(Request& request) {
  if (const Pairs* kept = request.find<Pairs>()) return *kept;
  auto pairs = query_pairs(request);
  if (pairs) request.put(*pairs);
  return pairs;
}

std::expected<Pairs, Rejection> form_pairs(Request& request, Arena& arena) {
  const auto type = request.field("content-type");
  if (!type && request.body().empty()) {
    return std::unexpected(Rejection::absent(Status::BadRequest, "the content is missing: send a form"));
  }
  if (!type || !base::equals_ignoring_case(media_type(*type), "application/x-www-form-urlencoded")) {
    return std::unexpected(Rejection::unsupported_media_type("application/x-www-form-urlencoded"));
  }
  return Pairs::parse(request.body(), arena);
}

Offloader* pool_of_loop() noexcept {
  Executor* const executor = Executor::current();
  return executor != nullptr ? executor->offloader() : nullptr;
}

void add_error(Problem& problem, std::string_view name, std::string_view message, std::string_view code) {
  if (problem.errors.size() >= json::detail::max_violations) return;
  problem.errors.push_back({std::string(name), std::string(message), std::string(code), {}, {}});
}

Rejection parameters_rejected(Problem&& problem, std::string_view in) {
  problem.detail = "some parameters are wrong or missing";
  for (ProblemItem& error : problem.errors) error.in = in;
  return Rejection(std::move(problem));
}

bool lists_violations(const Rejection& rejection) {
  const Problem& problem = rejection.problem;
  return problem.status == Status::UnprocessableContent && !problem.errors.empty() &&
         !problem.errors.front().in.empty();
}

bool add_rejection(std::optional<Rejection>& failure, Rejection&& rejection) {
  if (!failure) {
    failure.emplace(std::move(rejection));
    return lists_violations(*failure);
  }
  if (!lists_violations(rejection)) return true;
  Problem& problem = failure->problem;
  if (problem.detail != rejection.problem.detail) problem.detail = "some parts of the request are wrong or missing";
  for (ProblemItem& error : rejection.problem.errors) {
    if (problem.errors.size() >= json::detail::max_violations) break;
    problem.errors.push_back(std::move(error));
  }
  return true;
}

namespace {

void add_errors(Problem& problem, std::vector<json::Problem>& violations) {
  for (json::Problem& violation : violations) {
    if (problem.errors.size() >= json::detail::max_violations) return;
    problem.errors.push_back({std::move(violation.path),
                              std::move(violation.message),
                              std::move(violation.code),
                              {},
                              std::move(violation.expected)});
  }
}

}  // namespace

void check_values(const json::detail::CompiledRules& rules, std::size_t member, bool is_list,
                  std::span<const json::detail::ScalarValue> values, std::string_view name, Problem& problem) {
  std::vector<json::Problem> violations;
  if (is_list) {
    json::detail::check_list(rules, member, values, name, violations);
  } else {
    json::detail::check_scalar(rules, member, values.front(), name, violations);
  }
  add_errors(problem, violations);
}

void check_predicates(const json::detail::CompiledRules& rules, const void* object,
                      std::span<const std::string_view> names, Problem& problem) {
  std::vector<json::Problem> violations;
  json::detail::check_struct(rules, object, names, violations);
  add_errors(problem, violations);
}

Rejection bad_json(const json::Error& error) {
  if (error.kind == json::ErrorKind::Syntax) {
    return Rejection(Status::BadRequest, "the content is not valid JSON: " + error.problems.front().message);
  }
  Rejection rejection(Status::UnprocessableContent, "some members of the content are wrong or missing");
  for (const json::Problem& problem : error.problems) {
    rejection.problem.errors.push_back({problem.path, problem.message, problem.code, "body", problem.expected});
  }
  return rejection;
}

std::optional<Rejection> refuse_unless_json(const Request& request) {
  const auto type = request.field("content-type");
  if (type && is_json_type(media_type(*type))) {
    if (request.body().empty()) return Rejection(Status::BadRequest, "the content is empty: send JSON");
    return std::nullopt;
  }
  if (!type && request.body().empty())
    return Rejection::absent(Status::BadRequest, "the content is missing: send JSON");
  return Rejection::unsupported_media_type("application/json");
}

Rejection missing(std::string_view kind, std::string_view name) {
  return Rejection::absent(Status::BadRequest, std::string(kind) + " " + quoted(name) + " is missing");
}

Rejection malformed(std::string_view kind, std::string_view name, std::string_view expectation) {
  return {Status::BadRequest, std::string(kind) + " " + quoted(name) + ": " + std::string(expectation)};
}

Rejection parameter_rejected() {
  return {Status::NotFound, "there is nothing at this path"};
}

}  // namespace tern::app

namespace tern {

Rejection Rejection::unsupported_media_type(std::string_view taken) {
  Rejection rejection(Status::UnsupportedMediaType,
                      "send the content as " + std::string(taken) + ", and say so in Content-Type");
  rejection.problem.fields.set("accept", taken);
  return rejection;
}

}  // namespace tern
