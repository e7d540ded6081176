#include "json/run_pattern.hpp"

#include <algorithm>

namespace tern::json::detail {
namespace {

constexpr std::size_t max_runs = 64;
constexpr std::size_t max_sets = 8;
constexpr std::size_t no_limit = PatternNode::unlimited;

struct SetRun {
  CharacterSet set;
  std::size_t min;
  std::size_t max;
};

std::size_t sum(std::size_t a, std::size_t b) {
  return a == no_limit || b == no_limit ? no_limit : a + b;
}

bool append_run(const CharacterSet& set, std::size_t min, std::size_t max, std::vector<SetRun>& runs) {
  if (max == 0) return true;
  if (!runs.empty() && runs.back().set == set) {
    runs.back().min += min;
    runs.back().max = sum(runs.back().max, max);
    return true;
  }
  runs.push_back({set, min, max});
  return runs.size() <= max_runs;
}

bool append_runs(const PatternNode& node, std::vector<SetRun>& runs) {
  switch (node.kind) {
    case PatternNode::Kind::Set: return append_run(node.set, 1, 1, runs);
    case PatternNode::Kind::Choice: return false;
    case PatternNode::Kind::Sequence:
      return std::ranges::all_of(node.children, [&runs](const PatternNode& child) { return append_runs(child, runs); });
    case PatternNode::Kind::Repeat: {
      const PatternNode& child = node.children.front();
      if (child.kind == PatternNode::Kind::Set) return append_run(child.set, node.min, node.max, runs);
      if (node.min != node.max || node.min > max_runs) return false;
      for (std::size_t i = 0; i < node.min; ++i) {
        if (!append_runs(child, runs)) return false;
      }
      return true;
    }
  }
  return false;
}

// Whether a run ends where its characters end.
bool is_greedy(const std::vector<SetRun>& runs) {
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i].min == runs[i].max) continue;
    for (std::size_t next = i + 1; next < runs.size(); ++next) {
      if (runs[i].set.intersects(runs[next].set)) return false;
      if (runs[next].min > 0) break;
    }
  }
  return true;
}

}  // namespace

std::optional<RunPattern> RunPattern::make(const PatternTree& tree) {
  std::vector<SetRun> runs;
  if (!tree.at_begin || !append_runs(tree.root, runs) || !is_greedy(runs)) return std::nullopt;
  RunPattern made;
  made.at_end_ = tree.at_end;
  std::vector<CharacterSet> sets;
  for (const SetRun& run : runs) {
    const auto found = std::ranges::find(sets, run.set);
    const auto index = static_cast<std::size_t>(found - sets.begin());
    const auto bit = static_cast<unsigned char>(1U << (index % max_sets));
    if (found == sets.end()) {
      if (sets.size() == max_sets) return std::nullopt;
      sets.push_back(run.set);
      for (unsigned char c = 0; c < 128; ++c) {
        if (run.set.has(c)) made.sets_[c] = static_cast<unsigned char>(made.sets_[c] | bit);
      }
    }
    made.runs_.push_back({run.min, run.max, bit, run.set.has_others});
  }
  return made;
}

Match RunPattern::match(std::string_view text) const {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (const Run& run : runs_) {
    const char* const begin = at;
    const char* const limit = run.max < static_cast<std::size_t>(end - at) ? at + run.max : end;
    while (at != limit && (sets_[static_cast<unsigned char>(*at)] & run.bit) != 0) ++at;
    if (run.has_others && at != limit && static_cast<unsigned char>(*at) >= 128) return Match::Undecided;
    if (static_cast<std::size_t>(at - begin) < run.min) return Match::No;
  }
  return !at_end_ || at == end ? Match::Yes : Match::No;
}

}  // namespace tern::json::detail
