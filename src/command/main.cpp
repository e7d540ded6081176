// The command tern. Exit status: 0, 1 after a failure, 2 for wrong arguments.
#include "command/new_project.hpp"
#include "command/serve.hpp"

#include <tern/version.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cstdio>
#include <exception>
#include <string>

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

}  // namespace

int main(int argc, char** argv) {
  CLI::App command("The command of Tern, a C++ library for web servers", "tern");
  command.set_version_flag("--version", "tern "s + version());
  command.require_subcommand(1);
  NewArguments new_arguments;
  ServeArguments serve_arguments;
  add_new(command, new_arguments);
  add_serve(command, serve_arguments);
  try {
    command.parse(argc, argv);
    return command.got_subcommand("new") ? run_new(new_arguments) : run_serve(serve_arguments);
  } catch (const CLI::ParseError& error) {
    return command.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern: %s\n", error.what());
    return 1;
  }
}
