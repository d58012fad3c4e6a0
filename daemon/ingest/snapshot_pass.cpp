#include "daemon/ingest/snapshot_pass.hpp"

#include "daemon/ingest/capture_gate.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/forgotten.hpp"
#include "schemas/ids.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace memd {
namespace {

using Keys = std::unordered_set<std::string_view>;

// Returns the first item that may be read again. Items before it stay, changed or not: an item after them could not be
// read again.
std::size_t first_that_may_change(std::span<const SourceItem> known, const std::vector<bool>& is_gone) {
  const auto starts = [&](std::size_t i) { return known[i].starts_exchange; };
  std::size_t newest = known.size();
  while (newest > 0 && !starts(newest - 1))
    --newest;
  if (newest == 0) return 0;  // no item starts an exchange: all form one
  --newest;
  if (is_gone[newest]) return newest;
  std::size_t first = newest;
  while (first > 0 && !is_gone[first - 1])
    --first;
  if (first == 0) return 0;
  while (!starts(first))
    ++first;
  return first;
}

}  // namespace

SessionDiff compare_session(std::span<const SourceItem> known, const SnapshotReader::Session& session) {
  const std::vector<SnapshotReader::Item>& listed = session.items;
  Keys listed_keys;
  for (const auto& item : listed)
    listed_keys.insert(item.key);
  std::vector<bool> is_gone(known.size());
  for (std::size_t i = 0; i < known.size(); ++i)
    is_gone[i] = !listed_keys.contains(known[i].key);

  if (session.replaces_poorer_source) known = {};
  const std::size_t fixed = first_that_may_change(known, is_gone);
  Keys settled;  // keys of kept items
  for (std::size_t i = 0; i < fixed; ++i)
    settled.insert(known[i].key);

  SessionDiff diff;
  diff.keep = static_cast<std::uint32_t>(known.size());
  std::size_t at = 0;
  const auto skip_settled = [&] {
    while (at < listed.size() && settled.contains(listed[at].key))
      ++at;
  };
  std::size_t back = fixed;  // the start of the exchange being compared
  std::size_t back_at = 0;   // its index in the list
  bool any_exchange = fixed > 0;
  for (std::size_t i = fixed; i < known.size(); ++i) {
    skip_settled();
    // Items before the first exchange go back with it: they are few, and nothing else records them.
    if (known[i].starts_exchange && any_exchange) back = i, back_at = at;
    any_exchange = any_exchange || known[i].starts_exchange;
    if (is_gone[i]) continue;  // gone from the newest exchange
    const bool came_back = known[i].gone;
    const bool same = at < listed.size() && listed[at].key == known[i].key && !came_back &&
                      (listed[at].version == 0 || listed[at].version == known[i].version);
    if (same) {
      ++at;
      continue;
    }
    diff.keep = static_cast<std::uint32_t>(back);
    at = back_at;
    break;
  }
  for (std::size_t i = fixed; i < diff.keep; ++i)
    settled.insert(known[i].key);
  for (; at < listed.size(); ++at)
    if (settled.insert(listed[at].key).second) diff.added.push_back(at);
  for (std::size_t i = 0; i < diff.keep; ++i)
    if (is_gone[i] && !known[i].gone) diff.gone.push_back(static_cast<std::uint32_t>(i + 1));
  return diff;
}

namespace {

// Copies the known versions to listed items without one, for the case that they are read again.
void take_over_versions(std::span<const SourceItem> known, std::span<SnapshotReader::Item> listed) {
  std::unordered_map<std::string_view, const SourceItem*> by_key;
  for (const auto& item : known)
    by_key.emplace(item.key, &item);
  for (auto& item : listed) {
    if (item.version != 0) continue;
    const auto it = by_key.find(item.key);
    if (it == by_key.end()) continue;
    item.version = it->second->version;
    item.ledger_bytes = it->second->ledger.bytes;
  }
}

}  // namespace

Result<void> SnapshotPass::begin(SnapshotReader& reader, Source& source) {
  MEMD_TRY_ASSIGN(plan_, reader.plan(source.mark));
  if (plan_->unchanged) plan_->sessions.clear(), plan_->rest.clear();
  if (plan_->complete) MEMD_TRY(add_gone_sessions(source.platform));
  const bool known = source.id != 0 && source.state == SourceState::active && source.failures == 0;
  // Only the store knows the size of the ledger; it reported it after the last pass.
  if (!plan_->size_is_estimate || !known) {
    worth_a_slice_ = !known || source.size != plan_->size;
    source.size = plan_->size;
  } else {
    worth_a_slice_ = false;
  }
  worth_a_slice_ = worth_a_slice_ || source.cursor != source.size || !plan_->rest.empty();
  source.state = SourceState::active;
  source.state_reason.clear();
  source.failures = 0;
  source.retry_at = 0;
  return {};
}

// Adds sessions that are gone. They come first because they are the quickest to read.
Result<void> SnapshotPass::add_gone_sessions(Platform platform) {
  MEMD_TRY_ASSIGN(const auto known, memory_.sessions());
  std::unordered_set<std::string> there;
  for (const auto& key : plan_->sessions) {
    std::string uid = make_session_uid(platform, key);
    if (limits_.gate != nullptr && limits_.gate->is_forgotten(uid)) there.insert(limits_.gate->alias(uid));
    there.insert(std::move(uid));
  }
  std::vector<std::string> gone;
  for (const auto& uid : known)
    if (const auto parts = split_session_uid(uid); parts && !there.contains(uid)) gone.emplace_back(parts->native_id);
  plan_->sessions.insert(plan_->sessions.begin(), gone.begin(), gone.end());
  gone_ = gone.size();
  return {};
}

Result<SnapshotPass::Outcome> SnapshotPass::next(SnapshotReader& reader, Source& source) {
  Outcome out;
  if (!plan_) {
    MEMD_TRY(begin(reader, source));
  }
  SourceSlice slice;
  slice.adapter_version = adapter_.describe().adapter_version;
  for (std::size_t looked_at = 0; !current_ && next_session_ < plan_->sessions.size(); ++looked_at) {
    if (looked_at == limits_.sessions_at_a_time) {
      out.more = true;
      return out;
    }
    MEMD_TRY_ASSIGN(const bool found, open_session(reader, source, plan_->sessions[next_session_]));
    ++next_session_;
    if (!found) current_.reset();
  }
  if (current_) {
    MEMD_TRY(read_items(reader, source, slice, out.bytes));
    if (current_->read == current_->diff.added.size()) current_.reset();
  }
  out.more = current_ || next_session_ < plan_->sessions.size();
  if (!out.more) {
    finish(source, slice);
    out.unsure = plan_->unsure;
  }
  worth_a_slice_ = worth_a_slice_ || slice.items;
  if (!worth_a_slice_) return out;  // a new mark alone is kept in memory, not stored
  slice.source = source;
  if (out.more) slice.source.cursor = 0;  // the store sets it from the ledger until the end is reached
  out.slice = std::move(slice);
  return out;
}

void SnapshotPass::finish(Source& source, SourceSlice& slice) {
  slice.rest = std::move(plan_->rest);
  slice.size_is_estimate = plan_->size_is_estimate;
  source.mark = std::move(plan_->mark);
  // A mark may name the sessions that changed last. A key may begin like a longer one.
  std::sort(forgotten_.begin(), forgotten_.end(),
            [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  for (const auto& [key, alias] : forgotten_)
    for (auto at = source.mark.find(key); at != std::string::npos; at = source.mark.find(key, at + alias.size()))
      source.mark.replace(at, key.size(), alias);
  source.cursor = source.size;
}

// Makes the session the current one. False: it equals the stored one.
Result<bool> SnapshotPass::open_session(SnapshotReader& reader, const Source& source, const std::string& key) {
  if (key.starts_with(kForgottenAlias) && next_session_ >= gone_) return false;  // named by the mark
  std::string uid = make_session_uid(source.platform, key);
  MEMD_TRY_ASSIGN(SessionItems known, memory_.items(uid));
  MEMD_TRY_ASSIGN(auto session, reader.session(key, known.added));
  if (session && session->session_uid != uid) {  // its id differs from the key
    uid = session->session_uid;
    MEMD_TRY_ASSIGN(known, memory_.items(uid));
    if (!known.added.empty()) {
      MEMD_TRY_ASSIGN(session, reader.session(key, known.added));
    }
  }
  if (limits_.gate != nullptr && limits_.gate->is_forgotten(uid)) return open_forgotten(reader, key, uid, session);
  if (!session) {
    session.emplace();
    session->session_uid = uid;
    if (known.added.empty() && !known.has_head) return false;
  }
  Current& current = current_.emplace();
  current.key = key;
  current.session = std::move(*session);
  current.diff = compare_session(known.added, current.session);
  take_over_versions(known.added, current.session.items);
  if (limits_.gate != nullptr && current.diff.keep == 0) limits_.gate->restart(uid);
  if (const auto& head = current.session.head) {
    const bool changed =
        !known.has_head || known.head.gone || (head->version != 0 && head->version != known.head.version);
    // A new or rewritten session also needs its head.
    current.head =
        changed || current.diff.keep < known.added.size() || (known.added.empty() && !current.diff.added.empty());
  } else if (known.has_head && !known.head.gone) {
    current.diff.gone.push_back(0);
  }
  return current.head || !current.diff.empty(known.added.size());
}

// Counts the bytes of a forgotten session, which is not read. Makes its alias the current session if they have changed.
Result<bool> SnapshotPass::open_forgotten(SnapshotReader& reader, const std::string& key, const std::string& uid,
                                          const std::optional<SnapshotReader::Session>& session) {
  const std::string alias = limits_.gate->alias(uid);
  if (!key.empty()) forgotten_.emplace_back(key, alias.substr(alias.find(':') + 1));
  MEMD_TRY_ASSIGN(const SessionItems known, memory_.items(alias));
  const bool is_counted = known.has_head && !known.head.gone;
  SourceItem head;
  head.version = 1;
  head.ledger = {std::string(kForgottenType), Disposition::skipped, std::string(kForgottenReason), 1, 0};
  const auto count = [&](const SnapshotReader::Item& item) -> Result<void> {
    std::uint64_t bytes = item.ledger_bytes;
    if (item.version == 0 && bytes == 0) {
      const auto text = reader.item(key, item.key);
      if (!text && !text.error().is(Errc::not_found)) return text.error();
      bytes = text ? text->size() : 0;
    }
    head.ledger.bytes += bytes;
    return {};
  };
  if (session) {
    if (session->head) MEMD_TRY(count(*session->head));
    for (const auto& item : session->items)
      MEMD_TRY(count(item));
    if (is_counted && known.head.ledger.bytes == head.ledger.bytes) return false;
  } else if (!is_counted) {
    return false;
  }
  Current& current = current_.emplace();
  current.key = key;
  current.session.session_uid = alias;
  current.diff.keep = 0;
  if (session)
    current.made_head = std::move(head);
  else
    current.diff.gone.push_back(0);
  return true;
}

Result<void> SnapshotPass::read_items(SnapshotReader& reader, const Source& source, SourceSlice& slice,
                                      std::uint64_t& bytes) {
  Current& c = *current_;
  Source of_session = source;
  of_session.session_uid = c.session.session_uid;
  const auto decoder = adapter_.open(of_session);
  SessionItems& items = slice.items.emplace();
  items.session_uid = c.session.session_uid;
  items.keep = c.diff.keep;
  items.gone = std::exchange(c.diff.gone, {});
  if (c.made_head) {
    items.has_head = true;
    items.head = std::move(*std::exchange(c.made_head, std::nullopt));
    slice.raw.push_back('\n');  // an item that is not kept
  }
  if (std::exchange(c.head, false)) {
    const auto& head = *c.session.head;
    auto text = reader.item(c.key, head.key);
    if (!text && !text.error().is(Errc::not_found)) return text.error();
    if (text) {
      items.has_head = true;
      items.head = decode(*decoder, head, std::move(*text), 0, slice);
      items.head.starts_exchange = false;
      bytes += items.head.ledger.bytes;
    }
  }
  while (c.read < c.diff.added.size() && slice.raw.size() < limits_.slice_bytes) {
    const auto& listed = c.session.items[c.diff.added[c.read++]];
    auto text = reader.item(c.key, listed.key);
    if (!text && !text.error().is(Errc::not_found)) return text.error();
    if (!text) continue;  // vanished meanwhile; the next pass handles it
    const auto number = static_cast<std::uint32_t>(items.keep + items.added.size() + 1);
    auto item = decode(*decoder, listed, std::move(*text), number, slice);
    bytes += item.ledger.bytes;
    items.added.push_back(std::move(item));
  }
  c.diff.keep += static_cast<std::uint32_t>(items.added.size());
  slice.batch.coverage.clear();
  return {};
}

SourceItem SnapshotPass::decode(RecordDecoder& decoder, const SnapshotReader::Item& listed, std::string bytes,
                                std::uint32_t number, SourceSlice& slice) const {
  SourceItem item;
  item.key = listed.key;
  item.version = listed.version != 0 ? listed.version : hash64(bytes) | 1;
  EventBatch& batch = slice.batch;
  batch.coverage.clear();
  const std::size_t first_event = batch.events.size();
  const std::size_t size = bytes.size();
  bool rejected = false;
  if (size > limits_.item_bytes) {
    batch.cover("(oversized)", Disposition::skipped, "longer than a record may be", size);
    batch.diagnostics.push_back(
        {adapter_.platform(), DiagnosticType::oversized_record, Severity::warning, {}, 0, number});
    slice.raw.push_back('\n');
  } else {
    if (const auto forgotten = limits_.gate == nullptr ? nullptr : limits_.gate->forgotten_texts())
      mask_forgotten(bytes, *forgotten);
    limits_.raw == RawMode::masked ? mask_record(bytes) : mask_private(bytes);
    const auto first = batch.length();
    bytes.append(kRecordPadding, '\0');
    const std::string_view record = std::string_view(bytes).substr(0, size);
    decoder.decode({record, number, false}, batch);
    rejected = limits_.gate != nullptr && limits_.gate->rejects_item(batch, first, slice.items->session_uid);
    if (rejected) batch.cut_back(first);
    slice.raw.append(rejected ? std::string_view() : record).push_back('\n');
  }
  if (batch.coverage.empty()) batch.cover("(empty)", Disposition::skipped, "nothing in it", size);
  item.ledger = std::move(batch.coverage.front());
  if (rejected) item.ledger.disposition = Disposition::skipped, item.ledger.reason = kNotCapturedReason;
  item.ledger.records = 1;
  item.ledger.bytes = listed.version == 0 && listed.ledger_bytes == 0 ? size : listed.ledger_bytes;
  if (first_event < batch.events.size()) {
    const Event& first = batch.events[first_event];
    item.starts_exchange = first.kind == EventKind::user_msg && first.starts_exchange;
  }
  return item;
}

}  // namespace memd
