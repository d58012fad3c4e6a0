#include "bench/retrieval/dataset_parts.hpp"

#include "schemas/ids.hpp"
#include "schemas/json_writer.hpp"
#include "schemas/time.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

// Writes one session as Claude Code does. Ids are derived from the two numbers, so runs are repeatable and sessions of
// different collections do not collide. Throws std::runtime_error.
class ClaudeTranscript {
 public:
  // `project` is the last part of the working directory.
  ClaudeTranscript(const std::filesystem::path& home, const std::string& project, int collection, int session);

  void user(std::string_view text, TimeMs time);
  void assistant(std::string_view text, TimeMs time);
  void finish();

  const std::string& session_uid() const { return uid_; }

 private:
  void record(std::string_view type, TimeMs time, std::string_view message);
  std::string next_uuid();

  std::string id_;
  std::string uid_;
  std::string cwd_;
  std::string parent_;
  int collection_;
  int session_;
  int records_ = 0;
  std::ofstream out_;
};

ClaudeTranscript::ClaudeTranscript(const fs::path& home, const std::string& project, int collection, int session)
    : id_(fmt::format("aaaaaaaa-{:04x}-4000-8000-{:012x}", collection, session)),
      uid_(make_session_uid(Platform::claude_code, id_)),
      cwd_("/home/ada/" + project),
      collection_(collection),
      session_(session) {
  const fs::path directory = home / ".claude/projects" / ("-home-ada-" + project);
  fs::create_directories(directory);
  out_.open(directory / (id_ + ".jsonl"), std::ios::binary | std::ios::trunc);
}

std::string ClaudeTranscript::next_uuid() {
  return fmt::format("bbbb{:04x}-{:04x}-4000-8000-{:012x}", collection_, session_, records_++);
}

void ClaudeTranscript::record(std::string_view type, TimeMs time, std::string_view message) {
  const std::string uuid = next_uuid();
  std::string line;
  json::Writer w(line);
  w.begin_object();
  if (parent_.empty())
    w.member_raw("parentUuid", "null");
  else
    w.member("parentUuid", parent_);
  w.member_bool("isSidechain", false);
  w.member("userType", "external");
  w.member("cwd", cwd_);
  w.member("sessionId", id_);
  w.member("version", "2.1.42");
  w.member("gitBranch", "main");
  w.member("type", type);
  w.member_raw("message", message);
  w.member("uuid", uuid);
  w.member("timestamp", format_rfc3339(time));
  w.end_object();
  out_ << line << '\n';
  parent_ = uuid;
}

void ClaudeTranscript::user(std::string_view text, TimeMs time) {
  std::string message;
  json::Writer w(message);
  w.begin_object();
  w.member("role", "user");
  w.member("content", text);
  w.end_object();
  record("user", time, message);
}

void ClaudeTranscript::assistant(std::string_view text, TimeMs time) {
  std::string message;
  json::Writer w(message);
  w.begin_object();
  w.member("model", "claude-opus-4-6");
  w.member("id", fmt::format("msg_{}_{}_{}", collection_, session_, records_));
  w.member("type", "message");
  w.member("role", "assistant");
  w.key("content");
  w.begin_array();
  w.begin_object();
  w.member("type", "text");
  w.member("text", text);
  w.end_object();
  w.end_array();
  w.member_raw("stop_reason", "null");
  w.member_raw("usage",
               R"({"input_tokens":6,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":60})");
  w.end_object();
  record("assistant", time, message);
}

void ClaudeTranscript::finish() {
  out_.close();
  if (!out_) throw std::runtime_error("cannot write the transcript " + id_);
}

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

// Converts a question with the exchange ids of its evidence; a session's n-th turn is its n-th exchange.
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

// Writes a dialog without captions, as in the published figures that the result is compared with.
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

namespace {

// Writes the haystack. Returns session uids by the data set's ids.
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
