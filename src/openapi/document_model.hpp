// The content of a document: all operations by path, and the types that they name.
#pragma once

#include "app/core.hpp"
#include "app/mistakes.hpp"
#include "app/operations.hpp"
#include "openapi/components.hpp"
#include "openapi/operation_model.hpp"

#include <tern/app/openapi.hpp>

#include <deque>
#include <string>
#include <vector>

namespace tern::openapi {

struct PathModel {
  std::string path;
  std::string shape;  // with all placeholders alike
  std::vector<OperationModel> operations;
};

class DocumentModel {
public:
  // Throws SetupError if the options, or what routes say about themselves, contradict each other.
  DocumentModel(const OpenApiOptions& options, const app::Core& outermost, const app::Core& within);

  const OpenApiOptions& options() const { return options_; }
  const std::deque<PathModel>& paths() const { return paths_; }
  const Components& components() const { return components_; }
  bool has_problems() const { return has_problems_; }
  // Of the options, then those of middleware.
  const std::vector<OpenApiSecurity>& security() const { return security_; }

private:
  void place(OperationModel operation);
  static void merge_parameters(OperationModel& into, const OperationModel& other);
  static void merge(OperationModel& into, const OperationModel& other);
  static void rename_placeholders(OperationModel& operation, const std::string& path);
  void name_operations();
  void check() const;
  void check_notes(const OperationModel& operation, const std::string& title, app::Mistakes& mistakes) const;
  void collect(const OperationModel& operation);
  void collect(const ParameterModel& parameter);
  void collect_request(const ContentModel& content, const OperationModel& operation);

  const OpenApiOptions& options_;
  std::vector<app::OperationEntry> entries_;  // which the operations refer to
  std::deque<PathModel> paths_;
  Components components_;
  std::vector<OpenApiSecurity> security_;
  bool has_problems_ = false;
};

template <class F>
void each_operation(const std::deque<PathModel>& paths, F f) {
  for (const PathModel& path : paths) {
    for (const OperationModel& operation : path.operations) f(operation);
  }
}

// The key of a method in a Path Item Object: "get", "x-purge", "x-websocket".
std::string method_key(const app::OperationEntry& entry);

}  // namespace tern::openapi
