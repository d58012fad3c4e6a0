#include "daemon/ingest/forgotten_turns.hpp"

#include "adapters/adapter.hpp"
#include "schemas/base/hash.hpp"
#include "store/raw/raw_frame.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>

namespace memd {
namespace {

bool opens_exchange(const Event& e) { return e.kind == EventKind::user_msg && e.starts_exchange; }

std::uint64_t hash_of_masked(std::string text) {
  redact(text);
  return hash64(text);
}

}  // namespace

void ForgottenTurns::reset(const std::vector<CutOffSession>& cut_off) {
  inside_.clear();
  for (const auto& [uid, number] : cut_off)
    if (withheld_.has_exchange(uid, number)) inside_.insert(uid);
}

void ForgottenTurns::restart(std::string_view session_uid) {
  if (const auto it = inside_.find(session_uid); it != inside_.end()) inside_.erase(it);
}

bool ForgottenTurns::is_forgotten(const Event& e) const {
  if (withheld_.has_event(e.event_id)) return true;
  const bool is_listed = e.kind == EventKind::user_msg && e.origin == Origin::history;
  if (!is_listed && !opens_exchange(e)) return false;
  const ForgottenExchange::Prompt prompt{hash_of_masked(e.text), e.time};
  return withheld_.has_prompt(prompt) ||
         (is_listed && withheld_.has_exchange_of(e.session_uid) && withheld_.has_prompt(prompt, e.session_uid));
}

bool ForgottenTurns::may_have(const EventBatch& batch, const EventBatch::Length& first,
                              std::string_view session_uid) const {
  if (!withheld_.forgot_exchanges()) return false;
  if (inside_.contains(session_uid)) return true;
  return std::any_of(batch.events.begin() + static_cast<std::ptrdiff_t>(first.events), batch.events.end(),
                     [this](const Event& e) { return inside_.contains(e.session_uid) || is_forgotten(e); });
}

bool ForgottenTurns::has(const EventBatch& batch, const EventBatch::Length& first, std::string_view session_uid) {
  if (!withheld_.forgot_exchanges()) return false;
  if (batch.events.size() == first.events)
    return batch.sessions.size() == first.sessions && inside_.contains(session_uid);
  bool found = false;
  for (std::size_t i = first.events; i < batch.events.size(); ++i) {
    const Event& e = batch.events[i];
    const bool is_listed = e.origin == Origin::history;
    if (is_forgotten(e)) {
      if (!is_listed) inside_.insert(e.session_uid);
      return true;
    }
    if (opens_exchange(e) && !is_listed) restart(e.session_uid);
    found = found || inside_.contains(e.session_uid);
  }
  return found;
}

namespace {

class RecordJudge {
 public:
  explicit RecordJudge(const Withheld& withheld) : withheld_(withheld), turns_(withheld) {}

  bool operator()(const raw::FrameHeader& header, std::string_view record, std::uint64_t place) {
    const bool is_item = header.kind == raw::FrameKind::items;
    const bool is_shared = header.session_uid.empty() && !is_item;
    // The log of another session may hold only a forgotten session's title, which is short.
    constexpr std::size_t kLongestTitle = 4096;
    const bool may_be_of_session = !is_item && (is_shared || record.size() <= kLongestTitle);
    if (!withheld_.forgot_exchanges() && !may_be_of_session) return false;
    const Adapter* adapter = find_adapter(header.platform);
    if (adapter == nullptr) return false;
    Source source;
    static_cast<SourceName&>(source) = header;
    if (is_item) source.session_uid = header.session();
    EventBatch batch;
    adapter->open(source)->decode({record, place, false}, batch);
    if (place <= (is_item ? 1U : 0U)) turns_.restart(source.session_uid);
    return turns_.has(batch, {}, source.session_uid) || (may_be_of_session && is_of_session(batch, is_shared));
  }

 private:
  bool is_of_session(const EventBatch& batch, bool is_shared) const {
    const auto forgotten = [&](const auto& of) { return withheld_.has_session(of.session_uid); };
    const auto points_there = [&](const SessionUpdate& of) {
      return of.title_record_key != 0 && withheld_.has_record(of.title_record_key);
    };
    return std::any_of(batch.sessions.begin(), batch.sessions.end(), points_there) ||
           (is_shared && (std::any_of(batch.events.begin(), batch.events.end(), forgotten) ||
                          std::any_of(batch.sessions.begin(), batch.sessions.end(), forgotten)));
  }

  const Withheld& withheld_;
  ForgottenTurns turns_;
};

}  // namespace

std::function<bool(const raw::FrameHeader&, std::string_view, std::uint64_t)> judge_of_records(
    const Withheld& withheld) {
  return RecordJudge(withheld);
}

}  // namespace memd
