#include "daemon/host/memory_host.hpp"

#include "adapters/tool_calls/recorded_edits.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/capture_gate.hpp"
#include "daemon/ingest/forgotten_turns.hpp"
#include "daemon/ingest/ingest_service.hpp"
#include "daemon/ingest/log_ids.hpp"
#include "daemon/interchange/import_file.hpp"
#include "daemon/log.hpp"
#include "daemon/memories/indexer_thread.hpp"
#include "daemon/models/decision_judge.hpp"
#include "daemon/models/enrichment_worker.hpp"
#include "daemon/models/exchange_enricher.hpp"
#include "daemon/models/second_look_worker.hpp"
#include "daemon/models/serving_index.hpp"
#include "daemon/resources/prompts.hpp"
#include "daemon/resources/resources.hpp"
#include "daemon/tools/capture.hpp"
#include "daemon/tools/team_asker.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/tools/toolset.hpp"
#include "protocol/mcp/server_profile.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/store_health.hpp"
#include "store/catalog/memory_file_set.hpp"
#include "store/db/store_copies.hpp"
#include "store/db/withheld.hpp"
#include "store/files/whole_file.hpp"
#include "store/harvest/material.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader_pool.hpp"
#include "store/search/words/document_lengths.hpp"
#include "store/write/forgetting.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

namespace memd {
namespace {

std::map<Platform, std::vector<std::filesystem::path>> override_roots(const Config& config) {
  std::map<Platform, std::vector<std::filesystem::path>> out;
  for (const auto& [platform, c] : config.platforms)
    if (!c.paths.empty()) out[platform] = c.paths;
  return out;
}

// Returns the projects of the sessions in the store, as they are now. Empty without a store.
std::vector<std::filesystem::path> known_projects(const Settings& settings) {
  const auto directories = Reader::in_background(settings.layout.database()).ask(catalog::SessionDirectoriesQuery{});
  return directories ? catalog::project_roots(*directories, settings.home) : std::vector<std::filesystem::path>();
}

// Counts one reader per worker, one more, and one per call that waits for its client's model, because such a call keeps
// its reader.
std::size_t reader_count(const Settings& settings) {
  return static_cast<std::size_t>(settings.config.query_threads) + 1 + mcp::ServerLimits().max_client_waits;
}

std::unique_ptr<llm::ConfiguredSummarizer> make_summarizer(const Settings& settings, const Clock& clock) {
  const SummariesConfig& config = settings.config.summaries;
  if (config.choice.provider == SummaryProvider::disabled) return nullptr;
  return std::make_unique<llm::ConfiguredSummarizer>(llm::make_language_models(config), settings.layout.summaries(),
                                                     clock, llm::summarizer_options(config));
}

// Returns the agent that a file of instructions or notes is for; nullopt: several agents.
std::optional<Platform> agent_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (name.starts_with("CLAUDE.") || file.native().find("/.claude/projects/") != std::string::npos)
    return Platform::claude_code;
  if (name == "GEMINI.md") return Platform::gemini;
  if (name.ends_with(".mdc")) return Platform::cursor;
  if (name == "AGENTS.md" && file.parent_path().filename() == ".codex") return Platform::codex;
  return std::nullopt;
}

std::function<bool(const std::filesystem::path&)> left_out_memories(const Config& config) {
  return [exclusion = Exclusion(config.exclude.projects, config.exclude.paths),
          agents = config.exclude.agents](const std::filesystem::path& path) {
    if (exclusion.has_directory(path.native()) || exclusion.has_directory(path.parent_path().native()) ||
        exclusion.has_file(path.native()) || exclusion.may_have_stand_in(path.native()))
      return true;
    const auto agent = agent_of(path);
    return agent && std::find(agents.begin(), agents.end(), *agent) != agents.end();
  };
}

}  // namespace

std::vector<PlatformFreshness> HostFreshness::freshness() const {
  if (const IngestService* ingest = ingest_) {
    ingest->was_asked();
    auto rows = ingest->progress().freshness();
    if (rows.empty() && ingest->progress().snapshot().last_scan == 0) rows = not_looked_at_yet();
    return rows;
  }
  auto reader = readers_.acquire(std::chrono::seconds(1));
  if (!reader) return {};
  auto rows = (*reader)->ask(PlatformFreshnessQuery{});
  if (!rows) return {};
  return rows->empty() ? not_looked_at_yet() : std::move(*rows);
}

std::string HostFreshness::trouble() const {
  const IngestService* ingest = ingest_;
  return ingest != nullptr ? ingest->trouble() : frozen_;
}

// Shortly after the first start there may be history that nobody has counted. Reports it as behind by an unknown
// amount, not as absent.
std::vector<PlatformFreshness> HostFreshness::not_looked_at_yet() const {
  std::vector<PlatformFreshness> rows;
  for (const auto& root : discovery_().roots()) {
    const Platform platform = root.adapter->platform();
    std::error_code ec;
    if (!std::filesystem::exists(root.path, ec) || (!rows.empty() && rows.back().platform == platform)) continue;
    PlatformFreshness row;
    row.platform = platform;
    row.sources = row.sources_behind = 1;
    rows.push_back(row);
  }
  return rows;
}

SourceText::SourceText(const StoreLayout& layout, const raw::FrameSeal& seal)
    : archive_(layout.database(), layout.raw_dir(), seal), records_(layout.database(), layout.raw_dir(), seal) {}

void SourceText::name_as_in_log(Reader& reader, harvest::Material& material) const {
  memd::name_as_in_log(reader, records_, material);
}

class SourceText::Walk final : public tools::RawText {
 public:
  explicit Walk(const SourceText& texts) : texts_(texts) {}
  Result<std::string> event_text(const EventSource& where, EventKind kind) const override {
    return texts_.event_text(where, kind, &items_);
  }
  Result<std::vector<RecordedEdit>> recorded_edits(const EventSource& where) const override {
    return texts_.recorded_edits(where, &items_);
  }

 private:
  const SourceText& texts_;
  mutable ItemWalk items_;
};

std::unique_ptr<tools::RawText> SourceText::walk() const { return std::make_unique<Walk>(*this); }

Result<std::string> SourceText::event_text(const EventSource& where, EventKind kind) const {
  return event_text(where, kind, nullptr);
}

Result<std::vector<RecordedEdit>> SourceText::recorded_edits(const EventSource& where) const {
  return recorded_edits(where, nullptr);
}

Result<std::string> SourceText::event_text(const EventSource& where, EventKind kind, ItemWalk* walk) const {
  const Adapter* adapter = find_adapter(where.platform);
  auto text = where.is_gone ? Result<std::string>(no_longer_there(where))
              : adapter != nullptr && !where.item_key.empty()
                  ? read_item_text(*adapter, where, kind, walk)
                  : read_event_text(where.platform, where.path, kind, where.raw);
  if (text) return records_.without_forgotten(std::move(*text));
  auto archived = read_archived_text(archive_, where, kind);
  // If both fail, report that the text exists and cannot be opened.
  return archived || archived.error().is(Errc::bad_config) ? std::move(archived) : std::move(text);
}

Result<std::vector<RecordedEdit>> SourceText::recorded_edits(const EventSource& where, ItemWalk* walk) const {
  std::vector<RecordedEdit> edits;
  // A changed record in the agent's file has no edits, or none of this file; then the archived record is used.
  const auto found = records_.find(
      where,
      [&](std::string_view record) {
        edits = memd::recorded_edits(record);
        return !edits.empty();
      },
      walk);
  if (!found && !found.error().is(Errc::not_found)) return found.error();
  return edits;
}

SemanticSide::SemanticSide(EmbeddingConfig config, std::filesystem::path database, const Clock& clock)
    : config_(std::move(config)), database_(std::move(database)), clock_(clock) {
  const auto trouble = [this] {
    const EnrichmentWorker* w = worker();
    return w != nullptr ? w->progress().trouble : std::string();
  };
  index_ = std::make_shared<embedding::ServingIndex>(
      database_, [this] { return models(); }, trouble);
}

SemanticSide::~SemanticSide() = default;

std::shared_ptr<const embedding::Models> SemanticSide::models() {
  std::call_once(made_, [this] { models_ = embedding::make_models(config_); });
  return models_;
}

void SemanticSide::make_workers(IngestService& ingest, bool in_background, TimeMs stopped_after,
                                std::function<void()> on_analyzed) {
  EnrichmentParts parts;
  parts.database = database_;
  parts.perform = [&ingest](std::function<Result<void>(Writer&)> task) { return ingest.perform(std::move(task)); };
  parts.wait_for_ingest = [&ingest](std::chrono::milliseconds patience) { return ingest.block_until_idle(patience); };
  parts.models = [this] { return models(); };
  parts.terms = [this](const std::filesystem::path& database) { return make_store_terms(database, models()->builtin); };
  parts.on_analyzed = std::move(on_analyzed);
  EnrichmentOptions options;
  options.in_background = in_background;
  options.stopped_after = stopped_after;
  SecondLookParts of_second_look;
  of_second_look.database = database_;
  of_second_look.perform = parts.perform;
  of_second_look.wait_for_ingest = parts.wait_for_ingest;
  of_second_look.network = [this] { return models()->second_look; };
  of_second_look.lacks_network = [this] { return !models()->second_look_missing.empty(); };
  SecondLookOptions looks;
  looks.in_background = in_background;
  worker_ = std::make_unique<EnrichmentWorker>(std::move(parts), clock_, std::move(options));
  second_look_ = std::make_unique<SecondLookWorker>(std::move(of_second_look), clock_, std::move(looks));
  published_ = worker_.get();
  published_second_look_ = second_look_.get();
}

void SemanticSide::start() {
  worker_->start();
  second_look_->start();
}

void SemanticSide::hint() {
  worker_->hint();
  second_look_->hint();
}

void SemanticSide::stop() {
  if (worker_) worker_->stop();
  if (second_look_) second_look_->stop();
}

void SemanticSide::join() {
  if (worker_) worker_->join();
  if (second_look_) second_look_->join();
}

std::vector<Platform> disabled_platforms(const Config& config) {
  std::vector<Platform> out = config.exclude.agents;
  for (const auto& [platform, c] : config.platforms)
    if (!c.enabled) out.push_back(platform);
  return out;
}

namespace {

AdapterDescription describe(const Adapter& adapter, const Config& config) {
  AdapterDescription d = adapter.describe();
  if (!supports_contract(d.contract_version)) d.status = AdapterStatus::unsupported;
  const auto it = config.platforms.find(d.platform);
  const auto disabled = disabled_platforms(config);
  if (std::find(disabled.begin(), disabled.end(), d.platform) != disabled.end()) d.status = AdapterStatus::disabled;
  if (it != config.platforms.end() && !it->second.paths.empty()) {
    d.storage_locations.clear();
    for (const auto& path : it->second.paths)
      d.storage_locations.push_back(path.string());
  }
  return d;
}

}  // namespace

const AdapterDescription* HostAdapters::find(Platform platform) const {
  const Adapter* adapter = find_adapter(platform);
  if (adapter == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto it = described_.find(platform);
  return it != described_.end() ? &it->second
                                : &described_.emplace(platform, describe(*adapter, config_)).first->second;
}

std::vector<AdapterDescription> describe_adapters(const Config& config) {
  std::vector<AdapterDescription> out;
  for (const Adapter* adapter : all_adapters())
    out.push_back(describe(*adapter, config));
  return out;
}

RetentionPolicy retention_policy(const Config& config) {
  return {config.retention.max_age_days, config.retention.max_raw_bytes};
}

MemoryHost::MemoryHost(const Settings& settings, const Clock& clock, Background background)
    : settings_(settings),
      clock_(clock),
      is_service_(background != nullptr),
      semantic_(settings.config.embedding, settings.layout.database(), clock),
      lengths_(std::make_shared<search::DocumentLengths>()),
      readers_(std::make_unique<ReaderPool>(settings.layout.database(), reader_count(settings), semantic_.index(),
                                            lengths_)),
      adapters_(settings.config),
      freshness_([this]() -> const Discovery& { return discovery(); }, *readers_),
      source_text_(settings.layout, raw::FrameSeal(settings.cipher)),
      summarizer_(make_summarizer(settings, clock)),
      team_(settings.config.sharing.ask_server_ms == 0
                ? nullptr
                : std::make_unique<tools::TeamAsker>(std::chrono::milliseconds(settings.config.sharing.ask_server_ms),
                                                     settings.layout.withheld(),
                                                     settings.config.embedding.makes_vectors())) {
  tools::ToolDefaults defaults;
  defaults.max_tokens = static_cast<std::size_t>(settings.config.max_tokens);
  defaults.own_project = settings.config.own_project;
  defaults.prices = settings.config.prices;
  defaults.stopped_after = settings.config.sessions.stopped_after;
  defaults.judges_decisions = settings.config.judge_decisions;
  const tools::ToolServices services{
      *readers_,
      clock_,
      freshness_,
      source_text_,
      adapters_,
      settings.layout.database(),
      defaults,
      std::move(background),
      summarizer_.get(),
      [this](const std::string& directory) {
        if (auto* indexer = memory_indexer()) indexer->hint_project(directory);
      },
      [this](const std::filesystem::path& path) {
        if (auto* indexer = memory_indexer()) indexer->hint(path);
      },
      settings.home,
      settings.config.memory,
      [this](const std::string& directory) { return look_at_memories(directory); },
      [this](Reader& reader, harvest::Material& material) { source_text_.name_as_in_log(reader, material); },
      team_.get()};
  tools::register_tools(tools_, services);
  tools::register_whole_answers(whole_answers_, services);
  if (settings.config.capture_tool)
    tools::add_capture(tools_, [this](const tools::CaptureParams& p) { return set_capture(p); });
  if (settings.config.conversation_query) tools::add_conversation_query(tools_);
  resources::add_resources(resources_, services, tools_);
  prompts::add_prompts(prompts_, services, tools_);
}

MemoryHost::~MemoryHost() { stop(); }

const Discovery& MemoryHost::discovery() const {
  std::call_once(discovered_, [this] {
    discovery_.emplace(all_adapters(), settings_.home, override_roots(settings_.config),
                       disabled_platforms(settings_.config), settings_.agent_directory, known_projects(settings_));
  });
  return *discovery_;
}

std::vector<Platform> MemoryHost::platforms_unread() const {
  std::vector<Platform> out;
  for (const PlatformFreshness& f : freshness_.freshness())
    if (f.is_unread()) out.push_back(f.platform);
  return out;
}

// Stops the workers first: they wait for the writer, which must still run.
void MemoryHost::stop() {
  semantic_.stop();
  if (judge_) judge_->stop();
  if (memories_) memories_->stop();
  if (ingest_) ingest_->stop();
  semantic_.join();
  if (judge_) judge_->join();
  if (memories_) memories_->join();
  if (ingest_) ingest_->join();
}

tools::MemoryLook MemoryHost::look_at_memories(const std::string& directory) const {
  constexpr std::chrono::milliseconds kPatience{1000};
  auto* indexer = memory_indexer();
  if (indexer == nullptr) return tools::MemoryLook::none;
  return indexer->await_look(directory, kPatience) ? tools::MemoryLook::done : tools::MemoryLook::under_way;
}

Error MemoryHost::does_not_write() const {
  const std::string why = freshness_.trouble();
  return {Errc::unavailable, why.empty() ? "this process does not write" : "nothing can be written now: " + why};
}

Result<tools::CaptureAnswer> MemoryHost::set_capture(const tools::CaptureParams& params) {
  if (params.action != "status") {
    if (!ingest_) return does_not_write();
    TimeMs until = kOpenEnd;
    if (params.duration && !params.duration->empty()) {
      MEMD_TRY_ASSIGN(const TimeMs duration, tools::parse_duration(*params.duration));
      until = clock_.now() + duration;
    }
    const bool pause = params.action == "pause";
    MEMD_TRY(ingest_->perform(
        [&](Writer& writer) { return pause ? writer.pause_capture(until) : writer.resume_capture(); }));
  }
  MEMD_TRY_ASSIGN(const auto withheld, Withheld::open(settings_.layout.withheld()));
  tools::CaptureAnswer out;
  for (const auto& pause : withheld->pauses()) {
    if (!pause.contains(clock_.now())) continue;
    out.paused = true;
    out.since = format_rfc3339(pause.from);
    out.until = pause.until == kOpenEnd ? std::string() : format_rfc3339(pause.until);
  }
  return out;
}

Result<void> MemoryHost::start_ingest() {
  const RawMode raw = settings_.config.raw_layer;
  if (const auto gone = remove_unfinished_rebuild(settings_.layout); !gone)
    log::error("a rebuild that did not end cannot be removed: {}", gone.error().message());
  files::remove_dead(settings_.layout.data_dir());
  interchange::remove_left_copies(settings_.layout.imports());
  const auto raw_directory = raw == RawMode::off ? std::filesystem::path() : settings_.layout.raw_dir();
  MEMD_TRY_ASSIGN(auto writer, Writer::open(settings_.layout.database(), clock_, raw_directory, settings_.cipher));
  writer->share(lengths_);
  // Finish what a killed process began. What fails now is tried again at the next start.
  if (writer->withheld()->is_unfinished()) {
    if (const auto finished = Forgetting(*writer, judge_of_records).finish(); !finished)
      log::error("forgetting is not finished: {}", finished.error().message());
  } else if (writer->withheld()->forgot_something()) {
    MEMD_TRY(Forgetting(*writer, judge_of_records).replace_items());
  }
  (void)writer->take_sources_changed();
  IngestOptions options;
  options.exclusion = Exclusion(settings_.config.exclude.projects, settings_.config.exclude.paths);
  options.tailer.raw = raw;
  options.retention = retention_policy(settings_.config);
  auto ingest = std::make_unique<IngestService>(discovery(), clock_, options);
  std::function<void()> on_analyzed;
  if (settings_.config.judge_decisions && summarizer_ && is_service_) {
    judge_ = std::make_unique<llm::JudgeThread>(*summarizer_, settings_.layout.database(),
                                                [writing = ingest.get()](std::function<Result<void>(Writer&)> task) {
                                                  return writing->perform(std::move(task));
                                                });
    on_analyzed = [this] { judge_->hint(); };
  }
  memories::IndexerParts of_memories;
  of_memories.database = settings_.layout.database();
  of_memories.perform = [writing = ingest.get()](std::function<Result<void>(Writer&)> task) {
    return writing->perform(std::move(task));
  };
  of_memories.home = settings_.home;
  of_memories.enterprise = settings_.config.memory.enterprise_path;
  of_memories.policy = settings_.config.memory.policy;
  of_memories.is_left_out = left_out_memories(settings_.config);
  of_memories.makes_vectors = settings_.config.embedding.makes_vectors();
  of_memories.watch = watch_memories_;
  memories_ = std::make_unique<memories::IndexerThread>(std::move(of_memories), clock_);
  semantic_.make_workers(*ingest, is_service_, settings_.config.sessions.stopped_after, std::move(on_analyzed));
  ingest->on_commit([this] {
    freshness_.committed();
    semantic_.hint();
    memories_->hint_commit();
    if (on_commit_) on_commit_();
  });
  MEMD_TRY(ingest->start(std::move(writer)));
  ingest_ = std::move(ingest);
  freshness_.use(ingest_.get());
  semantic_.start();
  if (judge_) judge_->start();
  memories_->start();
  published_memories_ = memories_.get();
  return {};
}

}  // namespace memd
