// Made in two steps: the nondeterministic automaton of Thompson's construction, then the sets of its states that a text
// can lead to.
#include "json/byte_automaton.hpp"

#include <algorithm>
#include <map>

namespace tern::json::detail {
namespace {

using StateIndex = std::uint16_t;
constexpr std::size_t max_steps = 1024;

// A state of the nondeterministic automaton.
struct Step {
  enum class Kind : std::uint8_t { Accept, Set, Fork } kind = Kind::Accept;
  StateIndex next = 0;
  StateIndex other = 0;  // of a Fork
  CharacterSet set = {};
};

class Steps {
public:
  // False if the pattern has too many.
  bool make(const PatternNode& root) {
    StateIndex start = add({});
    if (!prepend(root, start)) return false;
    start_ = start;
    return true;
  }
  StateIndex start() const { return start_; }
  const Step& operator[](StateIndex index) const { return steps_[index]; }
  std::size_t size() const { return steps_.size(); }

private:
  StateIndex add(const Step& step) {
    steps_.push_back(step);
    return static_cast<StateIndex>(steps_.size() - 1);
  }
  // What `node` matches, then what follows from `at`, which becomes the first step of both.
  bool prepend(const PatternNode& node, StateIndex& at);
  bool prepend_choice(const PatternNode& node, StateIndex& at);
  bool prepend_repeat(const PatternNode& node, StateIndex& at);

  std::vector<Step> steps_;
  StateIndex start_ = 0;
};

bool Steps::prepend(const PatternNode& node, StateIndex& at) {
  if (steps_.size() > max_steps) return false;
  switch (node.kind) {
    case PatternNode::Kind::Set: at = add({Step::Kind::Set, at, 0, node.set}); return true;
    case PatternNode::Kind::Sequence:
      for (std::size_t i = node.children.size(); i > 0; --i) {
        if (!prepend(node.children[i - 1], at)) return false;
      }
      return true;
    case PatternNode::Kind::Choice: return prepend_choice(node, at);
    case PatternNode::Kind::Repeat: return prepend_repeat(node, at);
  }
  return false;
}

bool Steps::prepend_choice(const PatternNode& node, StateIndex& at) {
  const StateIndex behind = at;
  if (!prepend(node.children.back(), at)) return false;
  for (std::size_t i = node.children.size() - 1; i > 0; --i) {
    StateIndex branch = behind;
    if (!prepend(node.children[i - 1], branch)) return false;
    at = add({Step::Kind::Fork, branch, at, {}});
  }
  return true;
}

bool Steps::prepend_repeat(const PatternNode& node, StateIndex& at) {
  const PatternNode& child = node.children.front();
  const StateIndex behind = at;
  if (node.max == PatternNode::unlimited) {
    const StateIndex loop = add({Step::Kind::Fork, 0, behind, {}});
    StateIndex body = loop;
    if (!prepend(child, body)) return false;
    steps_[loop].next = body;
    at = loop;
  } else {
    for (std::size_t i = node.min; i < node.max; ++i) {
      if (!prepend(child, at)) return false;
      at = add({Step::Kind::Fork, at, behind, {}});
    }
  }
  for (std::size_t i = 0; i < node.min; ++i) {
    if (!prepend(child, at)) return false;
  }
  return true;
}

}  // namespace

class AutomatonBuilder {
public:
  AutomatonBuilder(const PatternTree& tree, const Steps& steps) : tree_(tree), steps_(steps) {}
  std::optional<ByteAutomaton> build();

private:
  // The steps that one state stands for, which wait for a character or accept; sorted.
  using Members = std::vector<StateIndex>;
  // "<" of two vectors is wrong on big-endian machines until GCC 12.4 (bug 113960 of libstdc++).
  struct Before {
    bool operator()(const Members& left, const Members& right) const {
      return std::ranges::lexicographical_compare(left, right);
    }
  };

  void divide_bytes();
  void add_reachable(StateIndex step, Members& members);
  Members begin();
  Members after(const Members& members, const unsigned char* character);
  std::uint16_t state_of(Members members);
  bool accepts(const Members& members) const;

  const PatternTree& tree_;
  const Steps& steps_;
  ByteAutomaton made_;
  std::vector<unsigned char> samples_;  // of each class but the last, that of bytes beyond ASCII
  std::map<Members, std::uint16_t, Before> states_;
  std::vector<const Members*> pending_;  // by state, from first_live on
  std::vector<bool> visited_;
};

// Bytes that are in the same sets of the pattern.
void AutomatonBuilder::divide_bytes() {
  std::map<std::vector<bool>, std::uint8_t> classes;
  for (unsigned char c = 0; c < 128; ++c) {
    std::vector<bool> sets;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Step& step = steps_[static_cast<StateIndex>(i)];
      if (step.kind == Step::Kind::Set) sets.push_back(step.set.has(c));
    }
    const auto [place, is_new] = classes.try_emplace(std::move(sets), static_cast<std::uint8_t>(classes.size()));
    if (is_new) samples_.push_back(c);
    made_.class_of_[c] = place->second;
  }
  std::fill(made_.class_of_.begin() + 128, made_.class_of_.end(), static_cast<std::uint8_t>(samples_.size()));
  made_.classes_ = samples_.size() + 1;
}

void AutomatonBuilder::add_reachable(StateIndex step, Members& members) {
  std::vector<StateIndex> waiting = {step};
  while (!waiting.empty()) {
    const StateIndex at = waiting.back();
    waiting.pop_back();
    if (visited_[at]) continue;
    visited_[at] = true;
    if (steps_[at].kind == Step::Kind::Fork) {
      waiting.push_back(steps_[at].next);
      waiting.push_back(steps_[at].other);
    } else {
      members.push_back(at);
    }
  }
}

AutomatonBuilder::Members AutomatonBuilder::begin() {
  visited_.assign(steps_.size(), false);
  Members members;
  add_reachable(steps_.start(), members);
  std::ranges::sort(members);
  return members;
}

// Without a character: behind a byte beyond ASCII that no set has.
AutomatonBuilder::Members AutomatonBuilder::after(const Members& members, const unsigned char* character) {
  visited_.assign(steps_.size(), false);
  Members reached;
  for (const StateIndex member : members) {
    const Step& step = steps_[member];
    const bool advances = character != nullptr && step.kind == Step::Kind::Set && step.set.has(*character);
    if (advances) add_reachable(step.next, reached);
  }
  if (!tree_.at_begin) add_reachable(steps_.start(), reached);  // The match may begin here.
  std::ranges::sort(reached);
  return reached;
}

bool AutomatonBuilder::accepts(const Members& members) const {
  return std::ranges::any_of(members, [this](StateIndex at) { return steps_[at].kind == Step::Kind::Accept; });
}

std::uint16_t AutomatonBuilder::state_of(Members members) {
  const bool is_match = accepts(members);
  if (is_match && !tree_.at_end) return static_cast<std::uint16_t>(Match::Yes);
  if (members.empty()) return static_cast<std::uint16_t>(Match::No);
  const auto index = static_cast<std::uint16_t>(made_.verdicts_.size());
  const auto [place, is_new] = states_.try_emplace(std::move(members), index);
  if (is_new) {
    pending_.push_back(&place->first);
    made_.verdicts_.push_back(is_match ? Match::Yes : Match::No);
  }
  return place->second;
}

std::optional<ByteAutomaton> AutomatonBuilder::build() {
  divide_bytes();
  made_.verdicts_ = {Match::No, Match::Yes, Match::Undecided};
  made_.next_.resize(ByteAutomaton::first_live * made_.classes_);  // never read
  made_.start_ = state_of(begin());
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (made_.verdicts_.size() > ByteAutomaton::max_states) return std::nullopt;
    const Members& members = *pending_[i];
    for (const unsigned char sample : samples_) made_.next_.push_back(state_of(after(members, &sample)));
    const bool others_may_match =
        std::ranges::any_of(members, [this](StateIndex at) { return steps_[at].set.has_others; });
    made_.next_.push_back(others_may_match ? static_cast<std::uint16_t>(Match::Undecided)
                                           : state_of(after(members, nullptr)));
  }
  return std::move(made_);
}

std::optional<ByteAutomaton> ByteAutomaton::make(const PatternTree& tree) {
  Steps steps;
  if (!steps.make(tree.root)) return std::nullopt;
  return AutomatonBuilder(tree, steps).build();
}

Match ByteAutomaton::match(std::string_view text) const {
  std::size_t state = start_;
  if (state >= first_live) {
    const std::uint16_t* row = &next_[state * classes_];
    for (const char c : text) {
      const std::size_t to = row[class_of_[static_cast<unsigned char>(c)]];
      if (to == state) continue;  // predicted, so that the next step need not wait for this one
      state = to;
      if (state < first_live) break;
      row = &next_[state * classes_];
    }
  }
  return verdicts_[state];
}

}  // namespace tern::json::detail
