#pragma once

#include "daemon/host/semantic_side.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/host/tool_facts.hpp"
#include "daemon/ingest/discovery.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/models/configured_summarizer.hpp"
#include "daemon/tools/tool_services.hpp"
#include "protocol/mcp/offers.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/time.hpp"
#include "store/read/retention_plan.hpp"
#include "store/reader.hpp"

#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace memd {

// Owns the store's readers, what fills the store, and the tools that answer from it. The same in the daemon, in
// `--stdio --standalone` and in a command that runs without a daemon. Public members are thread-safe after
// construction. The settings and the clock must outlive it.
class MemoryHost {
 public:
  // `background` runs work on another thread while the host lives; empty: work is done in place.
  using Background = std::function<void(std::function<void()>)>;
  MemoryHost(const Settings& settings, const Clock& clock, Background background = {});
  ~MemoryHost();

  const mcp::ToolRegistry& tools() const { return tools_; }
  const mcp::ResourceRegistry& resources() const { return resources_; }
  const mcp::PromptRegistry& prompts() const { return prompts_; }
  const Discovery& discovery() const { return discovery_; }
  ReaderPool& readers() { return readers_; }
  const Settings& settings() const { return settings_; }
  const Clock& clock() const { return clock_; }

  // Called on the writing thread after each commit. Set before start_ingest().
  void on_commit(std::function<void()> callback) { on_commit_ = std::move(callback); }

  // Opens the store for writing, starts the ingest threads and the one that enriches what they stored. For the holder
  // of the instance lock.
  Result<void> start_ingest();
  IngestService* ingest() { return ingest_.get(); }                    // null until then
  EnrichmentWorker* enrichment() const { return semantic_.worker(); }  // likewise
  SemanticSide& semantic() { return semantic_; }
  llm::ConfiguredSummarizer* summarizer() const { return summarizer_.get(); }  // null: none is configured
  void stop();  // what start_ingest() started, and waits; what was read is committed

 private:
  const Settings& settings_;
  const Clock& clock_;
  const bool is_service_;  // and not a command that somebody waits for
  Discovery discovery_;
  SemanticSide semantic_;
  const std::shared_ptr<search::DocumentLengths> lengths_;
  ReaderPool readers_;
  std::vector<AdapterDescription> adapters_;
  HostFreshness freshness_;
  SourceText source_text_;
  std::unique_ptr<llm::ConfiguredSummarizer> summarizer_;
  mcp::ToolRegistry tools_;
  mcp::ResourceRegistry resources_;
  mcp::PromptRegistry prompts_;
  std::function<void()> on_commit_;
  std::unique_ptr<IngestService> ingest_;
};

// What the adapters declare, with what the configuration says about them.
std::vector<AdapterDescription> describe_adapters(const Config& config);
RetentionPolicy retention_policy(const Config& config);

}  // namespace memd
