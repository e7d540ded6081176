// Error responses as problem details (RFC 9457).
#pragma once

#include <tern/http/fields.hpp>
#include <tern/http/status.hpp>
#include <tern/json/write.hpp>

#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// One invalid part of a request: its place (a JSON pointer into the content, or the name of a parameter or field) and
// the reason. The library sets all members; those that are empty are not written.
struct ProblemItem {
  std::string pointer;
  std::string detail;
  std::string code = {};      // of the rule, for programs: "max_length", "missing"; see json::Problem
  std::string in = {};        // "body", "form", "query", "path", "header" or "cookie"
  std::string expected = {};  // what the rule says, as JSON text: 200, "email", ["a","b"]
};

// An extension member of a problem: its name, and its value as JSON text.
struct ProblemMember {
  std::string name;
  std::string json;
};

// An error response before it is rendered. App::on_problem changes the rendering of all of them, including 404 and 405.
struct Problem {
  Status status = Status::InternalServerError;
  std::string detail = {};               // for humans; empty: none
  std::vector<ProblemItem> errors = {};  // all invalid members, for a 422
  Fields fields = {};                    // for the response: Allow, Retry-After, WWW-Authenticate
  // The problem type as a URI, its constant title, and a URI of this occurrence (RFC 9457, section 3.1). Empty:
  // "about:blank", the reason phrase, and none.
  std::string type = {};
  std::string title = {};
  std::string instance = {};
  std::vector<ProblemMember> extensions = {};

  // Sets an extension member (RFC 9457, section 3.2); T is any type that Json<T> can write. Throws
  // std::invalid_argument for the names of standard members: type, title, status, detail, instance, errors.
  template <class T>
  Problem& set_member(std::string_view name, const T& value) {
    std::string text;
    json::write(text, value);
    set_json_member(name, std::move(text));
    return *this;
  }
  // The same with a value that is JSON text.
  void set_json_member(std::string_view name, std::string json);
};

// `problem` as application/problem+json text.
std::string to_json(const Problem& problem);

// Thrown by handlers, middleware and extractors to respond with an error.
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

  // Sets a field of the response; see Fields::set.
  HttpError& set(std::string_view name, std::string_view value) {
    problem_.fields.set(name, value);
    return *this;
  }
  // Sets a member of the problem; see Problem::set_member.
  template <class T>
  HttpError& set_member(std::string_view name, const T& value) {
    problem_.set_member(name, value);
    return *this;
  }

private:
  Problem problem_;
};

}  // namespace tern
