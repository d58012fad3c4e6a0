#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace memd::test {

// The items that a store would have of a source that changes in place, after any number of passes.
class KnownItems {
 public:
  KnownItems(const Adapter& adapter, SourceCandidate candidate) : adapter_(adapter) {
    source_.platform = candidate.platform;
    source_.path = candidate.path;
    source_.format = candidate.format;
  }

  // Compares the source with the known items once. Sets `changed` to the keys that are new or have another version, and
  // `gone` to those that vanished.
  void look(const FileView& files) {
    changed.clear();
    gone.clear();
    const auto reader = adapter_.open_snapshot(source_, files);
    auto plan = reader->plan(source_.mark);
    ASSERT_TRUE(plan) << plan.error().message();
    unchanged = plan->unchanged;
    size = plan->size;
    if (unchanged) return;
    rest = 0;
    for (const auto& line : plan->rest)
      rest += line.bytes;
    for (const auto& key : plan->sessions) {
      auto session = reader->session(key, sessions[key]);
      ASSERT_TRUE(session && *session);
      take(key, **session, *reader);
    }
    source_.mark = plan->mark;
  }

  std::uint64_t bytes() const {
    std::uint64_t sum = rest;
    for (const auto& [key, known] : sessions)
      for (const auto& item : known)
        sum += item.ledger.bytes;
    return sum;
  }
  std::vector<std::string> keys(const std::string& session) const {
    std::vector<std::string> out;
    if (const auto it = sessions.find(session); it != sessions.end())
      for (const auto& item : it->second)
        out.push_back(item.key);
    return out;
  }

  std::map<std::string, std::vector<SourceItem>> sessions;
  std::map<std::string, std::string> items;  // session/key → bytes
  std::vector<std::string> changed, gone;
  std::uint64_t rest = 0;
  std::uint64_t size = 0;
  bool unchanged = false;
  const std::string& mark() const { return source_.mark; }

 private:
  void take(const std::string& session_key, const SnapshotReader::Session& session, SnapshotReader& reader) {
    std::map<std::string, SourceItem> before;
    for (auto& item : sessions[session_key])
      before[item.key] = item;
    std::vector<SourceItem> now;
    for (const auto& item : session.items) {
      const auto known = before.find(item.key);
      SourceItem& k = now.emplace_back();
      if (known != before.end()) k = known->second;
      const bool same = known != before.end() && (item.version == 0 || item.version == k.version);
      EXPECT_TRUE(item.version != 0 || known != before.end()) << item.key << " was never looked at";
      if (known != before.end()) before.erase(known);
      if (same) continue;
      k.key = item.key;
      k.version = item.version;
      k.ledger.bytes = item.ledger_bytes;
      changed.push_back(item.key);
      auto bytes = reader.item(session_key, item.key);
      ASSERT_TRUE(bytes) << item.key;
      EXPECT_EQ(bytes->find('\n'), std::string::npos);
      items[session_key + "/" + item.key] = std::move(*bytes);
    }
    for (const auto& [key, item] : before) {
      gone.push_back(key);
      items.erase(session_key + "/" + key);
    }
    std::map<std::string, int> seen;
    for (const auto& item : now)
      EXPECT_EQ(seen[item.key]++, 0) << "twice: " << item.key;
    sessions[session_key] = std::move(now);
  }

  const Adapter& adapter_;
  Source source_;
};

}  // namespace memd::test
