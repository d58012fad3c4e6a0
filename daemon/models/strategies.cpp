#include "daemon/models/strategies.hpp"

#include "schemas/base/error.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace memd::llm {

namespace {

constexpr std::size_t kMostFiles = 20;

void add(std::string& out, std::string_view who, std::string_view text, std::size_t tokens) {
  const std::string shown = cut_to_tokens(text, tokens).text;
  if (shown.find_first_not_of(" \t\r\n") != std::string::npos) out += fmt::format("{}: {}\n", who, shown);
}

// Returns the final answer, preceded by as much of the earlier text as fits.
std::string answer_text(const SummaryInput& in, std::size_t max_tokens) {
  constexpr std::size_t kBreak = 4;  // tokens between the two texts
  const std::string_view all = in.assistant_response;
  const std::string_view final_answer = in.final_answer();
  const std::size_t taken = estimate_tokens(final_answer) + kBreak;
  if (estimate_tokens(all) <= max_tokens || final_answer.empty()) return std::string(all);
  if (taken >= max_tokens) return std::string(final_answer);
  const auto before = cut_to_tokens(all.substr(0, all.size() - final_answer.size()), max_tokens - taken);
  return before.text + (before.text.empty() ? "" : "\n") + std::string(final_answer);
}

std::string exchange_text(const SummaryInput& in, std::size_t max_tokens) {
  const std::array<std::size_t, 3> wanted{estimate_tokens(in.user_message), estimate_tokens(in.interventions),
                                          estimate_tokens(in.assistant_response)};
  const auto shares = fair_shares(max_tokens, wanted);
  std::string out = "[" + std::string(in.label) + "]\n";
  add(out, "Person", in.user_message, shares[0]);
  add(out, "Person, meanwhile", in.interventions, shares[1]);
  add(out, "Agent", answer_text(in, shares[2]), shares[2]);
  if (in.tool_calls > 0)
    out += fmt::format("Tools: {} calls{}\n", in.tool_calls,
                       in.tool_errors > 0 ? fmt::format(", {} failed", in.tool_errors) : "");
  if (!in.files_modified.empty()) {
    std::string files;
    for (std::size_t i = 0; i < std::min(in.files_modified.size(), kMostFiles); ++i)
      files += fmt::format("{}{}", i == 0 ? "" : ", ", in.files_modified[i]);
    if (in.files_modified.size() > kMostFiles)
      files += fmt::format(" and {} more", in.files_modified.size() - kMostFiles);
    add(out, "Changed", files, max_tokens / 8);
  }
  redact(out);  // text that leaves the machine is masked once more
  return out;
}

constexpr double kChunkRatio = 0.30;
constexpr double kSessionRatio = 0.10;
constexpr double kAbstractRatio = 0.02;
constexpr std::size_t kShortest = 80;
constexpr std::size_t kLongestAbstract = 150;

std::size_t share(std::size_t tokens, double ratio) {
  return static_cast<std::size_t>(static_cast<double>(tokens) * ratio);
}

// Rounds a length to steps, so that a slightly longer session or a slightly larger limit gives the same request.
std::size_t in_steps(std::size_t tokens, std::size_t shortest, std::size_t longest) {
  constexpr std::size_t kStep = 50;
  return std::clamp((tokens + kStep - 1) / kStep * kStep, std::min(shortest, longest), longest);
}

// Maximum tokens of a part's summary. Two of them fit into a request with the answer that combines them.
std::size_t longest_part(const SummaryTask& task) { return task.context_tokens / 6; }

std::size_t chunk_tokens(const SummaryTask& task, const SessionChunk& chunk) {
  return in_steps(share(chunk.tokens, kChunkRatio), kShortest, longest_part(task));
}

// Returns the tokens of one request that are left for texts of history.
std::size_t room(const SummaryTask& task, std::size_t answer) {
  const std::size_t taken = kPromptTokens + answer + answer / 2;
  return task.context_tokens > taken ? task.context_tokens - taken : 0;
}

std::string own_sentences(const SummaryTask& task, const SessionChunk& chunk, std::size_t max_tokens) {
  SummaryLimits limits;
  limits.ratio = kSessionRatio;
  limits.max_tokens = max_tokens;
  return summarize(task.exchanges.subspan(chunk.first, chunk.last - chunk.first + 1), limits).text;
}

Error nothing_came(const ModelRun& run) { return Error(Errc::unavailable, run.trouble()); }

struct Parts {
  std::vector<std::string> texts;  // one for each chunk, in order
  std::size_t by_model = 0;
};

// Summarises each chunk alone; uses its own sentences where the model delivered nothing.
Result<Parts> summarise_parts(const SummaryTask& task, ModelRun& run) {
  run.begin("summarising parts", task.chunks.size());
  std::vector<SummaryRequest> requests;
  for (const auto& chunk : task.chunks)
    requests.push_back(task.prompts.part(chunk.text, chunk_tokens(task, chunk)));
  MEMD_TRY_ASSIGN(auto answers, run.ask(requests));
  Parts out;
  for (std::size_t i = 0; i < task.chunks.size(); ++i) {
    out.by_model += answers[i] ? 1 : 0;
    out.texts.push_back(answers[i] ? std::move(*answers[i])
                                   : own_sentences(task, task.chunks[i], requests[i].max_tokens));
  }
  if (out.by_model == 0) return nothing_came(run);
  return out;
}

// Returns the replacement for a summary of the whole: the parts in order, each cut to its share.
std::string strung_together(const SummaryTask& task, const std::vector<std::string>& texts) {
  std::vector<std::size_t> wanted;
  for (const auto& text : texts)
    wanted.push_back(estimate_tokens(text) + 12);
  const auto shares = fair_shares(task.max_tokens, wanted);
  std::string out;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto cut = cut_to_tokens(texts[i], shares[i] > 12 ? shares[i] - 12 : 0);
    if (cut.text.empty()) continue;
    out += fmt::format("{}{}\n", out.empty() ? "" : "\n", cut.text);
  }
  return out;
}

// Groups neighbours that fit into one request, independent of the requested length. The first groups, and the cached
// answers to them, thus stay the same as the session grows.
std::vector<std::vector<std::string>> groups_of(const SummaryTask& task, const std::vector<std::string>& texts) {
  constexpr std::size_t kMarks = 40;
  const std::size_t most = room(task, task.context_tokens / 4);
  std::vector<std::vector<std::string>> out;
  std::size_t filled = 0;
  for (const auto& text : texts) {
    const std::size_t tokens = estimate_tokens(text) + kMarks;
    if (out.empty() || filled + tokens > most) {
      out.emplace_back();
      filled = 0;
    }
    out.back().push_back(text);
    filled += tokens;
  }
  return out;
}

// Combines the summaries into one; nullopt when the model did not deliver it.
Result<std::optional<std::string>> combine(const SummaryTask& task, ModelRun& run, std::vector<std::string> texts,
                                           std::size_t tokens) {
  while (texts.size() > 1) {
    const auto groups = groups_of(task, texts);
    const bool last = groups.size() == 1;
    if (!last && groups.size() == texts.size()) break;  // a further round would not reduce them
    run.begin("combining summaries", groups.size());
    std::vector<SummaryRequest> requests;
    for (const auto& group : groups)
      requests.push_back(task.prompts.combine(group, last ? tokens : longest_part(task)));
    MEMD_TRY_ASSIGN(auto answers, run.ask(requests));
    texts.clear();
    for (auto& answer : answers) {
      if (!answer) return std::optional<std::string>();
      texts.push_back(std::move(*answer));
    }
    if (last) return std::optional(std::move(texts.front()));
  }
  return std::optional<std::string>();
}

void set_text(Draft& draft, const SummaryTask& task, const ModelRun& run, std::optional<std::string> combined,
              const std::vector<std::string>& parts) {
  draft.text = combined ? std::move(*combined) : strung_together(task, parts);
  if (!combined && run.trouble().empty())
    draft.note = "The summaries of the parts are too long to be combined: they stand one after the other.";
}

Result<Draft> in_one_request(const SummaryTask& task, ModelRun& run) {
  std::string record;
  for (const auto& chunk : task.chunks)
    record += chunk.text;
  run.expect(1);
  run.begin("summarising the session", 1);
  MEMD_TRY_ASSIGN(auto answer, run.ask(task.prompts.whole_session(record, task.max_tokens)));
  if (!answer) return nothing_came(run);
  Draft out;
  out.text = std::move(*answer);
  out.parts_by_model = task.chunks.size();
  return out;
}

std::size_t session_tokens(const SummaryTask& task) {
  return in_steps(share(task.source_tokens(), kSessionRatio), kShortest, task.max_tokens);
}

}  // namespace

std::vector<SessionChunk> cut_into_chunks(std::span<const SummaryInput> exchanges, const ChunkLimits& limits) {
  std::vector<SessionChunk> out;
  for (std::size_t i = 0; i < exchanges.size(); ++i) {
    const std::string text = exchange_text(exchanges[i], limits.tokens * 3 / 4);
    const std::size_t tokens = estimate_tokens(text);
    const bool fits =
        !out.empty() && out.back().tokens + tokens <= limits.tokens && i - out.back().first < limits.exchanges;
    if (!fits) out.push_back({i, i, {}, 0});
    out.back().last = i;
    out.back().text += text;
    out.back().tokens += tokens;
  }
  return out;
}

std::size_t SummaryTask::source_tokens() const {
  std::size_t out = 0;
  for (const auto& chunk : chunks)
    out += chunk.tokens;
  return out;
}

Result<Draft> abstractive(const SummaryTask& task, ModelRun& run) {
  if (task.source_tokens() <= room(task, task.max_tokens)) return in_one_request(task, run);
  auto out = map_reduce(task, run);
  if (out) out->note = "The session is too long for one request: its parts were summarised, then combined.";
  return out;
}

Result<Draft> recursive(const SummaryTask& task, ModelRun& run) {
  run.expect(task.chunks.size());
  run.begin("summarising parts", task.chunks.size());
  std::string summary;
  std::size_t done = 0;
  for (const auto& chunk : task.chunks) {
    // Requests before the last chunk stay the same however long the session and the summary become.
    const bool last = &chunk == &task.chunks.back();
    const std::size_t tokens = last ? task.max_tokens : longest_part(task);
    MEMD_TRY_ASSIGN(auto answer, run.ask(done == 0 ? task.prompts.whole_session(chunk.text, tokens)
                                                   : task.prompts.update(summary, chunk.text, tokens)));
    if (!answer) break;
    summary = std::move(*answer);
    ++done;
  }
  if (done == 0) return nothing_came(run);
  Draft out;
  out.parts_by_model = done;
  if (done == task.chunks.size()) {
    out.text = std::move(summary);
    return out;
  }
  std::vector<std::string> texts{std::move(summary)};
  for (std::size_t i = done; i < task.chunks.size(); ++i)
    texts.push_back(own_sentences(task, task.chunks[i], task.max_tokens));
  out.text = strung_together(task, texts);
  return out;
}

Result<Draft> map_reduce(const SummaryTask& task, ModelRun& run) {
  if (task.chunks.size() == 1) return in_one_request(task, run);
  run.expect(task.chunks.size() + 1);
  MEMD_TRY_ASSIGN(const auto parts, summarise_parts(task, run));
  Draft out;
  out.parts_by_model = parts.by_model;
  MEMD_TRY_ASSIGN(auto text, combine(task, run, parts.texts, task.max_tokens));
  set_text(out, task, run, std::move(text), parts.texts);
  return out;
}

Result<Draft> hierarchical(const SummaryTask& task, ModelRun& run) {
  run.expect(task.chunks.size() + 2);
  MEMD_TRY_ASSIGN(auto parts, summarise_parts(task, run));
  Draft out;
  out.parts_by_model = parts.by_model;
  if (task.chunks.size() == 1) {
    out.text = parts.texts.front();
  } else {
    MEMD_TRY_ASSIGN(auto text, combine(task, run, parts.texts, session_tokens(task)));
    set_text(out, task, run, std::move(text), parts.texts);
  }
  const std::size_t abstract_tokens =
      in_steps(share(task.source_tokens(), kAbstractRatio), kShortest, kLongestAbstract);
  run.begin("writing the abstract", 1);
  MEMD_TRY_ASSIGN(auto abstract, run.ask(task.prompts.abstract(out.text, abstract_tokens)));
  out.abstract = abstract ? std::move(*abstract) : cut_to_tokens(out.text, abstract_tokens).text;
  for (std::size_t i = 0; i < task.chunks.size(); ++i)
    out.parts.push_back({task.chunks[i].first, task.chunks[i].last, std::move(parts.texts[i])});
  return out;
}

}  // namespace memd::llm
