#include <tern/config/load.hpp>

#include "config/bind.hpp"
#include "config/leaf.hpp"
#include "config/node.hpp"
#include "config/print.hpp"
#include "config/secret_file.hpp"
#include "config/toml.hpp"

#include <tern/http/log.hpp>

#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace tern::configuration {
namespace {

constexpr int wrong_usage = 2;

std::string upper(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'a' && c <= 'z') {
      result.push_back(static_cast<char>(c - 'a' + 'A'));
    } else {
      result.push_back((c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_');
    }
  }
  return result;
}

std::optional<std::string> variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// The node for a path, with the tables around it.
Node& place_for(Node& root, std::string_view path) {
  Node* node = &root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    node = &node->at(path.substr(begin, end - begin));
    begin = end + 1;
  }
  return *node;
}

Node any(std::string text, const std::string& source, bool is_file) {
  Node node;
  node.type = Node::Type::Any;
  node.text = std::move(text);
  node.origin = {source, source};
  node.is_file = is_file;
  return node;
}

// What the command line says.
struct Flags {
  Node settings = {};
  std::optional<std::string> file = {};
  bool help = false;
  bool version = false;
  bool check = false;
};

class FlagReader {
public:
  FlagReader(const std::vector<Leaf>& leaves, const std::vector<std::string>& arguments, bool has_version,
             std::vector<std::string>& faults)
      : leaves_(leaves), arguments_(arguments), has_version_(has_version), faults_(faults) {}

  Flags read() {
    while (at_ < arguments_.size()) read_one();
    return std::move(flags_);
  }

private:
  void read_one() {
    const std::string& argument = arguments_[at_++];
    if (argument == "-h") {
      flags_.help = true;
      return;
    }
    if (!argument.starts_with("--") || argument.size() == 2) {
      faults_.push_back("unexpected argument '" + argument + "'" + (argument.starts_with('-') ? ": see --help" : ""));
      return;
    }
    const std::size_t equals = argument.find('=');
    std::string name = argument.substr(2, equals == std::string::npos ? equals : equals - 2);
    std::ranges::replace(name, '_', '-');
    std::optional<std::string> value;
    if (equals != std::string::npos) value = argument.substr(equals + 1);
    if (name == "help") {
      flags_.help = true;
    } else if (name == "check") {
      flags_.check = true;
    } else if (name == "version" && has_version_) {
      flags_.version = true;
    } else if (name == "config") {
      flags_.file = value_of(name, std::move(value));
    } else {
      read_setting(name, std::move(value));
    }
  }

  std::optional<std::string> value_of(const std::string& name, std::optional<std::string> value) {
    if (value) return value;
    if (at_ < arguments_.size()) return arguments_[at_++];
    faults_.push_back("--" + name + " needs a value");
    return std::nullopt;
  }

  void read_setting(const std::string& name, std::optional<std::string> value) {
    constexpr std::string_view ending = "-file";
    const Leaf* leaf = find(name);
    bool is_file = false;
    if (leaf == nullptr && name.ends_with(ending)) {
      leaf = find(std::string_view(name).substr(0, name.size() - ending.size()));
      is_file = leaf != nullptr;
      if (is_file && !leaf->is_from_file()) leaf = nullptr;
    }
    if (leaf == nullptr) return unknown(name);
    if (!is_file && leaf->is_hidden()) {
      if (!value && at_ < arguments_.size()) ++at_;
      faults_.push_back("--" + name + ": a secret on the command line can be read by other users; use --" + name +
                        "-file, or " + leaf->variable + "_FILE");
      return;
    }
    const Type& type = leaf->value_type();
    if (type.kind == Kind::Boolean && !value) {
      // "--share-port" alone, as well as "--share-port false".
      bool ignored = false;
      const bool has_value = at_ < arguments_.size() && parse_boolean(arguments_[at_], ignored);
      value = has_value ? arguments_[at_++] : "true";
    }
    value = value_of(name, std::move(value));
    if (!value) return;
    Node& place = place_for(flags_.settings, leaf->path);
    Node node = any(std::move(*value), "--" + name, is_file);
    if (type.kind != Kind::List) {
      place = std::move(node);
      return;
    }
    place.type = Node::Type::List;  // each flag adds an element
    place.origin = node.origin;
    place.elements.push_back(std::move(node));
  }

  const Leaf* find(std::string_view name) const {
    const auto leaf =
        std::ranges::find_if(leaves_, [name](const Leaf& each) { return each.flag == name && each.is_settable(); });
    return leaf == leaves_.end() ? nullptr : &*leaf;
  }

  void unknown(const std::string& name) {
    std::vector<std::string> names = {"help", "check", "config"};
    if (has_version_) names.emplace_back("version");
    for (const Leaf& leaf : leaves_) {
      if (leaf.is_settable()) names.push_back(leaf.flag);
    }
    const std::string found = nearest(name, names);
    faults_.push_back("unknown option --" + name +
                      (found.empty() ? ": see --help" : ", did you mean --" + found + "?"));
  }

  const std::vector<Leaf>& leaves_;
  const std::vector<std::string>& arguments_;
  const bool has_version_;
  std::vector<std::string>& faults_;
  std::size_t at_ = 0;
  Flags flags_;
};

// The environment: SHOP_PORT, SHOP_PASSWORD_FILE, and credentials of systemd for secrets.
class EnvironmentReader {
public:
  EnvironmentReader(const std::vector<Leaf>& leaves, std::vector<std::string>& faults)
      : leaves_(leaves), faults_(faults) {}

  Node read() {
    for (const Leaf& leaf : leaves_) {
      if (leaf.is_settable()) read(leaf);
    }
    return std::move(root_);
  }

private:
  void read(const Leaf& leaf) {
    const auto value = variable(leaf.variable);
    const std::string in_file = leaf.variable + "_FILE";
    auto file = leaf.is_from_file() && !is_a_setting(in_file) ? variable(in_file) : std::nullopt;
    if (value && file) faults_.push_back(leaf.variable + " and " + in_file + " are both set");
    if (value) {
      place_for(root_, leaf.path) = any(*value, leaf.variable, false);
    } else if (file) {
      place_for(root_, leaf.path) = any(*file, in_file, true);
    } else if (leaf.is_hidden()) {
      read_credential(leaf);
    }
  }

  // systemd.exec(5), LoadCredential=.
  void read_credential(const Leaf& leaf) {
    const auto folder = variable("CREDENTIALS_DIRECTORY");
    if (!folder) return;
    const std::string path = *folder + "/" + leaf.path;
    if (::access(path.c_str(), F_OK) == 0) place_for(root_, leaf.path) = any(path, "credential " + leaf.path, true);
  }

  bool is_a_setting(const std::string& name) const {
    return std::ranges::find(leaves_, name, &Leaf::variable) != leaves_.end();
  }

  const std::vector<Leaf>& leaves_;
  std::vector<std::string>& faults_;
  Node root_;
};

// Variables with the prefix that are no settings, but look like one that was meant. Others are not ours: Kubernetes
// sets SHOP_SERVICE_HOST, for instance.
std::vector<std::string> doubtful_variables(const std::vector<Leaf>& leaves, const std::string& prefix) {
  std::vector<std::string> names = {prefix + "_CONFIG"};
  for (const Leaf& leaf : leaves) {
    names.push_back(leaf.variable);
    if (leaf.is_from_file()) names.push_back(leaf.variable + "_FILE");
  }
  std::vector<std::string> warnings;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view entry = *each;
    const std::string name(entry.substr(0, entry.find('=')));
    if (!name.starts_with(prefix + "_") || std::ranges::count(names, name) != 0) continue;
    const std::string rest = name.substr(prefix.size() + 1);
    std::vector<std::string> rests;
    for (const std::string& known : names) rests.push_back(known.substr(prefix.size() + 1));
    const std::string meant = nearest(rest, rests);
    if (!meant.empty()) {
      warnings.push_back("the environment has " + name + ", which is no setting, did you mean " + prefix + "_" + meant +
                         "?");
    }
  }
  return warnings;
}

struct File {
  std::string name;
  bool is_required = false;
};

File file_of(const ConfigOptions& options, const std::optional<std::string>& flag) {
  if (flag) return {*flag, true};
  if (auto named = variable(options.prefix + "_CONFIG")) return {std::move(*named), true};
  if (!options.file.empty()) return {options.file, true};
  return {options.name + ".toml", false};
}

// A table without members if there is no file.
Node read_file(const File& file, std::vector<std::string>& faults) {
  std::error_code error;
  if (!file.is_required && !std::filesystem::exists(file.name, error)) return {};
  std::ifstream stream(file.name, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file.name, error)) {
    faults.push_back("cannot read " + file.name + ": " +
                     (stream ? std::string("it is a folder") : std::generic_category().message(errno)));
    return {};
  }
  const std::string text = (std::ostringstream() << stream.rdbuf()).str();
  auto node = read_toml(text, file.name);
  if (node) return std::move(*node);
  faults.push_back(std::move(node.error()));
  return {};
}

// Files that have secrets, and that everyone may read.
void look_at_files(const std::vector<Leaf>& leaves, const Node& root, const std::string& name,
                   std::vector<std::string>& warnings) {
  std::vector<std::string> files;
  for (const Leaf& leaf : leaves) {
    if (!leaf.is_hidden()) continue;
    const Node* node = &root;
    for (std::size_t begin = 0; begin <= leaf.path.size() && node != nullptr;) {
      const std::size_t end = std::min(leaf.path.find('.', begin), leaf.path.size());
      node = node->find(std::string_view(leaf.path).substr(begin, end - begin));
      begin = end + 1;
    }
    if (node != nullptr && !node->text.empty()) files.push_back(node->is_file ? node->text : name);
  }
  std::ranges::sort(files);
  files.erase(std::ranges::unique(files).begin(), files.end());
  for (const std::string& file : files) {
    if (std::string warning = exposure(file); !warning.empty()) warnings.push_back(std::move(warning));
  }
}

std::string lines(const std::vector<std::string>& faults, const std::string& program) {
  std::string text;
  for (const std::string& fault : faults) text += program + ": " + fault + "\n";
  return text;
}

}  // namespace

Loader::Loader(const Type& type, ConfigOptions options, std::vector<std::string> arguments)
    : type_(type), options_(std::move(options)), arguments_(std::move(arguments)) {
  if (options_.name.empty()) options_.name = options_.program.empty() ? "app" : options_.program;
  if (options_.program.empty()) options_.program = options_.name;
  if (options_.prefix.empty()) options_.prefix = upper(options_.name);
  static_cast<void>(leaves_of(type_, options_.prefix));  // throws
}

Reading Loader::read(void* object) const {
  Reading reading;
  std::vector<std::string> faults;
  const std::vector<Leaf> leaves = leaves_of(type_, options_.prefix);
  Binder binder(leaves, faults);
  const Flags flags = FlagReader(leaves, arguments_, !options_.version.empty(), faults).read();
  if (flags.help) {
    reading.exit.output = help(options_, leaves, settings_of(leaves, type_, object, binder));
    return reading;
  }
  if (flags.version) {
    reading.exit.output = options_.program + " " + options_.version + "\n";
    return reading;
  }
  const File file = file_of(options_, flags.file);
  const Node in_file = read_file(file, faults);
  const Node environment = EnvironmentReader(leaves, faults).read();
  if (faults.empty()) {
    for (const Node* layer : {&in_file, &environment, &flags.settings}) binder.assign(type_, object, *layer);
  }
  if (faults.empty()) binder.check(type_, object);
  for (const Node* layer : {&in_file, &environment, &flags.settings}) {
    look_at_files(leaves, *layer, file.name, reading.warnings);
  }
  for (std::string& warning : doubtful_variables(leaves, options_.prefix))
    reading.warnings.push_back(std::move(warning));
  if (!faults.empty()) {
    reading.exit = {wrong_usage, {}, lines(faults, options_.program)};
    return reading;
  }
  reading.settings = settings_of(leaves, type_, object, binder);
  if (flags.check) {
    reading.exit.output = effective(reading.settings);
    return reading;
  }
  reading.is_valid = true;
  return reading;
}

std::string program_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));  // npos + 1 is 0
}

std::vector<std::string> arguments_of(int argc, const char* const* argv) {
  return argc > 1 ? std::vector<std::string>(argv + 1, argv + argc) : std::vector<std::string>();
}

void exit_with(const ConfigExit& exit) {
  std::fputs(exit.output.c_str(), stdout);
  std::fputs(exit.faults.c_str(), stderr);
  std::exit(exit.status);
}

void log(const ConfigReload& reload) {
  if (!reload.faults.empty()) {
    std::string_view rest = reload.faults;
    while (!rest.empty()) {
      const std::size_t end = rest.find('\n');
      tern::log(LogLevel::Error, "the configuration stays as it is: " + std::string(rest.substr(0, end)));
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return;
  }
  std::string names;
  for (const std::string& name : reload.changed) names += (names.empty() ? "" : ", ") + name;
  tern::log(LogLevel::Info, names.empty() ? "the configuration was read again: no change"
                                          : "the configuration was read again: changed " + names);
}

}  // namespace tern::configuration

namespace tern {

int run(App& app, int argc, const char* const* argv, ConfigOptions options) {
  auto configuration = config<Options>(argc, argv, std::move(options));
  configuration.on_change([&app](const Options&, const Options& now) { app.apply(now); });
  configuration.follow(app);
  return app.run(*configuration);
}

Options Options::from(int argc, const char* const* argv) {
  return *config<Options>(argc, argv, {.name = "tern"});
}

}  // namespace tern
