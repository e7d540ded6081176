// The states of a configuration.
#include <tern/config/load.hpp>

#include <tern/http/log.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

namespace tern::configuration {
namespace {

void warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) tern::log(LogLevel::Warning, warning);
}

std::vector<std::string> changes(const std::vector<Setting>& before, const std::vector<Setting>& after) {
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].value != after[i].value) changed.push_back(after[i].path);
  }
  return changed;
}

}  // namespace

struct States::Shared {
  using Object = std::unique_ptr<void, void (*)(void*) noexcept>;

  Object make() const { return {maker.make(), maker.destroy}; }

  Loader loader;
  Maker maker;
  std::atomic<std::size_t> owners = 1;
  std::atomic<const void*> current = nullptr;
  std::mutex mutex = {};  // for the others
  std::vector<Object> objects = {};
  std::vector<Setting> settings = {};
  std::vector<base::Function<void(const void*, const void*)>> listeners = {};
};

States::States(Loader loader, Maker maker) : shared_(new Shared{std::move(loader), maker}) {}

States::States(const States& other) noexcept : shared_(other.shared_) {
  ++shared_->owners;
}

States::~States() {
  if (shared_ != nullptr && --shared_->owners == 0) delete shared_;
}

Reading States::begin() {
  Shared::Object first = shared_->make();
  Reading reading = shared_->loader.read(first.get());
  warn(reading.warnings);
  if (!reading.is_valid) return reading;
  shared_->current = first.get();
  shared_->objects.push_back(std::move(first));
  shared_->settings = reading.settings;
  return reading;
}

const void* States::current() const noexcept {
  return shared_->current.load(std::memory_order_acquire);
}

std::vector<Setting> States::settings() const {
  const std::lock_guard lock(shared_->mutex);
  return shared_->settings;
}

void States::on_change(base::Function<void(const void*, const void*)> listener) {
  const std::lock_guard lock(shared_->mutex);
  shared_->listeners.push_back(std::move(listener));
}

ConfigReload States::reload() {
  const std::lock_guard lock(shared_->mutex);
  Shared::Object fresh = shared_->make();
  Reading reading = shared_->loader.read(fresh.get());
  warn(reading.warnings);
  ConfigReload result;
  if (!reading.is_valid) {
    result.faults = std::move(reading.exit.faults);
    return result;
  }
  result.changed = changes(shared_->settings, reading.settings);
  if (result.changed.empty()) return result;
  const void* const before = shared_->current.load(std::memory_order_relaxed);
  const void* const after = fresh.get();
  shared_->objects.push_back(std::move(fresh));
  shared_->settings = std::move(reading.settings);
  shared_->current.store(after, std::memory_order_release);
  for (const auto& listener : shared_->listeners) listener(before, after);
  return result;
}

}  // namespace tern::configuration
