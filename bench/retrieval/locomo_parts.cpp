#include "bench/retrieval/claude_transcript.hpp"
#include "bench/retrieval/locomo.hpp"

#include <map>
#include <stdexcept>

namespace memd::bench {
namespace fs = std::filesystem;
namespace {

constexpr TimeMs kMinute = 60'000;

// Session uids of a dialog, by session number.
using Uids = std::map<int, std::string>;

Uids write_turns(const fs::path& home, const LocomoDialog& dialog, int collection) {
  Uids uids;
  for (const LocomoSession& session : dialog.sessions) {
    ClaudeTranscript transcript(home, dialog.id, collection, session.number);
    TimeMs time = session.time;
    for (const LocomoTurn& turn : session.turns) {
      transcript.user(turn.speaker + ": " + turn.text + (turn.caption.empty() ? "" : " [" + turn.caption + "]"), time);
      time += kMinute;
    }
    transcript.finish();
    uids[session.number] = transcript.session_uid();
  }
  return uids;
}

std::vector<std::string> groups_of(const LocomoQuestion& question, std::size_t dialog, bool session_level) {
  const std::string split = dialog < kTrainDialogs ? "train" : "test";
  const std::string category = "category " + std::to_string(question.category);
  const std::string of_dialog = "dialog " + std::to_string(dialog + 1);
  if (session_level) return {"all", split, category, of_dialog};
  if (question.category == 5) return {category};
  return {"categories 1–4", split, category, of_dialog};
}

// Exchange ids of the evidence, where a session's n-th turn is its n-th exchange.
Question with_turns(const LocomoQuestion& asked, const Uids& uids,
                    const std::map<std::string, std::vector<const Document*>>& exchanges) {
  Question question{asked.text, {}, {}};
  for (const auto& [session, turn] : asked.evidence) {
    const auto uid = uids.find(session);
    if (uid == uids.end()) continue;
    const auto& turns = exchanges.at(uid->second);
    if (turn >= 1 && turn <= static_cast<int>(turns.size()))
      question.relevant.insert(turns[static_cast<std::size_t>(turn - 1)]->exchange_id);
  }
  return question;
}

std::vector<Question> session_questions(const LocomoDialog& dialog, std::size_t index, const Uids& uids) {
  std::vector<Question> questions;
  for (const LocomoQuestion& asked : dialog.questions) {
    Question question{asked.text, groups_of(asked, index, true), {}};
    for (const auto& evidence : asked.evidence)
      if (const auto uid = uids.find(evidence.first); uid != uids.end()) question.relevant.insert(uid->second);
    if (!question.relevant.empty()) questions.push_back(std::move(question));
  }
  return questions;
}

Experiment::Plan session_plan(std::string name, std::string title) {
  return {std::move(name),
          std::move(title),
          Unit::session,
          {hit_at(1), hit_at(5), mean_reciprocal_rank()},
          {"all", "train", "test", "category 5"},
          {"category 1", "category 2", "category 3", "category 4"}};
}

}  // namespace

// Without captions, as the peer that publishes figures does.
std::map<int, std::string> write_dialog(const fs::path& home, const LocomoDialog& dialog, std::size_t collection) {
  Uids uids;
  for (const LocomoSession& session : dialog.sessions) {
    ClaudeTranscript transcript(home, dialog.id, static_cast<int>(collection), session.number);
    TimeMs time = session.time;
    for (const LocomoTurn& turn : session.turns) {
      const std::string text = turn.speaker + ": " + turn.text;
      if (turn.speaker == dialog.speaker_a)
        transcript.user(text, time);
      else
        transcript.assistant(text, time);
      time += kMinute;
    }
    transcript.finish();
    uids[session.number] = transcript.session_uid();
  }
  return uids;
}

Experiment ask_locomo_turns(const Run& run, const std::vector<LocomoDialog>& dialogs) {
  std::vector<Uids> uids;
  IndexedHome home(run.memd, [&](const fs::path& directory) {
    for (std::size_t i = 0; i < dialogs.size(); ++i)
      uids.push_back(write_turns(directory, dialogs[i], static_cast<int>(i)));
  });
  std::map<std::string, std::vector<const Document*>> exchanges;
  for (const Document& document : home.documents())
    exchanges[document.session_uid].push_back(&document);
  std::vector<Question> questions;
  for (std::size_t i = 0; i < dialogs.size(); ++i) {
    for (const auto& [number, uid] : uids[i])
      if (exchanges[uid].size() != dialogs[i].session(number)->turns.size())
        throw std::runtime_error(uid + " has " + std::to_string(dialogs[i].session(number)->turns.size()) + " turns, " +
                                 std::to_string(exchanges[uid].size()) + " exchanges");
    for (const LocomoQuestion& asked : dialogs[i].questions) {
      Question question = with_turns(asked, uids[i], exchanges);
      question.groups = groups_of(asked, i, false);
      if (!question.relevant.empty()) questions.push_back(std::move(question));
    }
  }
  Experiment experiment({"locomo-turns",
                         "LoCoMo, turns of all dialogs in one index",
                         Unit::exchange,
                         {ndcg_at(10), recall_at(10)},
                         {"categories 1–4", "train", "test", "category 5"},
                         {"category 1", "category 2", "category 3", "category 4"}},
                        run);
  experiment.ask(home, questions);
  return experiment;
}

Experiment ask_locomo_sessions(const Run& run, const std::vector<LocomoDialog>& dialogs, bool all_in_one) {
  Experiment experiment(all_in_one ? session_plan("locomo-sessions-all", "LoCoMo, sessions of all dialogs in one index")
                                   : session_plan("locomo-sessions", "LoCoMo, sessions, an index a dialog"),
                        run);
  if (!all_in_one) {
    for (std::size_t i = 0; i < dialogs.size(); ++i) {
      Uids uids;
      IndexedHome home(run.memd, [&](const fs::path& directory) { uids = write_dialog(directory, dialogs[i], i); });
      experiment.ask(home, session_questions(dialogs[i], i, uids));
    }
    return experiment;
  }
  std::vector<Uids> uids;
  IndexedHome home(run.memd, [&](const fs::path& directory) {
    for (std::size_t i = 0; i < dialogs.size(); ++i)
      uids.push_back(write_dialog(directory, dialogs[i], i));
  });
  for (std::size_t i = 0; i < dialogs.size(); ++i)
    experiment.ask(home, session_questions(dialogs[i], i, uids[i]));
  return experiment;
}

}  // namespace memd::bench
