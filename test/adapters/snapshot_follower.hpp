#pragma once

#include "adapters/adapter.hpp"
#include "adapters/snapshot_reader.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace memd::test {

// Follows a source that changes in place as ingest does: keeps the mark and the items, and reports what each pass had
// to read.
class SnapshotFollower {
 public:
  SnapshotFollower(const Adapter& adapter, Source source, const FileView& files)
      : adapter_(adapter), source_(std::move(source)), files_(files) {}

  struct Look {
    bool unchanged = false;
    std::vector<std::string> sessions;                         // sessions of the plan
    std::map<std::string, std::vector<std::string>> read;      // session → items that are new or changed
    std::map<std::string, std::vector<std::string>> vanished;  // session → items that are no longer shown
    std::size_t unexamined = 0;                                // items with version 0
  };
  Look look() {
    Look look;
    const auto reader = adapter_.open_snapshot(source_, files_);
    auto plan = reader->plan(mark_);
    EXPECT_TRUE(plan) << (plan ? "" : plan.error().message());
    if (!plan) return look;
    mark_ = plan->mark;
    look.unchanged = plan->unchanged;
    look.sessions = plan->sessions;
    for (const auto& key : plan->sessions) {
      auto session = reader->session(key, items_[key]);
      EXPECT_TRUE(session) << (session ? "" : session.error().message());
      if (session && *session) compare(*reader, key, **session, look);
    }
    return look;
  }
  std::vector<std::string> shown(const std::string& session) const {
    std::vector<std::string> keys;
    for (const auto& item : items_.at(session))
      if (!item.gone) keys.push_back(item.key);
    return keys;
  }
  const std::string& mark() const { return mark_; }
  void set_mark(std::string mark) { mark_ = std::move(mark); }

 private:
  void compare(SnapshotReader& reader, const std::string& key, const SnapshotReader::Session& session, Look& look) {
    std::map<std::string, SourceItem> before;
    for (auto& item : items_[key])
      before.emplace(item.key, item);
    std::vector<SourceItem> now;
    source_.session_uid = session.session_uid;
    const auto decoder = adapter_.open(source_);
    for (const auto& item : session.items) {
      const auto known = before.find(item.key);
      const bool same = known != before.end() && (item.version == 0 || known->second.version == item.version);
      EXPECT_TRUE(item.version != 0 || known != before.end()) << item.key;
      look.unexamined += item.version == 0;
      SourceItem kept = same ? known->second : SourceItem{};
      kept.gone = false;
      if (!same) {
        look.read[key].push_back(item.key);
        kept.key = item.key;
        kept.version = item.version;
        auto bytes = reader.item(key, item.key);
        EXPECT_TRUE(bytes);
        const std::size_t size = bytes->size();
        bytes->resize(size + kRecordPadding, ' ');
        EventBatch batch;
        decoder->decode({std::string_view(bytes->data(), size), now.size() + 1, false}, batch);
        for (const Event& e : batch.events)
          kept.starts_exchange |= e.starts_exchange;
      }
      if (known != before.end()) before.erase(known);
      now.push_back(std::move(kept));
    }
    for (auto& [id, item] : before) {
      if (!item.gone) look.vanished[key].push_back(id);
      item.gone = true;
      now.push_back(item);
    }
    items_[key] = std::move(now);
  }

  const Adapter& adapter_;
  Source source_;
  const FileView& files_;
  std::string mark_;
  std::map<std::string, std::vector<SourceItem>> items_;
};

}  // namespace memd::test
