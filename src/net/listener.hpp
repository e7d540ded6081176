// A listening socket on a loop: accepts, and hands the connections on.
#pragma once

#include "net/epoll.hpp"
#include "net/listen_socket.hpp"

#include <tern/coro/executor.hpp>

#include <cstdint>

namespace tern::net {

class Loop;

// On the loop's thread.
class AcceptHandler {
public:
  AcceptHandler(const AcceptHandler&) = delete;
  AcceptHandler& operator=(const AcceptHandler&) = delete;

  // A new connection: non-blocking, closed on exec, TCP_NODELAY. May pause() and close() the listener, not destroy it.
  // Must not throw.
  virtual void on_accept(Descriptor socket, const Address& remote) = 0;

  // Accepting pauses because the process has no free descriptors (EMFILE, ENFILE) or the kernel no memory. Called again
  // for each failed attempt. Must not throw.
  virtual void on_accept_paused(int error) = 0;

protected:
  AcceptHandler() = default;
  ~AcceptHandler() = default;
};

// When the process runs out of descriptors (or the kernel out of memory) accepting stops, instead of spinning, until a
// stream of this loop has closed or 100 ms have passed.
class Listener final : private Watched, private Timer {
public:
  Listener() noexcept = default;
  ~Listener() { close(); }

  // `handler` outlives the listener's close(). False, with errno, when the kernel refuses to watch the socket.
  [[nodiscard]] bool open(Loop& loop, ListenSocket socket, AcceptHandler& handler);

  // No on_accept() until resume(): connections wait in the kernel's queue.
  void pause();
  void resume();
  bool paused() const noexcept { return paused_; }

  // Accepts everything that waits in the kernel's queue at this moment, even when paused; clients whose connection the
  // kernel has already completed would be reset by close().
  void drain_accept_queue();

  // Stops listening. A second call does nothing.
  void close();

  bool is_open() const noexcept { return static_cast<bool>(socket_.descriptor); }
  const Address& address() const noexcept { return socket_.address; }
  const std::string& name() const noexcept { return socket_.name; }

private:
  friend class Loop;

  void on_ready(std::uint32_t events) override;
  void on_timer() noexcept override { on_descriptor_available(); }
  TimerPurpose purpose() const noexcept override { return {.what = "accept again"}; }
  bool accept_one();  // false when there is nothing more to accept for now
  void wait_for_descriptor();
  void on_descriptor_available();  // perhaps: tries again
  void stop_waiting_for_descriptor() noexcept;
  void resume_watching();
  void watch();

  Loop* loop_ = nullptr;
  AcceptHandler* handler_ = nullptr;
  ListenSocket socket_;
  bool paused_ = false;
  bool waits_for_descriptor_ = false;
  bool watching_ = false;
};

}  // namespace tern::net
