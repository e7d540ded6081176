#include <tern/tern.hpp>

#include <map>

enum class Kind { garden, wood, metal, other };

struct NewTool {
  std::string name;
  Kind kind = Kind::other;
  std::optional<std::string> note;
};

struct Tool {
  std::int64_t id;
  std::string name;
  Kind kind;
  std::optional<std::string> note;
};

struct Selection {
  std::optional<Kind> kind;
};

using Tools = tern::Shared<std::map<std::int64_t, Tool>>;

std::vector<Tool> list_tools(tern::State<Tools> tools, tern::Query<Selection> selection) {
  std::vector<Tool> found;
  const auto locked = tools->lock();
  for (const auto& [id, tool] : *locked) {
    if (!selection->kind || tool.kind == *selection->kind) found.push_back(tool);
  }
  return found;
}

std::optional<Tool> find_tool(tern::State<Tools> tools, std::int64_t id) {
  const auto locked = tools->lock();
  const auto found = locked->find(id);
  if (found == locked->end()) return std::nullopt;
  return found->second;
}

tern::Created<Tool> add_tool(tern::State<Tools> tools, tern::Json<NewTool> tool) {
  const auto locked = tools->lock();
  const std::int64_t id = locked->empty() ? 1 : locked->rbegin()->first + 1;
  const Tool& added = locked->emplace(id, Tool{id, tool->name, tool->kind, tool->note}).first->second;
  return tern::created(added, "/tools/" + std::to_string(id));
}

void remove_tool(tern::State<Tools> tools, std::int64_t id) {
  if (tools->lock()->erase(id) == 0) throw tern::HttpError(tern::Status::NotFound, "there is no such tool");
}

int main() {
  tern::App app;
  app.state(Tools());
  app.get("/", [] { return "The shed is open.\n"; });
  app.get("/tools", list_tools);
  app.post("/tools", add_tool);
  app.get("/tools/{id}", find_tool);
  app.del("/tools/{id}", remove_tool);
  return app.run({.port = 8080});
}
