// tern new: writes the files of a new project.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tern::command {

// "minimal", "rest", "web" and "websocket".
const std::vector<std::string>& project_templates();

// "sqlite" and "postgres".
const std::vector<std::string>& project_databases();

// Why a project cannot have that name; empty if it can. A name is that of targets, files and users: lower-case letters,
// digits and hyphens.
std::string name_fault(std::string_view name);

// Writes the project to `folder`, which must not exist or be empty; with a database, if one is named, which only the
// template "rest" has. Returns the paths of the files, relative to it.
// Throws std::runtime_error, naming what is wrong, before it has written anything; std::system_error if a file cannot
// be written.
std::vector<std::string> write_project(const std::filesystem::path& folder, std::string_view name,
                                       std::string_view project_template, std::string_view database = {});

}  // namespace tern::command
