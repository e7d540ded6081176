// The life of a JSON document: parse() makes a DOM of it and refuses what is no JSON; a Reader at its root goes down
// with the calls that reflection generated, each value a Reader on the stack that knows the one it is in; problems
// collect in the ReadState, and make the result an error at the end.

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "json/document.hpp"

namespace tern::json::detail {

namespace {

constexpr std::size_t max_depth = 1000;      // reading recurses
constexpr std::size_t max_kept = 64 * 1024;  // a parser for this much holds about 1 MiB
constexpr std::size_t max_names_kept = 1024;

// One workspace per thread is kept for small documents. It is taken out while in use, so that a JsonCodec may read
// another document; a workspace that grew is dropped.
thread_local std::unique_ptr<Workspace> kept;  // NOLINT: a cache without meaning

class Borrowed {
public:
  Borrowed() : workspace_(std::move(kept)) {
    if (!workspace_) workspace_ = std::make_unique<Workspace>();
  }
  ~Borrowed() {
    if (workspace_->parser.capacity() <= max_kept && workspace_->names.capacity() <= max_names_kept) {
      kept = std::move(workspace_);
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  Workspace& operator*() const { return *workspace_; }

private:
  std::unique_ptr<Workspace> workspace_;
};

}  // namespace

bool read_document(std::string_view text, const Limits& limits, void* out, ReadFunction read, Error& error) {
  const Limits bounded{std::clamp<std::size_t>(limits.depth, 1, max_depth), std::max<std::size_t>(limits.problems, 1),
                       limits.deny_unknown, limits.is_request};
  ReadState state{bounded, error};
  const Borrowed workspace;
  simdjson::dom::element root;
  if (!parse(*workspace, text, state, root)) return false;
  if (!state.full()) {
    Reader reader(state, nullptr, {}, 0, node_of(root));
    read(reader, out);
  }
  return error.problems.empty();
}

}  // namespace tern::json::detail
