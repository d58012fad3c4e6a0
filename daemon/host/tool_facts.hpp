#pragma once

#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "daemon/tools/tool_services.hpp"
#include "store/db/store_layout.hpp"
#include "store/raw/raw_archive.hpp"
#include "store/reader.hpp"

#include <atomic>
#include <cstdint>
#include <vector>

// What tools ask of the process they run in.
namespace memd {

// Tells how far the store is behind the sources: live figures while this process ingests, those of the store otherwise.
// Thread-safe. Owns nothing; what it refers to must outlive it.
class HostFreshness final : public tools::FreshnessProvider {
 public:
  HostFreshness(const Discovery& discovery, ReaderPool& readers) : discovery_(discovery), readers_(readers) {}

  // From now on the figures are live. Null: not any more.
  void use(const IngestService* ingest) { ingest_ = ingest; }
  void committed() { generation_.fetch_add(1, std::memory_order_relaxed); }

  std::vector<PlatformFreshness> freshness() const override;
  std::uint64_t generation() const override { return generation_.load(std::memory_order_relaxed); }

 private:
  std::vector<PlatformFreshness> not_looked_at_yet() const;

  const Discovery& discovery_;
  ReaderPool& readers_;
  std::atomic<const IngestService*> ingest_{nullptr};
  std::atomic<std::uint64_t> generation_{1};
};

// Reads what the agents' records hold: the agent's file first, then what was kept of it, for Claude Code purges
// transcripts after a month. Thread-safe.
class SourceText final : public tools::RawText {
 public:
  explicit SourceText(const StoreLayout& layout)
      : archive_(layout.database(), layout.raw_dir()), records_(layout.database(), layout.raw_dir()) {}

  Result<std::string> event_text(const EventSource& where, EventKind kind) const override;
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const override;

 private:
  mutable raw::RawArchive archive_;
  mutable RecordFinder records_;
};

}  // namespace memd
