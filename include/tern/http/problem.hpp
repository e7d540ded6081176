// What went wrong, as RFC 9457 ("problem details") tells it to a client.
#pragma once

#include <tern/http/fields.hpp>
#include <tern/http/status.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// One wrong part of a request: where (a JSON pointer into the content, or the name of a parameter or field) and why.
struct ProblemItem {
  std::string pointer;
  std::string detail;
};

// An error answer before it is rendered. App::on_problem changes how all of them look, 404 and 405 included.
struct Problem {
  Status status = Status::InternalServerError;
  std::string detail;               // for people; empty: the reason phrase alone
  std::vector<ProblemItem> errors;  // every wrong member, for a 422
  Fields fields;                    // to be sent with it: Allow, Retry-After, WWW-Authenticate
};

// `problem` as application/problem+json text.
std::string to_json(const Problem& problem);

// Thrown by handlers, middleware and extractors: becomes the answer that it names.
class HttpError : public std::exception {
public:
  explicit HttpError(Status status, std::string detail = {}) {
    problem_.status = status;
    problem_.detail = std::move(detail);
  }
  explicit HttpError(Problem problem) : problem_(std::move(problem)) {}

  const char* what() const noexcept override { return problem_.detail.c_str(); }
  Status status() const noexcept { return problem_.status; }
  const Problem& problem() const noexcept { return problem_; }

  // A field of the answer; see Fields::set.
  HttpError& set(std::string_view name, std::string_view value) {
    problem_.fields.set(name, value);
    return *this;
  }

private:
  Problem problem_;
};

}  // namespace tern
