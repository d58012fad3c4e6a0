#include "daemon/cli/usage_explanation.hpp"

#include "daemon/cli/progress_bar.hpp"
#include "daemon/host/settings.hpp"
#include "daemon/ingest/record_finder.hpp"
#include "daemon/interchange/session_walk.hpp"
#include "schemas/base/time.hpp"
#include "store/read/sessions.hpp"
#include "store/reader.hpp"

#include <fmt/format.h>

#include <unordered_map>

namespace memd::cli {
namespace {

constexpr std::string_view kFirst = "first record";
constexpr std::string_view kLarger = "more of it";
constexpr std::string_view kRepeat = "repeated";
constexpr std::string_view kElsewhere = "another session's";

// Judges the records of sessions as the ledger of responses does. One thread.
class Explanation : public interchange::SessionVisitor {
 public:
  Result<void> begin(const SessionUpdate& facts, const StoredSession&) override {
    session_ = facts.session_uid;
    return {};
  }
  Result<void> event(const Event& event, const interchange::WalkedEvent& walked) override {
    if (walked.told_response == 0 || walked.derived_from != 0) return {};
    usage::ExplainedRecord& out = records_.emplace_back();
    out.session = session_;
    out.time = format_rfc3339(event.time);
    out.model = event.model;
    out.response = fmt::format("{:016x}", walked.told_response);
    out.input_tokens = event.usage.input;
    out.output_tokens = event.usage.output;
    out.cache_creation_tokens = event.usage.cache_creation;
    out.cache_read_tokens = event.usage.cache_read;
    judge(out, event);
    return {};
  }
  Result<void> end(const interchange::ExportReport&) override { return {}; }

  std::vector<usage::ExplainedRecord> take() { return std::move(records_); }

 private:
  void judge(usage::ExplainedRecord& out, const Event& event) {
    if (event.response_key == 0) {
      out.reason = kElsewhere;
      return;
    }
    const auto [at, fresh] = counted_.try_emplace(event.response_key, records_.size() - 1, event.usage);
    if (fresh) {
      out.counted = true;
      out.reason = kFirst;
      return;
    }
    auto& [index, known] = at->second;
    const TokenUsage before = known;
    merge_usage(known, event.usage);
    if (known == before) {
      out.reason = kRepeat;
      return;
    }
    records_[index].counted = false;
    records_[index].reason = kRepeat;
    index = records_.size() - 1;
    out.counted = true;
    out.reason = kLarger;
  }

  std::string session_;
  std::vector<usage::ExplainedRecord> records_;
  // By response: the index of the record that counts, and its figures.
  std::unordered_map<std::uint64_t, std::pair<std::size_t, TokenUsage>> counted_;
};

}  // namespace

Result<std::vector<usage::ExplainedRecord>> explain_usage(Reader& reader, const Settings& settings,
                                                          const std::string& session) {
  RecordFinder records(settings.layout.database(), settings.layout.raw_dir(), raw::FrameSeal(settings.cipher));
  MEMD_TRY_ASSIGN(const SessionRow first, reader.ask(SessionQuery{session}));
  std::vector<SessionRow> sessions{first};
  Explanation explanation;
  ProgressBar bar("reading");
  for (std::size_t i = 0; i < sessions.size(); ++i) {  // subagents may have subagents
    const std::string uid = sessions[i].uid;
    const auto progress = [&](double done, double all) { bar.show(done, all, uid); };
    MEMD_TRY(interchange::walk_session(reader, records, sessions[i].pk, explanation, progress));
    MEMD_TRY_ASSIGN(const auto agents, reader.ask(SubagentsQuery{uid}));
    sessions.insert(sessions.end(), agents.begin(), agents.end());
  }
  return explanation.take();
}

}  // namespace memd::cli
