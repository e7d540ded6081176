// Configurations: defaults, then a file, then the environment, then the command line, into a struct.
#pragma once

#include <tern/app/app.hpp>
#include <tern/app/options.hpp>
#include <tern/base/function.hpp>
#include <tern/config/type.hpp>

#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tern {

// Where a configuration comes from.
struct ConfigOptions {
  std::string name = {};         // "shop" reads shop.toml and SHOP_PORT; empty: `program`
  std::string program = {};      // for --help and messages; config() takes it from argv[0]
  std::string prefix = {};       // of environment variables; empty: the name in capitals
  std::string file = {};         // empty: "<name>.toml" in the current folder, if it is there. A named one has to exist
  std::string description = {};  // a sentence for --help
  std::string version = {};      // for --version; empty: there is no such flag
};

// Why there is no configuration to run with.
struct ConfigExit {
  int status = 0;           // of the process: 0 after --help, --version and --check, 2 for faults
  std::string output = {};  // for standard output
  std::string faults = {};  // for standard error: a line for each
};

// What reading again has changed.
struct ConfigReload {
  std::vector<std::string> changed = {};  // the settings: "limits.max_connections"
  std::string faults = {};                // not empty: nothing was changed
};

namespace configuration {

// One value of a configuration.
struct Setting {
  std::string path;    // "limits.max_connections"
  std::string value;   // in the form of TOML
  std::string origin;  // "default", "shop.toml:3", "SHOP_PORT", "--port"
  bool is_hidden = false;
};

struct Reading {
  bool is_valid = false;
  ConfigExit exit = {};  // unless it is valid
  std::vector<std::string> warnings = {};
  std::vector<Setting> settings = {};
};

class Loader {
public:
  // `type` is a struct. Throws SetupError for a struct whose settings cannot be told apart.
  Loader(const Type& type, ConfigOptions options, std::vector<std::string> arguments);

  // Into `object`, which has the defaults. Faults of the contents are in the result. From any thread, as long as none
  // changes the environment.
  Reading read(void* object) const;

private:
  const Type& type_;
  ConfigOptions options_;
  std::vector<std::string> arguments_;
};

// How objects of a configuration are made and destroyed.
struct Maker {
  void* (*make)();
  void (*destroy)(void* object) noexcept;
};

// Every state that a configuration has had, the last of which is the current one. Copies share them. Thread-safe, but
// begin().
class States {
public:
  States(Loader loader, Maker maker);
  States(const States& other) noexcept;
  States(States&& other) noexcept : shared_(std::exchange(other.shared_, nullptr)) {}
  States& operator=(const States&) = delete;
  ~States();

  // Reads the first one, before any other call.
  Reading begin();
  const void* current() const noexcept;
  std::vector<Setting> settings() const;
  void on_change(base::Function<void(const void* before, const void* after)> listener);
  ConfigReload reload();

private:
  struct Shared;
  Shared* shared_;
};

std::string program_name(std::string_view path);  // what is behind the last slash
std::vector<std::string> arguments_of(int argc, const char* const* argv);
// Prints what there is to print, and ends the process.
[[noreturn]] void exit_with(const ConfigExit& exit);
// Logs what a reload has changed, or why nothing was.
void log(const ConfigReload& reload);

}  // namespace configuration

// A configuration that can be read again. Copies refer to the same one.
template <class T>
class Config {
public:
  // The current values, from any thread. Those of before a reload() stay where they are: a reference remains valid as
  // long as a Config exists, and shows one state of all settings.
  const T& operator*() const noexcept { return *static_cast<const T*>(states_.current()); }
  const T* operator->() const noexcept { return static_cast<const T*>(states_.current()); }

  // Each value with its origin, secrets included, in the order of the struct.
  std::vector<configuration::Setting> settings() const { return states_.settings(); }

  // Calls f(const T& before, const T& after) after each change, on the thread that calls reload().
  template <class F>
  Config& on_change(F f) {
    states_.on_change([f = std::move(f)](const void* before, const void* after) mutable {
      f(*static_cast<const T*>(before), *static_cast<const T*>(after));
    });
    return *this;
  }

  // Reads file and environment again. With a fault, everything stays as it is. One call at a time; from any thread.
  ConfigReload reload() { return states_.reload(); }

  // Reads again at SIGHUP, and logs what has changed or why nothing has.
  Config& follow(App& app) {
    app.on_reload([states = states_]() mutable { configuration::log(states.reload()); });
    return *this;
  }
  // The same, and applies to the running server what App::apply() can: follow(app, &Shop::server). The app outlives it.
  Config& follow(App& app, Options T::* options) {
    return on_change([&app, options](const T&, const T& now) { app.apply(now.*options); }).follow(app);
  }

private:
  template <class U>
  friend std::expected<Config<U>, ConfigExit> read_config(std::vector<std::string>, ConfigOptions);

  explicit Config(configuration::States states) noexcept : states_(std::move(states)) {}

  configuration::States states_;
};

// Reads a T, a struct with defaults. `arguments` are those behind the name of the program. Does not print, and never
// ends the process. Throws SetupError if two settings of T have the same name outside.
template <class T>
std::expected<Config<T>, ConfigExit> read_config(std::vector<std::string> arguments, ConfigOptions options = {}) {
  configuration::States states(
      configuration::Loader(configuration::type_of<T>(), std::move(options), std::move(arguments)),
      {[]() -> void* { return new T(); }, [](void* dead) noexcept { delete static_cast<T*>(dead); }});
  configuration::Reading reading = states.begin();
  if (!reading.is_valid) return std::unexpected(std::move(reading.exit));
  return Config<T>(std::move(states));
}

// The same for main(): after --help, --version and --check, and with faults, it prints and ends the process.
template <class T>
Config<T> config(int argc, const char* const* argv, ConfigOptions options = {}) {
  if (options.program.empty() && argc > 0) options.program = configuration::program_name(argv[0]);
  auto read = read_config<T>(configuration::arguments_of(argc, argv), std::move(options));
  if (!read) configuration::exit_with(read.error());
  return std::move(*read);
}

// Runs the app with Options from tern.toml, TERN_… and the command line, and reads them again at SIGHUP.
int run(App& app, int argc, const char* const* argv, ConfigOptions options = {.name = "tern"});

}  // namespace tern
