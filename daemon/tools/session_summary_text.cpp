// The answer of session_summary as text.
#include "daemon/tools/session_summary.hpp"

namespace memd::tools {
namespace {

// Says how many there are also where there was room for none.
std::string counted(std::string_view heading, std::size_t shown, std::int64_t total) {
  if (total == 0) return {};
  return "\n" + std::string(heading) + " (" + std::to_string(shown) + " of " + std::to_string(total) + "):\n";
}

std::string noted(const std::vector<NotedOut>& all) {
  std::string out;
  for (const NotedOut& one : all)
    out += "- " + one.exchange_id + "  " + one.text + "\n";
  return out;
}

std::string lines_of(const ChangedFileOut& file) {
  if (file.lines_added + file.lines_removed == 0) return {};
  return "  +" + std::to_string(file.lines_added) + " -" + std::to_string(file.lines_removed);
}

}  // namespace

std::string render_text(const SessionSummaryAnswer& a) {
  std::string out = "Session " + a.session_id + " (" + a.platform + (a.project.empty() ? "" : ", " + a.project) +
                    ", data " + a.data_completeness + ", outcome " + a.outcome + "), " +
                    std::to_string(a.total_exchanges) + " exchanges, " + short_time(a.time_range.start) + " to " +
                    short_time(a.time_range.end) + ".\n";
  out += "Summary: " + a.provenance.strategy + " of " + a.provenance.inputs;
  if (!a.provenance.model.empty())
    out += ", written by " + a.provenance.model + (a.provenance.cached ? " before" : "") +
           (a.provenance.model_requests > 0 ? ", " + std::to_string(a.provenance.model_requests) + " requests" : "");
  else
    out += ", quoted";
  out += "; " + std::to_string(a.summary_tokens) + " of " + std::to_string(a.source_tokens) + " tokens, " +
         std::to_string(a.chunks_total) + (a.chunks_total == 1 ? " chunk.\n" : " chunks.\n");

  std::string body = "Session: " + a.session_name + "\n\n" + a.summary + "\n";
  for (const SummaryChunkOut& c : a.chunks)
    body += "\nChunk " + std::to_string(c.chunk) + ", " + c.first_exchange_id + " to " + c.last_exchange_id + " (" +
            std::to_string(c.exchange_count) + " exchanges, " + short_time(c.time_range.start) + " to " +
            short_time(c.time_range.end) + "): " + c.summary + "\n";
  if (!a.topics.empty()) {
    body += "\nTopics: ";
    for (std::size_t i = 0; i < a.topics.size(); ++i)
      body += (i == 0 ? "" : ", ") + a.topics[i];
    body += "\n";
  }
  body += counted("Decisions", a.key_decisions.size(), a.key_decisions_total) + noted(a.key_decisions);
  body += counted("Files modified", a.files_modified.size(), a.files_modified_total);
  for (const ChangedFileOut& f : a.files_modified)
    body += "- " + f.path + "  " + f.last_exchange_id + lines_of(f) + "\n";
  body += counted("Commits", a.commits.size(), a.commits_total);
  for (const SessionCommitOut& c : a.commits)
    body += "- " + c.sha + "  " + c.exchange_id + "  " + c.subject +
            (c.pull_request ? "  in " + *c.pull_request : std::string()) + "\n";
  body += counted("Pull requests", a.pull_requests.size(), a.pull_requests_total);
  for (const std::string& url : a.pull_requests)
    body += "- " + url + "\n";
  if (!a.open_ends.empty()) body += "\nOpen:\n" + noted(a.open_ends);
  if (!a.observation_counts.empty()) {
    body += "\nNoted: ";
    for (std::size_t i = 0; i < a.observation_counts.size(); ++i)
      body +=
          (i == 0 ? "" : ", ") + a.observation_counts[i].first + " " + std::to_string(a.observation_counts[i].second);
    body += "\n";
  }
  out += history_block(body);
  if (!a.more.empty()) out += "More: " + a.more + ".\n";
  return out + answer_footer(a);
}

}  // namespace memd::tools
