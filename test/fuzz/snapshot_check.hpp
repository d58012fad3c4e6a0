#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"
#include "schemas/base/error.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

// Checks the invariants of a source that changes in place, for any input.
namespace memd::fuzz {

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

inline void decode_item(const Adapter& adapter, const SourceCandidate& candidate, std::string bytes) {
  Source source;
  source.path = candidate.path;
  source.session_uid = std::string(to_string(candidate.platform)) + ":s";
  const auto size = bytes.size();
  bytes.resize(size + kRecordPadding, ' ');
  const std::string_view record(bytes.data(), size);
  EventBatch batch;
  adapter.open(source)->decode({record, 1, false}, batch);
  std::uint64_t covered = 0;
  for (const auto& line : batch.coverage)
    covered += line.bytes;
  if (covered != size) fail("an item's ledger is not exact: " + bytes);
  for (const Event& e : batch.events) {
    if (e.raw.length != size) fail("an event is not of its item: " + bytes);
    if (!adapter.event_text(record, e.kind, e.raw.block)) fail("an event's text is not found again: " + bytes);
  }
}

struct Looked {
  std::string mark;
  std::map<std::string, std::vector<SourceItem>> sessions;
};

// Runs one pass as ingest does, decodes the new items and returns what a store would keep.
inline Looked look(const Adapter& adapter, const SourceCandidate& candidate, const FileView& files,
                   const Looked& before, bool exact) {
  Source source;
  source.path = candidate.path;
  const auto reader = adapter.open_snapshot(source, files);
  auto plan = reader->plan(before.mark);
  if (!plan && plan.error().is(Errc::busy)) return before;  // half a document: it is read when it is whole
  if (!plan) fail(plan.error().message());
  if (plan->unchanged) return before;
  Looked now;
  now.mark = plan->mark;
  std::uint64_t sum = 0;
  for (const auto& line : plan->rest)
    sum += line.bytes;
  for (const auto& key : plan->sessions) {
    const auto known = before.sessions.find(key);
    const std::vector<SourceItem> none;
    auto session = reader->session(key, known == before.sessions.end() ? none : known->second);
    if (!session || !*session) fail("session " + key + " is not there");
    std::map<std::string, SourceItem> old;
    if (known != before.sessions.end())
      for (const auto& item : known->second)
        old[item.key] = item;
    if (const auto& head = (*session)->head) {
      decode_item(adapter, candidate, reader->item(key, head->key).value());
      sum += head->ledger_bytes;
    }
    for (const auto& item : (*session)->items) {
      SourceItem k;
      if (const auto it = old.find(item.key); it != old.end()) k = it->second;
      if (item.version == 0 && k.key.empty()) fail("an item was not read and is not known: " + item.key);
      if (item.version != 0) {
        k.key = item.key;
        k.version = item.version;
        k.ledger.bytes = item.ledger_bytes;
        decode_item(adapter, candidate, reader->item(key, item.key).value());
      }
      sum += k.ledger.bytes;
      now.sessions[key].push_back(std::move(k));
    }
  }
  if (exact && sum != plan->size)
    fail("the ledger has " + std::to_string(sum) + " of " + std::to_string(plan->size) + " bytes");
  return now;
}

inline void check(const Adapter& adapter, const SourceCandidate& candidate, const FileView& files) {
  const Looked first = look(adapter, candidate, files, {}, true);
  look(adapter, candidate, files, first, true);
}

template <class Change>
void check_change(const Adapter& adapter, const SourceCandidate& candidate, const FileView& files, Change&& change) {
  const Looked first = look(adapter, candidate, files, {}, true);
  change();
  const Looked second = look(adapter, candidate, files, first, false);
  look(adapter, candidate, files, second, false);
}

}  // namespace memd::fuzz
