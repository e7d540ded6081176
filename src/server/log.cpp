#include "server/log.hpp"

#include <tern/base/number.hpp>

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <utility>

namespace tern::server {
namespace {

// Past it, lines are dropped and counted: a disk that hangs must not fill the memory.
constexpr std::size_t most_waiting_bytes = 16 * 1024 * 1024;

std::shared_ptr<spdlog::logger> make_logger(const char* name, const std::string& file, bool to_stderr,
                                            const char* pattern) {
  spdlog::sink_ptr sink;
  if (!file.empty()) {
    sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file);
  } else if (to_stderr) {
    sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  } else {
    sink = std::make_shared<spdlog::sinks::stdout_sink_mt>();
  }
  auto logger = std::make_shared<spdlog::logger>(name, std::move(sink));
  logger->set_pattern(pattern);
  logger->set_level(spdlog::level::trace);
  return logger;
}

spdlog::level::level_enum to_spdlog(Severity severity) {
  switch (severity) {
    case Severity::Debug: return spdlog::level::debug;
    case Severity::Info: return spdlog::level::info;
    case Severity::Warning: return spdlog::level::warn;
    case Severity::Error: return spdlog::level::err;
    case Severity::Off: break;
  }
  return spdlog::level::off;
}

std::string escaped(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      out += c;
    } else {
      out.append("\\x").append(1, digits[byte >> 4U]).append(1, digits[byte & 0xFU]);
    }
  }
  return out;
}

}  // namespace

Log::Log(const Options& options)
    : level_(options.level),
      errors_(make_logger("tern", options.error_file, true, "%Y-%m-%dT%H:%M:%S.%e%z %l %v")),
      writer_() {
  if (options.access) accesses_ = make_logger("tern.access", options.access_file, false, "%v");
  writer_ = std::thread([this] { run(); });
}

Log::~Log() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  ready_.notify_one();
  writer_.join();
}

void Log::write(Severity severity, std::string_view message) {
  if (writes(severity)) enqueue({false, severity, escaped(message)});
}

void Log::failure(std::string_view what, const std::exception_ptr& thrown) noexcept {
  try {
    std::string message(what);
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& exception) {
      message.append(": ").append(exception.what());
    } catch (...) {
      message.append(": an exception that is no std::exception");
    }
    error(message);
  } catch (...) {  // without memory there is no report either
  }
}

void Log::access(std::string lines) {
  if (!lines.empty()) enqueue({true, Severity::Info, std::move(lines)});
}

void Log::enqueue(Item item) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_bytes_ + item.text.size() > most_waiting_bytes) {
      ++dropped_;
      return;
    }
    waiting_bytes_ += item.text.size();
    items_.push_back(std::move(item));
  }
  ready_.notify_one();
}

void Log::run() {
  std::vector<Item> batch;
  while (true) {
    std::size_t dropped = 0;
    bool ending = false;
    {
      std::unique_lock lock(mutex_);
      ready_.wait(lock, [this] { return ending_ || !items_.empty(); });
      batch.swap(items_);
      waiting_bytes_ = 0;
      dropped = std::exchange(dropped_, 0);
      ending = ending_;
    }
    for (const Item& item : batch) emit(item);
    if (dropped != 0) {
      std::string message = "log lines were dropped because they could not be written in time; batches lost: ";
      base::append_integer(message, dropped);
      emit({false, Severity::Error, std::move(message)});
    }
    batch.clear();
    errors_->flush();
    if (accesses_) accesses_->flush();
    if (ending) return;
  }
}

void Log::emit(const Item& item) {
  if (item.is_access) {
    // spdlog ends each message with a line feed of its own.
    if (accesses_) accesses_->log(spdlog::level::info, spdlog::string_view_t(item.text.data(), item.text.size() - 1));
  } else {
    errors_->log(to_spdlog(item.severity), spdlog::string_view_t(item.text.data(), item.text.size()));
  }
}

}  // namespace tern::server
