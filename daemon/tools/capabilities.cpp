#include "daemon/tools/capabilities.hpp"

#include "daemon/tools/llm_summarizer.hpp"
#include "daemon/tools/scope.hpp"
#include "daemon/tools/tool_services.hpp"
#include "daemon/version.hpp"
#include "protocol/mcp/tool_registry.hpp"
#include "schemas/store_health.hpp"
#include "store/read/ingestion.hpp"
#include "store/reader_pool.hpp"
#include "store/search/vectors/semantic_index.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>
#include <functional>
#include <mutex>
#include <string_view>
#include <utility>

namespace memd::tools {
namespace {

bool has_history(const PlatformOut& p) { return p.sources > 0 || p.sessions > 0 || p.subagent_sessions > 0; }

template <class T>
void drop(CapabilitiesAnswer& answer, std::optional<T> PlatformOut::*detail) {
  for (auto& [name, p] : answer.platforms)
    (p.*detail).reset();
}

struct Step {
  std::string_view left_out;
  std::string_view instead_of;  // `left_out` of the earlier step that this one includes; empty: none
  std::function<void(CapabilitiesAnswer&)> apply;
};

constexpr std::string_view kMoreLimitations = "limitations of agents less used here";

// Returns the agents with history, fewest exchanges first.
std::vector<std::string> least_used_first(const CapabilitiesAnswer& whole) {
  std::vector<std::pair<std::int64_t, std::string>> used;
  for (const auto& [name, p] : whole.platforms)
    if (has_history(p)) used.emplace_back(p.exchanges, name);
  std::sort(used.begin(), used.end());
  std::vector<std::string> out;
  for (auto& [exchanges, name] : used)
    out.push_back(std::move(name));
  return out;
}

std::vector<Step> steps_for(const CapabilitiesAnswer& whole) {
  std::vector<Step> out{{"capability_matrix", "", [](auto& a) { a.capability_matrix.reset(); }},
                        {"storage locations", "", [](auto& a) { drop(a, &PlatformOut::storage_location); }}};
  std::string_view before;
  const auto names = least_used_first(whole);
  for (const std::string& name : names) {
    const bool last = name == names.back();
    const std::string_view words = last ? "limitations" : kMoreLimitations;
    out.push_back({words, before, [name](auto& a) {
                     for (auto& [platform, p] : a.platforms)
                       if (platform == name) p.limitations.reset();
                   }});
    before = words;
  }
  out.insert(out.end(), {{"freshness of what is read to its end", "",
                          [](auto& a) {
                            if (a.freshness)
                              std::erase_if(*a.freshness, [](const FreshnessOut& f) { return f.sources_behind == 0; });
                          }},
                         {"capabilities of agents", "", [](auto& a) { drop(a, &PlatformOut::capabilities); }},
                         {"agents without history here", "", [](auto& a) { a.without_history.reset(); }},
                         {"agents", "", [](auto& a) { a.platforms.clear(); }},
                         {"freshness", "freshness of what is read to its end", [](auto& a) { a.freshness.reset(); }}});
  return out;
}

CapabilitiesForm form_of(CapabilitiesAnswer& answer) {
  CapabilitiesForm out;
  answer.est_tokens = 9999;  // a placeholder with as many digits
  answer.est_tokens = static_cast<std::int64_t>(estimate_tokens(mcp::to_json(answer)));
  out.json = mcp::to_json(answer);
  out.text = render_text(answer).str();
  out.tokens = std::max(static_cast<std::size_t>(answer.est_tokens), estimate_tokens(out.text));
  return out;
}

std::string call_for(std::size_t tokens, std::int64_t most) {
  constexpr std::size_t kStep = 50;
  const auto rounded = static_cast<std::int64_t>((tokens / kStep + 2) * kStep);  // the store grows meanwhile
  return "capabilities(max_tokens=" + std::to_string(std::min(rounded, most)) + ")";
}

// Returns the complete form, then forms with less and less detail, the agents themselves and their freshness last. Each
// form names what it left out and the call for all of it.
std::vector<CapabilitiesForm> capability_forms(const CapabilitiesAnswer& whole) {
  CapabilitiesAnswer answer = whole;
  std::vector<CapabilitiesForm> out{form_of(answer)};
  answer.more = call_for(out.front().tokens, whole.server.most_max_tokens);
  std::vector<std::string> left_out;
  for (const Step& step : steps_for(whole)) {
    step.apply(answer);
    std::erase(left_out, step.instead_of);
    left_out.emplace_back(step.left_out);
    answer.notice = AnswerText("No room for: ").add(AnswerText::Message{joined(left_out)}, ".");
    answer.notice.say(whole.notice);
    CapabilitiesForm form = form_of(answer);
    if (form.tokens < out.back().tokens) out.push_back(std::move(form));
  }
  return out;
}

PlatformOut platform_out(const AdapterDescription& adapter, const std::vector<PlatformTotals>& totals) {
  PlatformOut out;
  out.status = to_string(adapter.status);
  out.adapter_version = adapter.adapter_version;
  out.contract_version = adapter.contract_version;
  out.data_completeness = to_string(adapter.data_completeness);
  out.capabilities.emplace();
  for (const Capability c : adapter.capabilities)
    out.capabilities->emplace_back(to_string(c));
  out.limitations = adapter.limitations;
  out.storage_location = adapter.storage_locations;
  const auto it =
      std::find_if(totals.begin(), totals.end(), [&](const auto& t) { return t.platform == adapter.platform; });
  if (it != totals.end()) {
    out.sources = it->sources;
    out.sessions = it->sessions;
    out.subagent_sessions = it->subagent_sessions;
    out.exchanges = it->exchanges + it->subagent_exchanges;
    const TokenUsage& tokens = it->tokens;
    if (tokens != TokenUsage())
      out.tokens = TokenCountsOut{tokens.input, tokens.output, tokens.cache_read, tokens.cache_creation};
    out.time_range = to_out(it->span);
    out.schema_drift = it->drift_at != 0;
  }
  return out;
}

struct StoreFacts {
  std::vector<PlatformTotals> totals;
  search::SemanticState semantic;
};

CapabilitiesAnswer compose(const ToolServices& services, const StoreFacts& facts) {
  const auto& totals = facts.totals;
  CapabilitiesAnswer out;
  if (const auto scope = resolve_scope(services, {})) {
    static_cast<Answer&>(out) = answer_for(*scope);
    out.freshness = freshness_of(*scope);
    out.platforms_searched = scope->searched;
  }
  for (const Platform p : platform_ids()) {
    const AdapterDescription* adapter = services.adapters.find(p);
    if (adapter == nullptr) continue;
    const std::string key(to_string(p));
    if (PlatformOut platform = platform_out(*adapter, totals);
        has_history(platform) || adapter->status != AdapterStatus::active)
      out.platforms.emplace_back(key, std::move(platform));
    else
      (out.without_history ? *out.without_history : out.without_history.emplace()).push_back(key);
  }
  out.capability_matrix.emplace();
  for (const Capability c : kAllCapabilities) {
    std::vector<std::string> having;
    for (const auto& [key, platform] : out.platforms)
      if (std::ranges::find(*platform.capabilities, to_string(c)) != platform.capabilities->end())
        having.push_back(key);
    out.capability_matrix->emplace_back(to_string(c), std::move(having));
  }
  std::error_code ec;
  const auto bytes = std::filesystem::file_size(services.database, ec);
  out.server = {"memd",
                std::string(version()),
                facts.semantic.exchanges > 0 ? "hybrid" : "lexical",
                std::string(kContractVersion),
                ec ? 0 : static_cast<std::int64_t>(bytes),
                static_cast<std::int64_t>(services.defaults.max_tokens),
                static_cast<std::int64_t>(services.defaults.max_tokens_limit),
                facts.semantic.exchanges > 0 ? facts.semantic.model : "",
                facts.semantic.pending,
                services.llm != nullptr ? services.llm->models() : "",
                services.llm != nullptr ? services.llm->trouble() : "",
                services.defaults.judges_decisions ? std::optional(true) : std::nullopt};
  return out;
}

template <std::size_t size>
void add_names(AnswerText& out, const char (&name)[size], const std::optional<std::vector<std::string>>& words) {
  if (!words) return;
  out.add("  ", name, ":");
  for (const std::string& word : *words)
    out.add(" ", AnswerText::Echo{word});
  out.add("\n");
}

// A cache of the forms of the answer. Thread-safe; shared by the tool and its background work.
class CapabilitiesCache : public std::enable_shared_from_this<CapabilitiesCache> {
 public:
  using Forms = std::vector<std::shared_ptr<const CapabilitiesForm>>;  // the complete one first

  explicit CapabilitiesCache(const ToolServices& services) : services_(services) {}

  Result<std::shared_ptr<const Forms>> get() {
    std::shared_ptr<const Forms> old;
    {
      const std::lock_guard lock(mutex_);
      if (forms_ && !is_due()) return forms_;
      if (services_.background) old = forms_;
      refreshing_ = true;
    }
    if (old) {
      services_.background([self = shared_from_this()] { static_cast<void>(self->refresh()); });
      return old;
    }
    MEMD_TRY(refresh());
    const std::lock_guard lock(mutex_);
    return forms_;
  }

 private:
  static constexpr TimeMs kLeastAge = 1000;
  static constexpr TimeMs kMostAge = 5000;  // freshness changes without a commit

  bool is_due() const {
    if (refreshing_) return false;
    const TimeMs now = services_.clock.now();
    return has_passed(kMostAge, made_at_, now) ||
           (has_passed(kLeastAge, made_at_, now) && services_.freshness.generation() != generation_);
  }

  Result<void> refresh() {
    const std::uint64_t generation = services_.freshness.generation();
    const TimeMs now = services_.clock.now();
    auto facts = read_facts();
    auto forms = facts ? write(compose(services_, *facts)) : nullptr;
    const std::lock_guard lock(mutex_);
    refreshing_ = false;
    if (!facts) {
      if (!forms_) return std::move(facts).error();
      made_at_ = now;  // a busy store is queried again later, not by every call
      return {};
    }
    forms_ = std::move(forms);
    generation_ = generation;
    made_at_ = now;
    return {};
  }

  static std::shared_ptr<const Forms> write(const CapabilitiesAnswer& whole) {
    Forms out;
    for (CapabilitiesForm& form : capability_forms(whole))
      out.push_back(std::make_shared<const CapabilitiesForm>(std::move(form)));
    return std::make_shared<const Forms>(std::move(out));
  }

  Result<StoreFacts> read_facts() {
    MEMD_TRY_ASSIGN(const auto reader, services_.readers.acquire(std::chrono::seconds(1)));
    StoreFacts out;
    MEMD_TRY_ASSIGN(out.totals, reader->ask(PlatformTotalsQuery{}));
    MEMD_TRY_ASSIGN(out.semantic, reader->semantic_state());
    return out;
  }

  const ToolServices services_;
  std::mutex mutex_;
  std::shared_ptr<const Forms> forms_;  // guarded by mutex_, as are the next three
  std::uint64_t generation_ = 0;
  TimeMs made_at_ = 0;
  bool refreshing_ = false;
};

}  // namespace

AnswerText render_text(const CapabilitiesAnswer& a) {
  using Id = AnswerText::Id;
  using Echo = AnswerText::Echo;
  using Message = AnswerText::Message;
  AnswerText out;
  out.add(Id{a.server.name}, " ", Echo{a.server.version}, ", adapter contract ", Id{a.server.contract_version},
          ", ranking ", Echo{a.server.ranking}, ", store ", a.server.store_bytes, " bytes, answers of ",
          a.server.default_max_tokens, " tokens (at most ", a.server.most_max_tokens, ").\n");
  if (!a.server.embedding_model.empty()) out.add("searches by meaning with ", Echo{a.server.embedding_model}, "\n");
  if (a.server.embedding_pending > 0)
    out.add("not embedded yet: ", counted_words(a.server.embedding_pending, "turn"), "\n");
  if (!a.server.summary_models.empty()) out.add("summaries by a language model: ", Echo{a.server.summary_models}, "\n");
  if (a.server.decisions_by_model) out.add("  they judge decisions, too\n");
  if (!a.server.summary_trouble.empty()) out.add("  not asked now: ", Message{a.server.summary_trouble}, "\n");
  for (const auto& [key, p] : a.platforms) {
    out.add(Id{key}, ": ", Id{p.status}, ", adapter ", Id{p.adapter_version}, ", data ", Id{p.data_completeness}, ", ",
            p.sessions, " sessions (+", p.subagent_sessions, " of subagents), ", p.exchanges, " turns in ", p.sources,
            " files");
    if (!p.time_range.start.empty())
      out.add(", ", AnswerText::Time{p.time_range.start}, " to ", AnswerText::Time{p.time_range.end});
    if (p.tokens)
      out.add(", tokens in ", p.tokens->input, " out ", p.tokens->output, " cached ", p.tokens->cache_read, "+",
              p.tokens->cache_creation);
    out.add("\n");
    add_names(out, "can", p.capabilities);
    add_names(out, "reads", p.storage_location);
    if (p.schema_drift)
      out.add("  warning: it seems to have changed its format; what it wrote lately may be missing\n");
    for (const std::string& l : p.limitations.value_or(std::vector<std::string>()))
      out.add("  limitation: ", Message{l}, "\n");
  }
  if (a.without_history) {
    out.add("read, too, and without history here:");
    for (const std::string& key : *a.without_history)
      out.add(" ", Id{key});
    out.add("\n");
  }
  if (a.more) out.add("All of it: ", Echo{*a.more}, ".\n");
  return out.add(answer_footer(a));
}

std::string render_text(const RenderedCapabilities& answer) { return answer.form->text; }
std::string to_json(const RenderedCapabilities& answer) { return answer.form->json; }

void add_capabilities(mcp::ToolRegistry& registry, const ToolServices& services) {
  mcp::ToolInfo info;
  info.name = "capabilities";
  info.title = "What this memory can see";
  info.description =
      "Which agents' history can memd see, how complete and how fresh. Ask when a search finds nothing where "
      "something should be.";
  info.search_words = "which agents history can you see complete fresh missing sources";
  info.inline_ok = true;
  registry.add<CapabilitiesParams, RenderedCapabilities>(
      std::move(info),
      [cache = std::make_shared<CapabilitiesCache>(services), services](
          const CapabilitiesParams& params, mcp::ToolContext&) -> Result<RenderedCapabilities> {
        MEMD_TRY_ASSIGN(const auto forms, cache->get());
        const std::size_t limit = token_limit(services, params);
        RenderedCapabilities out;
        for (const auto& form : *forms) {
          if (form->tokens > limit) continue;
          out.form = form;
          return out;
        }
        return too_little_room(limit, forms->back()->tokens);
      });
}

}  // namespace memd::tools
