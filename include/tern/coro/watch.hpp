// Watch: reports readiness of a descriptor that another library owns, such as a database client.
#pragma once

namespace tern {

// Watches one descriptor. Made by Executor::watch(); used on the executor's thread, or while the executor does not run.
class Watch {
public:
  // Called directly from the executor's loop. May destroy the watch.
  class Handler {
  public:
    Handler(const Handler&) = delete;
    Handler& operator=(const Handler&) = delete;
    // Reports only requested readiness. An error or the peer's end counts as either.
    virtual void on_ready(bool readable, bool writable) noexcept = 0;
    // Whether the peer is expected to act, such as to reply. While no peer is, the clock of a test client advances
    // without waiting for the descriptors.
    virtual bool awaits_peer() const noexcept { return true; }

  protected:
    Handler() = default;
    ~Handler() = default;
  };

  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  // Ends the notifications. The descriptor must be closed afterwards, not before.
  virtual ~Watch() = default;

  // Sets the requested readiness, level-triggered; initially none. False, with errno, on failure.
  [[nodiscard]] virtual bool want(bool readable, bool writable) noexcept = 0;

protected:
  Watch() = default;
};

}  // namespace tern
