#pragma once

#include "adapters/adapter.hpp"
#include "daemon/ingest/source_file.hpp"
#include "schemas/ids.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace memd::test {

// Follows a source that changes in place as ingest does: compares it with the known items and reads the differences.
class StateFollower {
 public:
  StateFollower(const Adapter& adapter, std::string path) : adapter_(adapter) {
    source_.platform = adapter.describe().platform;
    source_.path = std::move(path);
    source_.format = SourceFormat::sqlite;
  }

  struct Look {
    bool unchanged = false;
    std::vector<std::string> sessions;  // of the plan
    std::vector<std::string> examined;  // items that were given a version, "session/item"
    std::vector<std::string> read;      // items that were new or differed
    std::vector<std::string> gone;
    EventBatch batch;
    SnapshotReader::Plan plan;
  };

  // Runs one pass. The caller checks for an error.
  Result<Look> look() {
    Look look;
    const auto reader = adapter_.open_snapshot(source_, view_);
    MEMD_TRY_ASSIGN(look.plan, reader->plan(source_.mark));
    look.unchanged = look.plan.unchanged;
    look.sessions = look.plan.sessions;
    for (const auto& key : look.sessions)
      MEMD_TRY(follow(*reader, key, look));
    source_.mark = look.plan.mark;
    return look;
  }

  const std::vector<SourceItem>& items(const std::string& key) { return known_[key]; }

 private:
  Result<void> follow(SnapshotReader& reader, const std::string& key, Look& look) {
    auto& known = known_[key];
    MEMD_TRY_ASSIGN(auto session, reader.session(key, known));
    std::map<std::string, SourceItem*> by_key;
    for (auto& item : known) {
      by_key[item.key] = &item;
      const bool there = session && std::any_of(session->items.begin(), session->items.end(),
                                                [&](const auto& now) { return now.key == item.key; });
      if (!there && !std::exchange(item.gone, true)) look.gone.push_back(key + "/" + item.key);
    }
    if (!session) return {};
    EXPECT_EQ(session->session_uid, make_session_uid(source_.platform, key));
    std::vector<SourceItem> now;
    Source of_session = source_;
    of_session.session_uid = session->session_uid;
    const auto decoder = adapter_.open(of_session);
    for (const auto& item : session->items) {
      const auto it = by_key.find(item.key);
      if (item.version != 0) look.examined.push_back(key + "/" + item.key);
      if (it != by_key.end() && (item.version == 0 || item.version == it->second->version)) {
        now.push_back(*it->second);
        continue;
      }
      EXPECT_NE(item.version, 0U) << "not looked at, and not known: " << item.key;
      MEMD_TRY_ASSIGN(std::string bytes, reader.item(key, item.key));
      const std::size_t size = bytes.size();
      bytes.resize(size + kRecordPadding, ' ');
      decoder->decode({std::string_view(bytes.data(), size), now.size() + 1, false}, look.batch);
      look.read.push_back(key + "/" + item.key);
      now.push_back({item.key, item.version, false, false, {}});
    }
    known = std::move(now);
    return {};
  }

  const Adapter& adapter_;
  DiskView view_;
  Source source_;
  std::map<std::string, std::vector<SourceItem>> known_;
};

}  // namespace memd::test
