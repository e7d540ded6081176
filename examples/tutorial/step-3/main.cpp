#include <tern/rules.hpp>
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

template <>
struct tern::Rules<NewTool> {
  static constexpr auto list =
      tern::rules(tern::member<&NewTool::name>(tern::length(1, 80), tern::describe("What is written on it"),
                                               tern::example("Spade")),
                  tern::member<&NewTool::note>(tern::max_length(500)));
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
  app.get("/", [] { return tern::Redirect("/docs"); }).hide();

  auto tools = app.group("/tools").name("tools");
  tools.get("", list_tools).name("list").summary("All tools, or those of a kind");
  tools.post("", add_tool).name("add").summary("Adds a tool");
  tools.get("/{id}", find_tool).name("find").summary("One tool");
  tools.del("/{id}", remove_tool)
      .name("remove")
      .summary("Removes a tool")
      .problem(tern::Status::NotFound, "There is no such tool");

  app.openapi({.title = "The shed", .version = "1.0.0", .docs = "/docs"});
  return app.run({.port = 8080});
}
