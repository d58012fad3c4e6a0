#include "store/write/session_cache.hpp"

#include "store/write/outcome.hpp"

#include <algorithm>
#include <vector>

namespace memd::assembly {
namespace {
constexpr std::size_t kKeptSessions = 24;

void recall_what_events_said(SessionWork& s) {
  const ExchangeDraft& d = s.draft;
  if (s.has_draft)
    s.said = {!d.cwd.empty(), !d.git_branch.empty(), !d.model.empty(), !d.agent_version.empty()};
  else if (s.next_seq > 0)
    s.said = {!s.cwd.empty(), !s.git_branch.empty(), !s.model.empty(), !s.agent_version.empty()};
}

}  // namespace

SessionWork& SessionCache::get(std::string_view uid, TimeMs now) {
  ++tick_;
  auto it = sessions_.find(uid);
  if (it == sessions_.end()) {
    auto loaded = rows_.load(uid);
    if (loaded) {
      history_.load(*loaded);
      loaded->has_draft = exchanges_.load_newest(loaded->pk, loaded->next_exchange, loaded->draft);
      loaded->last_test_failed = rows_.last_test_failed(loaded->pk);
      recall_what_events_said(*loaded);
    } else {
      loaded = rows_.create(uid, now);
    }
    it = sessions_.emplace(uid, std::move(*loaded)).first;
  }
  it->second.last_used = tick_;
  return it->second;
}

void SessionCache::drop(std::string_view uid) { sessions_.erase(std::string(uid)); }

bool SessionCache::exists(std::string_view uid) { return sessions_.contains(uid) || rows_.load(uid).has_value(); }

void SessionCache::settle(SessionWork& s, TimeMs now) {
  using State = memd::SessionState;
  const auto move_to = [&](State to) {
    if (is_legal_transition(s.lifecycle, to)) s.lifecycle = to;
  };
  const TimeMs ended_at = s.history.empty() ? s.ended_at : std::max(s.ended_at, s.history.back().time);
  if (s.next_seq > 0 || !s.history.empty()) move_to(State::active);
  if (ended_at != 0 && now - ended_at > kIdleStops) move_to(State::stopped);
  s.outcome = judge_outcome(s);
}

void SessionCache::flush(TimeMs now) {
  // In the order of their keys, so that the full-text index sees growing row ids.
  std::vector<SessionWork*> dirty;
  for (auto& [uid, s] : sessions_)
    if (s.dirty || (s.has_draft && s.draft.dirty)) dirty.push_back(&s);
  std::sort(dirty.begin(), dirty.end(), [](const auto* a, const auto* b) { return a->draft.pk < b->draft.pk; });
  for (SessionWork* s : dirty) {
    settle(*s, now);
    history_.store(*s, now);
    if (s->made_by_history && s->next_seq == 0 && s->history.empty() && rows_.remove_empty(s->pk)) {
      sessions_.erase(std::string(s->uid));
      continue;
    }
    rows_.save(*s, now);
    if (s->has_draft && s->draft.dirty) exchanges_.save(*s, s->draft, now);
  }

  if (sessions_.size() <= kKeptSessions) return;
  std::vector<std::pair<std::uint64_t, std::string>> by_use;
  for (const auto& [uid, s] : sessions_)
    by_use.emplace_back(s.last_used, uid);
  std::sort(by_use.begin(), by_use.end());
  by_use.resize(by_use.size() - kKeptSessions);
  for (const auto& [use, uid] : by_use)
    sessions_.erase(uid);
}

}  // namespace memd::assembly
