#include "daemon/host/memory_host.hpp"

#include "daemon/resources/prompts.hpp"
#include "daemon/resources/resources.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "store/search/words/document_lengths.hpp"

#include <map>
#include <utility>

namespace memd {
namespace {

std::map<Platform, std::vector<std::filesystem::path>> override_roots(const Config& config) {
  std::map<Platform, std::vector<std::filesystem::path>> out;
  for (const auto& [platform, c] : config.platforms)
    if (!c.paths.empty()) out[platform] = c.paths;
  return out;
}

std::vector<Platform> disabled(const Config& config) {
  std::vector<Platform> out;
  for (const auto& [platform, c] : config.platforms)
    if (!c.enabled) out.push_back(platform);
  return out;
}

// A call that waits for its client's model keeps its reader.
std::size_t reader_count(const Settings& settings) {
  return static_cast<std::size_t>(settings.config.query_threads) + 1 + mcp::ServerLimits().max_client_waits;
}

std::unique_ptr<llm::ConfiguredSummarizer> make_summarizer(const Settings& settings, const Clock& clock) {
  const SummariesConfig& config = settings.config.summaries;
  if (config.choice.provider == SummaryProvider::disabled) return nullptr;
  return std::make_unique<llm::ConfiguredSummarizer>(llm::make_language_models(config), settings.layout.summaries(),
                                                     clock, llm::summarizer_options(config));
}

}  // namespace

std::vector<AdapterDescription> describe_adapters(const Config& config) {
  std::vector<AdapterDescription> out;
  for (const Adapter* adapter : all_adapters()) {
    AdapterDescription d = adapter->describe();
    if (!speaks_contract(d.contract_version)) d.status = AdapterStatus::unsupported;
    const auto it = config.platforms.find(d.platform);
    if (it != config.platforms.end() && !it->second.enabled) d.status = AdapterStatus::disabled;
    if (it != config.platforms.end() && !it->second.paths.empty()) {
      d.storage_locations.clear();
      for (const auto& path : it->second.paths)
        d.storage_locations.push_back(path.string());
    }
    out.push_back(std::move(d));
  }
  return out;
}

RetentionPolicy retention_policy(const Config& config) {
  return {config.retention.max_age_days, config.retention.max_raw_bytes};
}

MemoryHost::MemoryHost(const Settings& settings, const Clock& clock, Background background)
    : settings_(settings),
      clock_(clock),
      is_service_(background != nullptr),
      discovery_(all_adapters(), settings.home, override_roots(settings.config), disabled(settings.config)),
      semantic_(settings.config.embedding, settings.layout.database(), clock),
      lengths_(std::make_shared<search::DocumentLengths>()),
      readers_(settings.layout.database(), reader_count(settings), semantic_.index(), lengths_),
      adapters_(describe_adapters(settings.config)),
      freshness_(discovery_, readers_),
      source_text_(settings.layout),
      summarizer_(make_summarizer(settings, clock)) {
  tools::ToolDefaults defaults;
  defaults.max_tokens = static_cast<std::size_t>(settings.config.max_tokens);
  const tools::ToolServices services{readers_,         clock_,
                                     freshness_,       source_text_,
                                     adapters_,        settings.layout.database(),
                                     defaults,         std::move(background),
                                     summarizer_.get()};
  tools::register_tools(tools_, services);
  if (settings.config.conversation_query) tools::add_conversation_query(tools_);
  resources::add_resources(resources_, services, tools_);
  prompts::add_prompts(prompts_, services, tools_);
}

MemoryHost::~MemoryHost() { stop(); }

// The worker first: it waits for the writer, which must still be there.
void MemoryHost::stop() {
  EnrichmentWorker* worker = enrichment();
  if (worker != nullptr) worker->stop();
  if (ingest_) ingest_->stop();
  if (worker != nullptr) worker->join();
  if (ingest_) ingest_->join();
}

Result<void> MemoryHost::start_ingest() {
  const RawMode raw = settings_.config.raw_layer;
  const auto raw_directory = raw == RawMode::off ? std::filesystem::path() : settings_.layout.raw_dir();
  MEMD_TRY_ASSIGN(auto writer, Writer::open(settings_.layout.database(), clock_, raw_directory));
  writer->share(lengths_);
  IngestOptions options;
  options.tailer.raw = raw;
  options.retention = retention_policy(settings_.config);
  auto ingest = std::make_unique<IngestService>(discovery_, clock_, options);
  semantic_.make_worker(*ingest, is_service_);
  ingest->on_commit([this] {
    freshness_.committed();
    semantic_.worker()->hint();
    if (on_commit_) on_commit_();
  });
  MEMD_TRY(ingest->start(std::move(writer)));
  ingest_ = std::move(ingest);
  freshness_.use(ingest_.get());
  semantic_.worker()->start();
  return {};
}

}  // namespace memd
