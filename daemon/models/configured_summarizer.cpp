#include "daemon/models/configured_summarizer.hpp"

#include "daemon/models/strategies.hpp"
#include "schemas/base/error.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <utility>

namespace memd::llm {
namespace {

using tools::LlmSummary;
using tools::LlmSummaryRequest;

constexpr std::size_t kLeastTokens = 100;

using Strategy = Result<Draft> (*)(const SummaryTask&, ModelRun&);
constexpr std::array<std::pair<std::string_view, Strategy>, 4> kStrategies{{{"abstractive", abstractive},
                                                                            {"recursive", recursive},
                                                                            {"map_reduce", map_reduce},
                                                                            {"hierarchical", hierarchical}}};

Result<Strategy> strategy_of(std::string_view name) {
  const auto it = std::find_if(kStrategies.begin(), kStrategies.end(), [&](const auto& s) { return s.first == name; });
  if (it == kStrategies.end())
    return Error(Errc::invalid_argument,
                 "strategy: a language model summarises abstractive, recursive, map_reduce or "
                 "hierarchical, not " +
                     std::string(name));
  return it->second;
}

// Returns chunk limits that leave room in a request for the summary so far and the answer.
ChunkLimits chunk_limits(std::size_t context_tokens, std::size_t max_tokens) {
  const std::size_t taken = kPromptTokens + max_tokens * 5 / 2;
  const std::size_t free = context_tokens > taken ? context_tokens - taken : 0;
  return {std::clamp<std::size_t>(free, context_tokens / 6, 12'000), 20};
}

// Holds a place among the calls that may wait for a model.
class Place {
 public:
  Place(std::atomic<std::size_t>& taken, std::size_t all) : taken_(taken), got_(taken.fetch_add(1) < all) {}
  ~Place() { taken_.fetch_sub(1); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  explicit operator bool() const { return got_; }

 private:
  std::atomic<std::size_t>& taken_;
  const bool got_;
};

completions::DailyBudget half_of(const completions::DailyBudget& budget) {
  return {(budget.requests + 1) / 2, (budget.tokens + 1) / 2};  // 0 stays 0: no limit
}

std::string notice_of(const Draft& draft, const ModelRun& run, std::size_t chunks) {
  std::string out = draft.note;
  if (run.trouble().empty()) return out;
  if (!out.empty()) out += " ";
  if (draft.parts_by_model == chunks)
    return out + fmt::format("The model summarised all {} parts, but did not finish: {}.", chunks, run.trouble());
  return out + fmt::format("The model summarised {} of {} parts; the rest is made of the session's own sentences: {}.",
                           draft.parts_by_model, chunks, run.trouble());
}

}  // namespace

std::vector<LanguageModelChoice> make_language_models(const SummariesConfig& config) {
  std::vector<LanguageModelChoice> out;
  if (config.choice.provider == SummaryProvider::disabled) return out;
  ModelClients clients;
  const auto add = [&](const SummaryModelChoice& choice) {
    if (choice.provider == SummaryProvider::client)
      out.emplace_back();
    else
      out.push_back(clients.language_model(config, choice));
  };
  add(config.choice);
  for (const auto& fallback : config.fallbacks)
    add(fallback);
  return out;
}

SummarizerOptions summarizer_options(const SummariesConfig& config) {
  SummarizerOptions out;
  out.parallel = static_cast<std::size_t>(config.max_parallel);
  out.context_tokens = static_cast<std::size_t>(config.context_tokens);
  out.max_tokens = static_cast<std::size_t>(config.max_tokens);
  out.budget = {config.daily_requests, config.daily_tokens};
  return out;
}

ConfiguredSummarizer::ConfiguredSummarizer(std::vector<LanguageModelChoice> models, std::filesystem::path file,
                                           const Clock& clock, SummarizerOptions options)
    : models_(std::move(models)),
      file_(std::move(file)),
      clock_(clock),
      options_(std::move(options)),
      slots_(options_.parallel) {}

std::string ConfiguredSummarizer::models() const {
  return fmt::format("{}", fmt::join(models_ | std::views::transform(&LanguageModelChoice::name), ", "));
}

Result<const ConfiguredSummarizer::Storage*> ConfiguredSummarizer::storage() const {
  const std::lock_guard lock(mutex_);
  if (!storage_) {
    auto made = std::make_unique<Storage>();
    MEMD_TRY_ASSIGN(made->file, completions::SummariesFile::open(file_));
    made->cache = std::make_unique<completions::AnswerCache>(made->file, clock_);
    made->spending = std::make_unique<completions::SpendingLedger>(made->file, clock_, options_.budget);
    made->spending_in_background =
        std::make_unique<completions::SpendingLedger>(made->file, clock_, half_of(options_.budget));
    storage_ = std::move(made);
  }
  return storage_.get();
}

std::vector<RunModel> ConfiguredSummarizer::models_for(const mcp::ToolContext& context) const {
  std::vector<RunModel> out;
  for (const auto& choice : models_) {
    if (choice.is_client()) {
      if (context.client_model != nullptr) out.push_back({context.client_model, true, {}});
      continue;
    }
    out.push_back({choice.model.get(), false, choice.left_alone});
  }
  return out;
}

std::string ConfiguredSummarizer::unavailable(const mcp::ToolContext& context) const {
  if (models_.empty()) return "no language model is configured (summaries.provider)";
  const auto models = models_for(context);
  if (models.empty()) return "the client does not offer its language model (summaries.provider: client)";
  std::string why;
  for (const auto& model : models) {
    why = model.left_alone ? model.left_alone() : std::string();
    if (why.empty()) return {};
  }
  return why;
}

Result<LlmSummary> ConfiguredSummarizer::summarize(const LlmSummaryRequest& request, mcp::ToolContext& context) {
  MEMD_TRY_ASSIGN(const Strategy strategy, strategy_of(request.strategy));
  auto models = models_for(context);  // including models in back-off: the cache may have their answers
  if (models.empty()) return Error(Errc::unavailable, unavailable(context));
  if (request.exchanges.empty()) return Error(Errc::invalid_argument, "the session has nothing to summarise");
  MEMD_TRY_ASSIGN(const Storage* storage, storage());

  const std::size_t max_tokens = std::clamp(request.max_tokens, kLeastTokens, options_.max_tokens);
  const SummaryPrompts prompts(request.style, storage->file->secret());
  const SummaryTask task{request.exchanges,
                         cut_into_chunks(request.exchanges, chunk_limits(options_.context_tokens, options_.max_tokens)),
                         prompts, max_tokens / kLeastTokens * kLeastTokens, options_.context_tokens};
  std::optional<std::chrono::seconds> allowed;
  if (request.max_seconds) allowed = std::chrono::seconds(std::clamp<std::int64_t>(*request.max_seconds, 0, 86'400));
  const Deadline deadline(context.stop, allowed, options_.now);
  ModelRun run({std::move(models), *storage->cache, *storage->spending, slots_, options_.parallel, request.session.uid},
               context, deadline);
  const Place place(calls_, options_.calls);
  if (!place) run.only_cached("other summaries are being written, ask again later");
  MEMD_TRY_ASSIGN(Draft draft, strategy(task, run));

  LlmSummary out;
  out.text = cut_to_tokens(draft.text, request.max_tokens).text;
  out.abstract = std::move(draft.abstract);
  out.chunks = std::move(draft.parts);
  out.model = run.models();
  out.requests = run.requests();
  out.from_cache = out.requests == 0;
  out.notice = notice_of(draft, run, task.chunks.size());
  return out;
}

Result<std::uint64_t> ConfiguredSummarizer::secret() const {
  MEMD_TRY_ASSIGN(const Storage* storage, storage());
  return storage->file->secret();
}

Result<void> ConfiguredSummarizer::forget_answers(const std::string& session_uid) {
  return completions::erase_answers(file_, [&](std::string_view uid) { return uid == session_uid; });
}

Result<BackgroundAnswer> ConfiguredSummarizer::ask_in_background(const SummaryRequest& request,
                                                                 const std::string& session_uid,
                                                                 const std::stop_token& stop) {
  const mcp::ToolContext context(stop);
  auto models = models_for(context);
  if (models.empty()) return Error(Errc::unavailable, "no language model that the daemon may ask is configured");
  MEMD_TRY_ASSIGN(const Storage* storage, storage());
  const Deadline deadline(stop, std::nullopt, options_.now);
  ModelRun run({std::move(models), *storage->cache, *storage->spending_in_background, slots_, 1, session_uid}, context,
               deadline);
  run.begin("judging decisions", 1);
  MEMD_TRY_ASSIGN(std::optional<std::string> text, run.ask(request));
  if (text) return BackgroundAnswer{std::move(*text), run.models()};
  const bool of_the_text = !run.is_over_budget() && unavailable(context).empty();
  return Error(of_the_text ? Errc::invalid_argument : Errc::unavailable, run.trouble());
}

std::string ConfiguredSummarizer::trouble() const {
  const auto found = report();
  return found ? found->trouble : found.error().message();
}

Result<SummarizerReport> ConfiguredSummarizer::report() const {
  SummarizerReport out;
  std::error_code ec;
  if (std::filesystem::exists(file_, ec)) {
    MEMD_TRY_ASSIGN(const Storage* storage, storage());
    MEMD_TRY_ASSIGN(out.today, storage->spending->today());
    MEMD_TRY_ASSIGN(out.answers, storage->cache->size());
    out.trouble = storage->spending->exhausted();
  }
  for (const auto& choice : models_)
    if (out.trouble.empty() && choice.left_alone) out.trouble = choice.left_alone();
  return out;
}

}  // namespace memd::llm
