#include "daemon/admin/summaries_report.hpp"

#include "daemon/models/api_key.hpp"

#include <fmt/format.h>

#include <utility>

namespace memd::admin {
namespace {

std::string key_trouble(const SummariesConfig& config) {
  const auto key = provider::read_api_key({config.api_key_env, config.api_key_file, "summaries"});
  return key ? std::string() : key.error().context;
}

}  // namespace

Result<SummariesStatus> summaries_status(const MemoryHost& host) {
  SummariesStatus out;
  const auto* summarizer = host.summarizer();
  if (summarizer == nullptr) return out;
  out.models = summarizer->models();
  out.daily_requests = summarizer->budget().requests;
  out.daily_tokens = summarizer->budget().tokens;
  MEMD_TRY_ASSIGN(auto report, summarizer->report());
  for (const auto& spent : report.today) {
    out.requests += spent.requests;
    out.failures += spent.failures;
    out.tokens += spent.tokens_in + spent.tokens_out;
  }
  out.answers = report.answers;
  out.trouble = std::move(report.trouble);
  return out;
}

DoctorCheck check_summaries(const MemoryHost& host) {
  if (host.summarizer() == nullptr)
    return {"summaries", "ok", "no language model is configured: they are made of the sessions' own sentences", ""};
  if (std::string trouble = key_trouble(host.settings().config.summaries); !trouble.empty())
    return {"summaries", "problem", std::move(trouble),
            "Until then summaries are made of the sessions' own sentences."};
  const auto status = summaries_status(host);
  if (!status)
    return {"summaries", "problem", status.error().message(),
            "No language model is asked while what it is asked cannot be written down."};
  std::string detail = fmt::format("{}: {} requests today, {} tokens, {} answers kept", status->models,
                                   status->requests, status->tokens, status->answers);
  if (status->trouble.empty()) return {"summaries", "ok", std::move(detail), ""};
  return {"summaries", "note", status->trouble + " (" + detail + ")",
          "Until then summaries are made of the sessions' own sentences."};
}

}  // namespace memd::admin
