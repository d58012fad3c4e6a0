#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memd::test {

// One session of a source that changes in place, decoded as on the first ingest.
struct SnapshotSession {
  std::string uid;
  std::string native_id;          // as the reader names it
  std::vector<std::string> keys;  // of the items, in their order
  EventBatch batch;               // events of head and items; its coverage has the bytes of the items in the source
};
struct Snapshot {
  SnapshotReader::Plan plan;
  std::map<std::string, SnapshotSession> sessions;  // by uid
  std::uint64_t item_bytes = 0;
};

inline Snapshot decode_snapshot(const Adapter& adapter, const SourceCandidate& candidate, const FileView& files) {
  Snapshot out;
  Source source;
  source.platform = candidate.platform;
  source.path = candidate.path;
  source.format = candidate.format;
  const auto reader = adapter.open_snapshot(source, files);
  if (!reader) {
    ADD_FAILURE() << candidate.path << " is no snapshot source";
    return out;
  }
  auto plan = reader->plan("");
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
  if (!plan) return out;
  out.plan = *plan;
  for (const auto& key : plan->sessions) {
    auto session = reader->session(key, {});
    EXPECT_TRUE(session) << key;
    if (!session || !*session) continue;
    SnapshotSession& s = out.sessions[(*session)->session_uid];
    s.uid = (*session)->session_uid;
    s.native_id = key;
    source.session_uid = s.uid;
    const auto decoder = adapter.open(source);
    const auto decode = [&](const SnapshotReader::Item& item, std::uint64_t number) {
      auto bytes = reader->item(key, item.key);
      ASSERT_TRUE(bytes) << item.key;
      EXPECT_NE(item.version, 0U) << item.key;
      const std::size_t size = bytes->size();
      bytes->resize(size + kRecordPadding, ' ');
      EventBatch batch;
      decoder->decode({std::string_view(bytes->data(), size), number, false}, batch);
      std::uint64_t covered = 0;
      for (const auto& line : batch.coverage)
        covered += line.bytes;
      EXPECT_EQ(covered, size) << item.key;
      if (!batch.coverage.empty()) {
        const auto& line = batch.coverage.front();
        s.batch.cover(line.record_type, line.disposition, line.reason, item.ledger_bytes);
      }
      for (auto& e : batch.events)
        s.batch.events.push_back(std::move(e));
      for (auto& u : batch.sessions)
        s.batch.sessions.push_back(std::move(u));
      for (auto& d : batch.diagnostics)
        s.batch.diagnostics.push_back(std::move(d));
      out.item_bytes += item.ledger_bytes;
    };
    if ((*session)->head) decode(*(*session)->head, 0);
    for (std::size_t i = 0; i < (*session)->items.size(); ++i) {
      s.keys.push_back((*session)->items[i].key);
      decode((*session)->items[i], i + 1);
    }
  }
  return out;
}

}  // namespace memd::test
