#pragma once

#include "daemon/config/model_config.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/base/timestamp.hpp"
#include "store/raw/raw_archive.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace memd::embedding {
struct Models;
class ServingIndex;
}  // namespace memd::embedding
namespace memd::llm {
class ConfiguredSummarizer;
class JudgeThread;
}  // namespace memd::llm
namespace memd::memories {
class IndexerThread;
}
namespace memd::search {
class DocumentLengths;
}
namespace memd::tools {
struct CaptureAnswer;
struct CaptureParams;
class TeamAsker;
}  // namespace memd::tools

namespace memd {

class EnrichmentWorker;
class IngestService;
struct RetentionPolicy;
class SecondLookWorker;
class StoreLayout;
class Withheld;

// Describes an adapter when it is first asked about: a description of an agent takes a third of a millisecond to parse.
class HostAdapters final : public tools::AdapterCatalogue {
 public:
  explicit HostAdapters(const Config& config) : config_(config) {}  // which must outlive it
  const AdapterDescription* find(Platform platform) const override;

 private:
  const Config& config_;
  mutable std::mutex mutex_;
  mutable std::map<Platform, AdapterDescription> described_;
};

// The distance of the store behind the sources: live figures while this process ingests, stored figures otherwise.
// Thread-safe. Owns nothing; the objects it refers to must outlive it.
class HostFreshness final : public tools::FreshnessProvider {
 public:
  HostFreshness(std::function<const Discovery&()> discovery, ReaderPool& readers)
      : discovery_(std::move(discovery)), readers_(readers) {}

  // Switches to live figures; null switches back to stored ones.
  void use(const IngestService* ingest) { ingest_ = ingest; }
  void committed() { generation_.fetch_add(1, std::memory_order_relaxed); }

  // Sets the reason why neither this process nor another will ingest. Call it before other threads use this object.
  void freeze(std::string why) { frozen_ = std::move(why); }
  // The same while a command holds the store.
  void hold(std::string who) {
    freeze(who + " holds the store: ask again when it has ended");
    held_by_ = std::move(who);
  }

  std::vector<PlatformFreshness> freshness() const override;
  std::string trouble() const override;
  std::string held_by() const override { return held_by_; }
  bool is_reading() const override { return ingest_ != nullptr; }
  std::uint64_t generation() const override { return generation_.load(std::memory_order_relaxed); }

 private:
  std::vector<PlatformFreshness> not_looked_at_yet() const;

  const std::function<const Discovery&()> discovery_;
  ReaderPool& readers_;
  std::atomic<const IngestService*> ingest_{nullptr};
  std::atomic<std::uint64_t> generation_{1};
  std::string frozen_;
  std::string held_by_;
};

// Reads texts and edits from the agents' records: from the agent's file first, then from the raw layer, because Claude
// Code purges transcripts after a month. Thread-safe.
class SourceText final : public tools::RawText {
 public:
  SourceText(const StoreLayout& layout, const raw::FrameSeal& seal);

  Result<std::string> event_text(const EventSource& where, EventKind kind) const override;
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const override;
  std::unique_ptr<tools::RawText> walk() const override;
  void name_as_in_log(Reader& reader, harvest::Material& material) const;

 private:
  class Walk;
  Result<std::string> event_text(const EventSource& where, EventKind kind, ItemWalk* walk) const;
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where, ItemWalk* walk) const;

  mutable raw::RawArchive archive_;
  mutable RecordFinder records_;
};

// The parts of semantic search: the configured models, their vectors in memory, and the workers that make them. Owns
// them; loads nothing until it is used. Public members are thread-safe. The clock must outlive it.
class SemanticSide {
 public:
  SemanticSide(EmbeddingConfig config, std::filesystem::path database, const Clock& clock);
  ~SemanticSide();

  std::shared_ptr<const embedding::Models> models();
  const std::shared_ptr<embedding::ServingIndex>& index() const { return index_; }

  // Makes the workers of a process that ingests. on_commit of `ingest` must call hint(). Call it before `ingest`
  // starts; `ingest` must outlive the workers' threads.
  void make_workers(IngestService& ingest, bool in_background, TimeMs stopped_after, std::function<void()> on_analyzed);
  // Do something only after make_workers().
  void start();
  void hint();
  void stop();  // does not wait
  void join();
  EnrichmentWorker* worker() const { return published_; }                   // null in a process that does not ingest
  SecondLookWorker* second_look() const { return published_second_look_; }  // likewise

 private:
  const EmbeddingConfig config_;
  const std::filesystem::path database_;
  const Clock& clock_;
  std::once_flag made_;
  std::shared_ptr<const embedding::Models> models_;
  std::shared_ptr<embedding::ServingIndex> index_;
  std::unique_ptr<EnrichmentWorker> worker_;
  std::unique_ptr<SecondLookWorker> second_look_;
  std::atomic<EnrichmentWorker*> published_{nullptr};
  std::atomic<SecondLookWorker*> published_second_look_{nullptr};
};

// The store's readers, the threads that fill the store, and the tools that answer from it. Owns them. The same in the
// daemon, in `--stdio --standalone` and in a command that runs without a daemon. Public members are thread-safe after
// construction. The settings and the clock must outlive it.
class MemoryHost {
 public:
  // Runs work on another thread while the host lives; empty: work runs on the calling thread.
  using Background = std::function<void(std::function<void()>)>;
  MemoryHost(const Settings& settings, const Clock& clock, Background background = {});
  ~MemoryHost();

  const mcp::ToolRegistry& tools() const { return tools_; }
  const mcp::ToolRegistry& whole_answers() const { return whole_answers_; }  // tools::register_whole_answers
  const mcp::ResourceRegistry& resources() const { return resources_; }
  const mcp::PromptRegistry& prompts() const { return prompts_; }
  const Discovery& discovery() const;  // as of the first question
  ReaderPool& readers() { return *readers_; }
  const Settings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }

  // Sets the receiver of the memory directories to watch; it is called on a thread of its own. Set before
  // start_ingest().
  void on_memory_directories(std::function<void(std::vector<std::filesystem::path>)> callback) {
    watch_memories_ = std::move(callback);
  }
  // Sets the callback after each commit; it is called on the writing thread. Set before start_ingest().
  void on_commit(std::function<void()> callback) { on_commit_ = std::move(callback); }

  // Pauses or resumes capture and returns its state. Errc::unavailable in a process that does not ingest, except for a
  // query of the state.
  Result<tools::CaptureAnswer> set_capture(const tools::CaptureParams& params);

  // Opens the store for writing, starts the ingest threads and those that enrich what was stored. The caller must hold
  // the instance lock.
  Result<void> start_ingest();
  // Replaces start_ingest() in a process where nobody can write: every answer then begins with `why`.
  void serve_as_it_is(std::string why) { freshness_.freeze(std::move(why)); }
  // The same while a command holds the store; `who` names it.
  void serve_while_held(std::string who) { freshness_.hold(std::move(who)); }
  // Returns the error for write requests in a process without ingest(): Errc::unavailable.
  Error does_not_write() const;
  // Returns the platforms whose storage exists but has not been read yet.
  std::vector<Platform> platforms_unread() const;
  IngestService* ingest() { return ingest_.get(); }                          // null before start_ingest()
  EnrichmentWorker* enrichment() const { return semantic_.worker(); }        // likewise
  SecondLookWorker* second_look() const { return semantic_.second_look(); }  // likewise
  // Returns the thread that keeps the catalog of memories; null in a process that does not ingest.
  memories::IndexerThread* memory_indexer() const { return published_memories_; }
  SemanticSide& semantic() { return semantic_; }
  llm::ConfiguredSummarizer* summarizer() const { return summarizer_.get(); }  // null: none is configured
  const llm::JudgeThread* judge() const { return judge_.get(); }  // null: no model judges decisions in this process
  void stop();  // stops what start_ingest() started and waits; everything read so far is committed

 private:
  tools::MemoryLook look_at_memories(const std::string& directory) const;

  const Settings& settings_;
  const Clock& clock_;
  const bool is_service_;  // false: a command that a user waits for
  mutable std::once_flag discovered_;
  mutable std::optional<Discovery> discovery_;
  SemanticSide semantic_;
  const std::shared_ptr<search::DocumentLengths> lengths_;
  const std::unique_ptr<ReaderPool> readers_;
  const HostAdapters adapters_;
  HostFreshness freshness_;
  SourceText source_text_;
  std::unique_ptr<llm::ConfiguredSummarizer> summarizer_;
  const std::unique_ptr<tools::TeamAsker> team_;  // null: none is configured
  mcp::ToolRegistry tools_;
  mcp::ToolRegistry whole_answers_{20, mcp::Readers::programs};
  mcp::ResourceRegistry resources_;
  mcp::PromptRegistry prompts_;
  std::function<void()> on_commit_;
  std::function<void(std::vector<std::filesystem::path>)> watch_memories_;
  std::unique_ptr<IngestService> ingest_;
  std::unique_ptr<llm::JudgeThread> judge_;
  std::unique_ptr<memories::IndexerThread> memories_;
  std::atomic<memories::IndexerThread*> published_memories_{nullptr};
};

// Returns the declarations of the adapters together with their configuration.
std::vector<AdapterDescription> describe_adapters(const Config& config);

// Returns the platforms that the configuration excludes.
std::vector<Platform> disabled_platforms(const Config& config);
RetentionPolicy retention_policy(const Config& config);

}  // namespace memd
