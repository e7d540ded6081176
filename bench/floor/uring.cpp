// The floor with io_uring: multishot accept and receive into a ring of buffers, sends by the ordinary call, which
// measured the same as by the ring.
#include "answer.hpp"

#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

namespace bench {
namespace {

constexpr unsigned entries = 4096;
constexpr std::size_t buffer_size = 16 * 1024;
constexpr unsigned buffer_count = 1024;
constexpr int group = 0;

class Floor {
public:
  explicit Floor(int listener) : listener_(listener) {}

  bool start() {
    io_uring_params params = {};
    params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE;
    params.cq_entries = 4 * entries;
    if (io_uring_queue_init_params(entries, &ring_, &params) != 0) return false;
    return give_buffers();
  }

  void run() {
    accept();
    while (true) {
      io_uring_submit_and_wait(&ring_, 1);
      unsigned head = 0;
      unsigned seen = 0;
      io_uring_cqe* completion = nullptr;
      io_uring_for_each_cqe(&ring_, head, completion) {
        ++seen;
        if (completion->user_data == static_cast<std::uint64_t>(listener_)) {
          accepted(*completion);
        } else {
          received(*completion);
        }
      }
      io_uring_cq_advance(&ring_, seen);
    }
  }

private:
  bool give_buffers() {
    const std::size_t size = buffer_count * sizeof(io_uring_buf);
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE, -1, 0);
    if (memory == MAP_FAILED) return false;
    buffers_ = static_cast<io_uring_buf_ring*>(memory);
    io_uring_buf_reg registration = {};
    registration.ring_addr = reinterpret_cast<std::uint64_t>(memory);
    registration.ring_entries = buffer_count;
    registration.bgid = group;
    if (io_uring_register_buf_ring(&ring_, &registration, 0) != 0) return false;
    io_uring_buf_ring_init(buffers_);
    for (unsigned i = 0; i < buffer_count; ++i) give_back(i);
    return true;
  }

  void give_back(unsigned buffer) {
    io_uring_buf_ring_add(buffers_, &memory_[buffer * buffer_size], buffer_size, static_cast<unsigned short>(buffer),
                          io_uring_buf_ring_mask(buffer_count), 0);
    io_uring_buf_ring_advance(buffers_, 1);
  }

  io_uring_sqe& request() {
    io_uring_sqe* entry = io_uring_get_sqe(&ring_);
    while (entry == nullptr) {
      io_uring_submit(&ring_);
      entry = io_uring_get_sqe(&ring_);
    }
    return *entry;
  }

  void accept() {
    io_uring_sqe& entry = request();
    io_uring_prep_multishot_accept(&entry, listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    entry.user_data = static_cast<std::uint64_t>(listener_);
  }

  void receive(int socket) {
    io_uring_sqe& entry = request();
    io_uring_prep_recv_multishot(&entry, socket, nullptr, 0, 0);
    entry.flags |= IOSQE_BUFFER_SELECT;
    entry.buf_group = group;
    entry.user_data = static_cast<std::uint64_t>(socket);
  }

  void accepted(const io_uring_cqe& completion) {
    if (completion.res >= 0) {
      no_delay(completion.res);
      connections_[static_cast<std::size_t>(completion.res)] = {};
      receive(completion.res);
    }
    if ((completion.flags & IORING_CQE_F_MORE) == 0) accept();
  }

  void received(const io_uring_cqe& completion) {
    const int socket = static_cast<int>(completion.user_data);
    const bool more = (completion.flags & IORING_CQE_F_MORE) != 0;
    if (completion.res > 0) {
      const unsigned buffer = completion.flags >> IORING_CQE_BUFFER_SHIFT;
      answer_to(socket, {&memory_[buffer * buffer_size], static_cast<std::size_t>(completion.res)});
      give_back(buffer);
      if (!more) receive(socket);
    } else if (completion.res == -ENOBUFS) {
      if (!more) receive(socket);
    } else if (!more) {
      close(socket);
    }
  }

  // Ends a connection by shutdown: it is closed when its multishot receive has ended.
  void answer_to(int socket, std::string_view bytes) {
    Requests& requests = connections_[static_cast<std::size_t>(socket)];
    const std::size_t count = requests.count(bytes);
    if (count == 0) return;
    const std::string_view owed = answers_.owed(count, requests.old());
    const bool sent = send(socket, owed.data(), owed.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(owed.size());
    if (!sent || owed.empty() || requests.closes()) shutdown(socket, SHUT_RDWR);
  }

  int listener_;
  io_uring ring_ = {};
  io_uring_buf_ring* buffers_ = nullptr;
  Answers answers_ = {};
  std::vector<char> memory_ = std::vector<char>(buffer_count * buffer_size);
  std::vector<Requests> connections_ = std::vector<Requests>(descriptor_limit());
};

}  // namespace

bool serve_uring(int listener) {
  Floor floor(listener);
  if (!floor.start()) return false;
  floor.run();
  return true;
}

}  // namespace bench
