// Why an extractor fails.
#pragma once

#include <tern/http/problem.hpp>
#include <tern/json/error.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tern {

class Request;

// Why an extractor fails; converted to a response. A missing value is nullopt for a std::optional parameter; a
// malformed one is rejected even then.
struct Rejection {
  Problem problem;
  bool missing = false;

  Rejection(Status status, std::string detail) {
    problem.status = status;
    problem.detail = std::move(detail);
  }
  explicit Rejection(Problem why) : problem(std::move(why)) {}

  static Rejection absent(Status status, std::string detail) {
    Rejection rejection(status, std::move(detail));
    rejection.missing = true;
    return rejection;
  }
  // Content of an unsupported media type: 415 with Accept (RFC 9110, section 15.5.16).
  static Rejection unsupported_media_type(std::string_view taken);
};

namespace app {

// The 422 for the errors of `problem`, which are all in one part of the request; see ProblemItem::in.
Rejection parameters_rejected(Problem&& problem, std::string_view in);
// Whether it is such a 422, or that of bad_json(): one that lists every violation.
bool lists_violations(const Rejection& rejection);
// Notes a rejection, or adds its violations to the first. False if no other parameter can add to it.
bool add_rejection(std::optional<Rejection>& failure, Rejection&& rejection);
// What App::on_violation does to a 422, for those who show the violations themselves.
void replace_violation_texts(Problem& problem, const Request& request);
Rejection bad_json(const json::Error& error);
Rejection missing(std::string_view kind, std::string_view name);
Rejection malformed(std::string_view kind, std::string_view name, std::string_view expectation);
Rejection parameter_rejected();
}  // namespace app
}  // namespace tern
