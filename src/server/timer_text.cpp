#include "server/timer_text.hpp"

#include "coro/wait_chain.hpp"
#include "server/wait_text.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace tern::server {
namespace {

struct Due {
  std::uint64_t at;
  TimerPurpose purpose;
};

constexpr auto later = [](const Due& a, const Due& b) { return a.at < b.at; };  // of a heap with the latest on top

void count_kind(std::vector<http::TimerKind>& kinds, std::string_view what) {
  const auto found = std::ranges::find(kinds, what, &http::TimerKind::what);
  if (found != kinds.end()) {
    ++found->count;
  } else {
    kinds.push_back({std::string(what), 1});
  }
}

std::string text_of(const TimerPurpose& purpose) {
  std::string text = purpose.what;
  if (purpose.file != nullptr) {
    const std::string_view path = purpose.file;
    text.append(": ").append(path.substr(path.rfind('/') + 1)).append(":").append(std::to_string(purpose.line));
  } else if (purpose.waiting.handle) {
    text.append(": ").append(chain_text(coro::chain_from(purpose.waiting)));
  }
  return text;
}

}  // namespace

ArmedTimers armed_timers(const net::Loop& loop, std::size_t max) {
  ArmedTimers found;
  std::vector<Due> soonest;  // a heap
  loop.armed_timers().for_each([&](const Timer& timer) {
    ++found.count;
    const TimerPurpose purpose = timer.purpose();
    if (purpose.what == nullptr) return;
    count_kind(found.kinds, purpose.what);
    soonest.push_back({std::max(purpose.due, net::TimerWheel::due(timer)), purpose});
    std::ranges::push_heap(soonest, later);
    if (soonest.size() <= max) return;
    std::ranges::pop_heap(soonest, later);
    soonest.pop_back();
  });
  std::ranges::sort_heap(soonest, later);
  std::ranges::sort(found.kinds, [](const http::TimerKind& a, const http::TimerKind& b) {
    return a.count != b.count ? a.count > b.count : a.what < b.what;
  });
  const std::uint64_t now = loop.now();
  for (const Due& due : soonest) {
    found.next.push_back({due.at > now ? due.at - now : 0, text_of(due.purpose)});
  }
  return found;
}

}  // namespace tern::server
