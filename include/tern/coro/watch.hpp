// Watch: when a descriptor that belongs to another library, such as a database's client, can be read or written.
#pragma once

namespace tern {

// Of one descriptor, made by Executor::watch(), used on the executor's thread or while the executor does not run.
class Watch {
public:
  // Called straight from the executor's loop. May destroy the watch.
  class Handler {
  public:
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    // Only what is wanted is told. An error or the peer's end counts as either.
    virtual void on_ready(bool readable, bool writable) noexcept = 0;

  protected:
    Handler() = default;
    ~Handler() = default;
  };

  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Nothing is told any more. The descriptor is closed after that, not before.
  virtual ~Watch() = default;

  // What to tell the handler of, as long as it lasts; at first, nothing. False, with errno, when the kernel refuses.
  [[nodiscard]] virtual bool want(bool readable, bool writable) noexcept = 0;

protected:
  Watch() = default;
};

}  // namespace tern
