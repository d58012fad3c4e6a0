#include "daemon/models/session_chunks.hpp"

#include "store/text/redaction/redactor.hpp"
#include "store/text/token_budget.hpp"
#include "store/text/token_estimate.hpp"

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

// The final answer, and of what was said on the way to it as much as there is room for.
std::string answer_text(const SummaryInput& in, std::size_t max_tokens) {
  constexpr std::size_t kBreak = 4;  // tokens between the two
  const std::string_view all = in.assistant_response;
  const auto final_answer = all.substr(std::min(in.answer_offset, all.size()));
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
  redact(out);  // what leaves the machine is looked at once more
  return out;
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

}  // namespace memd::llm
