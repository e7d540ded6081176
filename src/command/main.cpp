// The command tern. Exit status: 0, 1 after a failure, 2 for wrong arguments.
#include "command/inspect.hpp"
#include "command/new_project.hpp"
#include "command/serve.hpp"

#include <tern/version.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using namespace std::string_literals;

std::string version() {
  return std::to_string(TERN_VERSION_MAJOR) + "." + std::to_string(TERN_VERSION_MINOR) + "." +
         std::to_string(TERN_VERSION_PATCH);
}

// Bold on a terminal, plain otherwise.
std::string bold(const std::string& text) {
  return ::isatty(STDOUT_FILENO) != 0 ? "\033[1m" + text + "\033[0m" : text;
}

struct NewArguments {
  std::string name;
  std::string project_template = "rest";
  std::string folder;
};

void add_new(CLI::App& command, NewArguments& arguments) {
  CLI::App* sub = command.add_subcommand("new", "Write a new project: a service with tests, packaging and CI");
  sub->add_option("name", arguments.name, "Name of the program: lower-case letters, digits and hyphens")
      ->required()
      ->check([](const std::string& name) { return tern::command::name_fault(name); });
  sub->add_option("-t,--template", arguments.project_template, "What the project begins with")
      ->check(CLI::IsMember(tern::command::project_templates()))
      ->capture_default_str();
  sub->add_option("-C,--folder", arguments.folder, "Where it is written; otherwise a folder of its name");
  sub->footer(
      "Templates:\n  minimal    one route\n  rest       a collection in memory, rules, OpenAPI and its page\n"
      "  web        pages from templates, a form, assets in the program\n  websocket  a chat\n\n"
      "Example:\n  tern new shop --template web && cd shop && cmake -S . -B build -G Ninja && cmake --build build");
}

int run_new(const NewArguments& arguments) {
  const std::string folder = arguments.folder.empty() ? arguments.name : arguments.folder;
  for (const std::string& path : tern::command::write_project(folder, arguments.name, arguments.project_template)) {
    std::printf("  %s\n", path.c_str());
  }
  std::printf("\n%s\n  cd %s\n  cmake -S . -B build -G Ninja && cmake --build build\n  build/%s\n",
              bold("Build and run it:").c_str(), folder.c_str(), arguments.name.c_str());
  return 0;
}

struct ServeArguments {
  tern::command::ServeOptions serve;
  tern::Options options;
  bool no_listing = false;
  bool no_compression = false;
};

void add_serve(CLI::App& command, ServeArguments& arguments) {
  CLI::App* sub = command.add_subcommand("serve", "Serve the files of a folder");
  tern::Options& options = arguments.options;
  sub->add_option("folder", arguments.serve.folder, "The folder")->check(CLI::ExistingDirectory)->capture_default_str();
  sub->add_option("--host", options.host, "Address to listen on")->capture_default_str();
  sub->add_option("-p,--port", options.port, "Port to listen on; 0: a free one")->capture_default_str();
  sub->add_option("--threads", options.threads, "Threads; 0: one per processor")->capture_default_str();
  CLI::Option* certificate =
      sub->add_option("--certificate", options.tls.certificate, "Certificate chain (PEM): HTTPS and HTTP/2");
  certificate->check(CLI::ExistingFile);
  sub->add_option("--key", options.tls.key, "Key (PEM), unless it is in the same file")
      ->check(CLI::ExistingFile)
      ->needs(certificate);
  sub->add_option("--spa", arguments.serve.fallback,
                  "File for paths without a file, for single-page apps, such as index.html");
  sub->add_flag("--no-listing", arguments.no_listing, "404 for folders without an index.html");
  sub->add_flag("--no-compression", arguments.no_compression, "Do not compress while sending");
  sub->footer("Example:\n  tern serve dist --spa index.html --port 3000");
}

int run_serve(ServeArguments& arguments) {
  arguments.serve.listing = !arguments.no_listing;
  arguments.serve.compress = !arguments.no_compression;
  tern::App app;
  tern::command::add_folder(app, arguments.serve);
  return app.run(arguments.options);
}

// Subcommands that take a program and its arguments.
CLI::App* add_program_command(CLI::App& command, const std::string& name, const std::string& what) {
  CLI::App* sub = command.add_subcommand(name, what);
  sub->prefix_command();
  return sub;
}

void add_inspection(CLI::App& command, std::string& path) {
  add_program_command(command, "routes", "Print the routes of a program: tern routes PROGRAM [ARGUMENT]...")
      ->footer(
          "The program is run with TERN_ROUTES=1: App::run() prints them, and serves nothing.\n\n"
          "Example:\n  tern routes build/shop");
  CLI::App* sub = add_program_command(
      command, "openapi", "Print the OpenAPI document of a program: tern openapi [OPTIONS] PROGRAM [ARGUMENT]...");
  sub->add_option("--path", path, "Where it is served")->capture_default_str();
  sub->footer(
      "The program is run on a free port, asked, and stopped.\n\nExample:\n  tern openapi build/shop > openapi.json");
}

int run_inspection(const CLI::App& sub, const std::string& path) {
  const std::vector<std::string> program = sub.remaining();
  if (program.empty()) throw CLI::RequiredError("PROGRAM");
  const bool routes = sub.get_name() == "routes";
  const std::string text =
      routes ? tern::command::as_table(tern::command::routes_of(program)) : tern::command::content_of(program, path);
  std::fputs(text.c_str(), stdout);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App command("The command of Tern, a C++ library for web servers", "tern");
  command.set_version_flag("--version", "tern "s + version());
  command.require_subcommand(1);
  NewArguments new_arguments;
  ServeArguments serve_arguments;
  add_new(command, new_arguments);
  add_serve(command, serve_arguments);
  std::string document_path = "/openapi.json";
  add_inspection(command, document_path);
  try {
    command.parse(argc, argv);
    const CLI::App& sub = *command.get_subcommands().front();
    if (sub.get_name() == "new") return run_new(new_arguments);
    return sub.get_name() == "serve" ? run_serve(serve_arguments) : run_inspection(sub, document_path);
  } catch (const CLI::ParseError& error) {
    return command.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern: %s\n", error.what());
    return 1;
  }
}
