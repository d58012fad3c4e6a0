#include "bench/retrieval/claude_transcript.hpp"
#include "bench/retrieval/longmemeval.hpp"

#include <map>
#include <set>

namespace memd::bench {
namespace {

constexpr TimeMs kMinute = 60'000;

// Session uids by the dataset's ids.
std::map<std::string, std::string> write_haystack(const std::filesystem::path& home,
                                                  const LongMemEvalQuestion& question) {
  std::map<std::string, std::string> uids;
  int number = 0;
  for (const LongMemEvalSession& session : question.haystack) {
    ClaudeTranscript transcript(home, "longmemeval", 0x100, number++);
    TimeMs time = session.time;
    for (const LongMemEvalTurn& turn : session.turns) {
      if (turn.by_user)
        transcript.user(turn.text, time);
      else
        transcript.assistant(turn.text, time);
      time += kMinute;
    }
    transcript.finish();
    uids[session.id] = transcript.session_uid();
  }
  return uids;
}

}  // namespace

Experiment ask_longmemeval(const Run& run, const std::vector<LongMemEvalQuestion>& questions) {
  std::set<std::string> types;
  for (const LongMemEvalQuestion& question : questions)
    types.insert(question.type);
  Experiment experiment({"longmemeval",
                         "LongMemEval, sessions, an index a question",
                         Unit::session,
                         {hit_at(1), hit_at(5), mean_reciprocal_rank()},
                         {"all", "without abstention"},
                         {types.begin(), types.end()}},
                        run);
  for (const LongMemEvalQuestion& asked : questions) {
    std::map<std::string, std::string> uids;
    IndexedHome home(run.memd,
                     [&](const std::filesystem::path& directory) { uids = write_haystack(directory, asked); });
    Question question{asked.text, {"all", asked.type}, {}};
    if (!asked.is_abstention()) question.groups.emplace_back("without abstention");
    for (const std::string& id : asked.answer_sessions)
      if (const auto uid = uids.find(id); uid != uids.end()) question.relevant.insert(uid->second);
    experiment.ask(home, {question});
  }
  return experiment;
}

}  // namespace memd::bench
