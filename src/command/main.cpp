// The command tern. Exit status: 0, 1 after a failure, 2 for wrong arguments.
#include "command/bench.hpp"
#include "command/certificate.hpp"
#include "command/dev.hpp"
#include "command/inspect.hpp"
#include "command/migrate.hpp"
#include "command/new_project.hpp"
#include "command/serve.hpp"

#include <tern/version.hpp>

#include <CLI/CLI.hpp>

#include <unistd.h>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
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

void add_port(CLI::App& sub, std::uint16_t& port) {
  sub.add_option("-p,--port", port, "Port to listen on; 0: a free one")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
}

// CLI::PositiveNumber names the largest number there is.
std::string positive_fault(const std::string& text) {
  double number = 0;
  return CLI::detail::lexical_cast(text, number) && number > 0 ? "" : text + " is not more than 0";
}

// What CLI11 says of a wrong first word is that a subcommand is required. Empty if the first one may be right.
std::string first_word_fault(const CLI::App& command, const std::string& word) {
  if (word.starts_with('-')) {
    const bool is_option = word == "-h" || word == "--help" || word == "--version";
    return is_option ? "" : "there is no option " + word + " before a subcommand";
  }
  std::string names;
  for (const CLI::App* sub : command.get_subcommands([](const CLI::App*) { return true; })) {
    if (sub->get_name() == word) return "";
    names += (names.empty() ? "" : ", ") + sub->get_name();
  }
  return "there is no subcommand " + word + ", but " + names;
}

struct NewArguments {
  std::string name;
  std::string project_template = "rest";
  std::string database;
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
  sub->add_option("--db", arguments.database, "A database, for the template rest: migrations, a pool, health, tests")
      ->check(CLI::IsMember(tern::command::project_databases()));
  sub->add_option("-C,--folder", arguments.folder, "Where it is written; otherwise a folder of its name");
  sub->footer(
      "Templates:\n  minimal    one route\n  rest       a collection in memory, rules, OpenAPI and its page\n"
      "  web        pages from templates, a form, assets in the program\n  websocket  a chat\n\n"
      "Examples:\n  tern new shop --template web && cd shop && cmake -S . -B build -G Ninja && cmake --build build\n"
      "  tern new shop --db sqlite");
}

int run_new(const NewArguments& arguments) {
  if (!arguments.database.empty() && arguments.project_template != "rest")
    throw CLI::ValidationError("--db", "only the template rest has a database");
  const std::string folder = arguments.folder.empty() ? arguments.name : arguments.folder;
  for (const std::string& path :
       tern::command::write_project(folder, arguments.name, arguments.project_template, arguments.database)) {
    std::printf("  %s\n", path.c_str());
  }
  std::printf("\n%s\n  cd %s\n  tern dev\n\n%s\n", bold("Build, run, and reload it while you change it:").c_str(),
              folder.c_str(), bold("The same by CMake, once:").c_str());
  std::printf("  cmake -S . -B build -G Ninja && cmake --build build\n  build/%s\n", arguments.name.c_str());
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
  add_port(*sub, options.port);
  sub->add_option("--threads", options.threads, "Threads; 0: one per processor")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
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
  const std::filesystem::path fallback = std::filesystem::path(arguments.serve.folder) / arguments.serve.fallback;
  if (!arguments.serve.fallback.empty() && !std::filesystem::is_regular_file(fallback)) {
    throw CLI::ValidationError("--spa", "there is no file " + fallback.string());
  }
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

void add_migrate(CLI::App& command, tern::command::MigrateArguments& arguments) {
  CLI::App* sub = command.add_subcommand("migrate", "Run the migrations of a folder in a database");
  sub->add_option("database", arguments.database, "sqlite:PATH, the path of an SQLite file, or postgresql://…")
      ->required()
      ->envname("DATABASE_URL");
  sub->add_option("-f,--folder", arguments.folder, "Folder of the files, such as 0001_books.sql")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  CLI::Option* last = sub->add_option("--to", arguments.last, "The last number that is run")->default_str("all");
  sub->add_flag("--status", arguments.status, "Print the state of each migration, and change nothing")->excludes(last);
  sub->footer(
      "Prints the migrations that it has run. Nothing is undone: to go back, restore a backup.\n"
      "States: done, pending, changed (since it was run), missing (its file), preceded (by one that was run).\n\n"
      "Exit status: 1 if a migration fails or cannot be run; with --status, if one is not done.\n\n"
      "Examples:\n  tern migrate sqlite:shop.db\n"
      "  DATABASE_URL=postgresql://shop@db/shop tern migrate --status");
}

int run_migrate(const tern::command::MigrateArguments& arguments) {
  const tern::command::MigrateResult result = tern::command::migrate(arguments);
  std::fputs(result.text.c_str(), stdout);
  if (!result.failure.empty()) throw std::runtime_error(result.failure);
  if (result.text.empty()) std::puts(arguments.status ? "no migrations" : "nothing to do");
  return result.complete ? 0 : 1;
}

void add_cert(CLI::App& command, tern::command::CertificateArguments& arguments) {
  CLI::App* sub = command.add_subcommand("cert", "Make a certificate for HTTPS in development");
  sub->add_option("names", arguments.names, "DNS names and addresses, such as shop.test or 192.168.1.7")
      ->check([](const std::string& name) { return tern::command::certificate_name_fault(name); })
      ->default_str("localhost 127.0.0.1 ::1");
  sub->add_option("-o,--out", arguments.folder, "Folder of cert.pem and key.pem")->capture_default_str();
  sub->add_option("--ca", arguments.authority_folder,
                  "Folder of the authority, ca.pem and ca-key.pem, which are made if there are none; otherwise that of "
                  "--out");
  sub->add_option("-d,--days", arguments.days, "Days that the certificate is valid")
      ->check(CLI::Range(1, 825))
      ->capture_default_str();
  sub->add_flag("-f,--force", arguments.replace, "Replace cert.pem and key.pem; the authority stays");
  sub->footer(
      "Clients have to trust ca.pem, once: what it prints says how. Servers use cert.pem and key.pem, and take over "
      "new\n"
      "ones while they run. The authority signs for local names and addresses (localhost, *.test, *.local, "
      "*.internal,\n"
      "*.home.arpa, private networks), and for the names it was made with.\n\n"
      "Examples:\n  tern cert && tern serve --certificate dev-cert/cert.pem --key dev-cert/key.pem\n"
      "  tern cert shop.test '*.shop.test' --out shop-cert --ca ~/.config/tern-ca");
}

int run_cert(const tern::command::CertificateArguments& arguments) {
  const tern::command::MadeCertificate made = tern::command::make_certificate(arguments);
  std::fputs(tern::command::as_text(made, arguments.names).c_str(), stdout);
  return 0;
}

struct BenchArguments {
  tern::load::LoadOptions load;
  std::vector<std::string> fields;
  std::string content_file;
  bool is_json = false;
  bool accepts_any_certificate = false;
};

void add_bench(CLI::App& command, BenchArguments& arguments) {
  CLI::App* sub = command.add_subcommand("bench", "Send requests to a server, and measure its responses");
  tern::load::LoadOptions& load = arguments.load;
  const auto seconds = CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"ms", 0.001}, {"m", 60}});
  sub->add_option("url", load.url, "http://… or https://…")->required();
  sub->add_option("-c,--connections", load.connections, "Connections, each with a request at a time, or --streams")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  CLI::Option* http2 = sub->add_flag("--http2", load.http2, "HTTP/2: by ALPN for https, by prior knowledge for http");
  sub->add_option("-m,--streams", load.streams, "Requests at a time of each connection, over HTTP/2")
      ->check(CLI::Range(1, 10'000))
      ->needs(http2)
      ->capture_default_str();
  sub->add_option("-d,--duration", load.seconds, "How long: 10s, 500ms, 2m")
      ->transform(seconds)
      ->check(positive_fault)
      ->default_str("10s");
  sub->add_option("--warm-up", load.warm_up, "How long before, without measuring")
      ->transform(seconds)
      ->default_str("0s");
  sub->add_option("-r,--rate", load.rate, "Requests a second, over all connections; otherwise as many as are answered")
      ->check(positive_fault);
  sub->add_option("-X,--method", load.method, "The method")->capture_default_str();
  sub->add_option("-H,--header", arguments.fields, "A field of the requests: \"Name: value\"; may be repeated")
      ->allow_extra_args(false);
  CLI::Option* content = sub->add_option("--body", load.content, "Content of the requests");
  sub->add_option("--body-file", arguments.content_file, "The same from a file")
      ->check(CLI::ExistingFile)
      ->excludes(content);
  sub->add_flag("-k,--insecure", arguments.accepts_any_certificate, "Do not verify the certificate");
  sub->add_flag("--json", arguments.is_json, "Print one JSON object");
  sub->footer(
      "With --rate, requests are sent when they are due, and a latency counts from then: a response that comes late\n"
      "because the server was busy with others has waited, and shows (no coordinated omission). Without, latencies "
      "are\n"
      "those of a server that is asked as fast as it answers. It runs on one thread.\n\n"
      "Exit status: 1 if a connection broke, a stream was reset, or a request has no response.\n\n"
      "Examples:\n  tern bench http://127.0.0.1:8080/books -c 100 -d 30s --rate 5000\n"
      "  tern bench https://127.0.0.1:8443/ --insecure --http2 -c 8 -m 10");
}

int run_bench(BenchArguments& arguments) {
  tern::load::LoadOptions& load = arguments.load;
  load.verify = !arguments.accepts_any_certificate;
  for (const std::string& field : arguments.fields) {
    const std::size_t colon = field.find(':');
    if (colon == std::string::npos) throw CLI::ValidationError("--header", "a field is \"Name: value\", not " + field);
    const std::size_t value = field.find_first_not_of(" \t", colon + 1);
    load.fields.emplace_back(field.substr(0, colon), value == std::string::npos ? "" : field.substr(value));
  }
  if (!arguments.content_file.empty()) {
    std::ifstream file(arguments.content_file, std::ios::binary);
    load.content.assign(std::istreambuf_iterator<char>(file), {});
    if (!file) throw std::runtime_error("cannot read " + arguments.content_file);
  }
  tern::load::LoadReport report;
  try {
    report = tern::load::run(load);
  } catch (const std::invalid_argument& error) {
    throw CLI::ValidationError(error.what());
  }
  const std::string text =
      arguments.is_json ? tern::command::as_json(load, report) : tern::command::as_text(load, report);
  std::fputs(text.c_str(), stdout);
  return report.errors > 0 || report.unanswered > 0 ? 1 : 0;
}

void add_dev(CLI::App& command, tern::command::DevArguments& arguments) {
  CLI::App* sub = command.add_subcommand("dev", "Build a project when it changes, and run it");
  sub->add_option("-S,--source", arguments.source, "Folder of the project")
      ->check(CLI::ExistingDirectory)
      ->capture_default_str();
  sub->add_option("-B,--build", arguments.build, "Build folder of CMake; a new one is configured as Debug")
      ->capture_default_str();
  sub->add_option("--program", arguments.program,
                  "The program; otherwise that of the project's name in the build folder");
  sub->add_option("--host", arguments.host, "Address to listen on")->capture_default_str();
  add_port(*sub, arguments.port);
  sub->add_option("-w,--watch", arguments.watched, "Another folder whose changes count; may be repeated")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false);
  sub->add_option("arguments", arguments.arguments, "Arguments of the program, behind --");
  sub->footer(
      "It holds the listening socket, which the program inherits, so that no request is refused while it is built and\n"
      "started again. Pages reload themselves. While a build fails, browsers see the errors of the compiler.\n\n"
      "Example:\n  tern new shop && cd shop && tern dev --port 3000");
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App command("The command of Tern, a C++ library for web servers", "tern");
  command.set_version_flag("--version", "tern "s + version());
  command.require_subcommand(1);
  NewArguments new_arguments;
  ServeArguments serve_arguments;
  tern::command::MigrateArguments migrate_arguments;
  BenchArguments bench_arguments;
  std::string document_path = "/openapi.json";
  add_new(command, new_arguments);
  add_serve(command, serve_arguments);
  add_inspection(command, document_path);
  add_migrate(command, migrate_arguments);
  add_bench(command, bench_arguments);
  tern::command::CertificateArguments certificate_arguments;
  add_cert(command, certificate_arguments);
  tern::command::DevArguments dev_arguments;
  add_dev(command, dev_arguments);
  try {
    const std::string fault = argc > 1 ? first_word_fault(command, argv[1]) : "";
    if (!fault.empty()) throw CLI::ValidationError(fault);
    command.parse(argc, argv);
    const CLI::App& sub = *command.get_subcommands().front();
    const std::string name = sub.get_name();
    if (name == "new") return run_new(new_arguments);
    if (name == "serve") return run_serve(serve_arguments);
    if (name == "dev") return tern::command::run_dev(dev_arguments);
    if (name == "cert") return run_cert(certificate_arguments);
    if (name == "migrate") return run_migrate(migrate_arguments);
    return name == "bench" ? run_bench(bench_arguments) : run_inspection(sub, document_path);
  } catch (const CLI::ParseError& error) {
    return command.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tern: %s\n", error.what());
    return 1;
  }
}
