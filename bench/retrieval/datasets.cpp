#include "bench/retrieval/datasets.hpp"

#include "schemas/ids.hpp"
#include "schemas/time.hpp"
#include "store/db/database.hpp"

#include <boost/json.hpp>
#include <boost/regex.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace memd::bench {
namespace fs = std::filesystem;

namespace {

std::string locomo_text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

// "1:56 pm on 8 May, 2023"
TimeMs parse_time(const std::string& text) {
  constexpr std::array kMonths{"January", "February", "March",     "April",   "May",      "June",
                               "July",    "August",   "September", "October", "November", "December"};
  int hour = 0;
  int minute = 0;
  int day = 0;
  int year = 0;
  char half[3] = {};
  char month[16] = {};
  if (std::sscanf(text.c_str(), "%d:%d %2s on %d %15[A-Za-z], %d", &hour, &minute, half, &day, month, &year) != 6)
    throw std::runtime_error("no time of LoCoMo: " + text);
  const auto found =
      std::find_if(kMonths.begin(), kMonths.end(), [&](const char* m) { return std::strcmp(m, month) == 0; });
  if (found == kMonths.end()) throw std::runtime_error("no month: " + text);
  hour = hour % 12 + (half[0] == 'p' ? 12 : 0);
  char rfc3339[40];
  std::snprintf(rfc3339, sizeof rfc3339, "%04d-%02d-%02dT%02d:%02d:00Z", year,
                static_cast<int>(found - kMonths.begin()) + 1, day, hour, minute);
  const auto time = parse_rfc3339(rfc3339);
  if (!time) throw std::runtime_error("no time: " + text);
  return *time;
}

LocomoSession read_session(int number, const boost::json::array& turns, const std::string& time) {
  LocomoSession session{number, parse_time(time), {}};
  for (const auto& value : turns) {
    const boost::json::object& turn = value.as_object();
    session.turns.push_back(
        {locomo_text_of(turn, "speaker"), locomo_text_of(turn, "text"), locomo_text_of(turn, "blip_caption")});
  }
  return session;
}

LocomoQuestion read_question(const boost::json::object& object) {
  static const boost::regex kTurnId("D(\\d+):(\\d+)");
  LocomoQuestion question{locomo_text_of(object, "question"), static_cast<int>(object.at("category").as_int64()), {}};
  const auto* evidence = object.if_contains("evidence");
  const std::string ids = evidence != nullptr ? boost::json::serialize(*evidence) : "";
  for (boost::sregex_iterator at(ids.begin(), ids.end(), kTurnId), end; at != end; ++at)
    question.evidence.emplace_back(std::atoi((*at)[1].str().c_str()), std::atoi((*at)[2].str().c_str()));
  return question;
}

using Names = std::map<std::string, std::set<std::string>>;

constexpr const char* kClaudeProjects = ".claude/projects";
constexpr const char* kCodexThreads = ".codex/session_index.jsonl";
constexpr const char* kCursorState = ".config/Cursor/User/globalStorage/state.vscdb";

std::string text_of(const boost::json::object& object, std::string_view name) {
  const auto* value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

void each_line(const fs::path& file, const std::function<void(const std::string&)>& take) {
  std::ifstream in(file, std::ios::binary);
  for (std::string line; std::getline(in, line);)
    take(line);
}

std::vector<fs::path> transcripts(const fs::path& home) {
  std::vector<fs::path> out;
  if (!fs::exists(home / kClaudeProjects)) return out;
  for (const auto& entry : fs::recursive_directory_iterator(home / kClaudeProjects))
    if (entry.is_regular_file() && entry.path().extension() == ".jsonl") out.push_back(entry.path());
  return out;
}

bool is_name_record(const std::string& line) {
  if (line.find("\"summary\"") == std::string::npos && line.find("-title\"") == std::string::npos) return false;
  boost::system::error_code broken;
  const boost::json::value record = boost::json::parse(line, broken);
  if (broken || !record.is_object()) return false;
  const std::string type = text_of(record.get_object(), "type");
  return type == "summary" || type == "custom-title" || type == "ai-title";
}

// Adds names in two passes, because the referenced record is often in another file.
void add_claude_names(const fs::path& home, Names& names) {
  std::map<std::string, std::set<std::string>> by_leaf;  // record -> names
  const auto files = transcripts(home);
  for (const auto& file : files)
    each_line(file, [&](const std::string& line) {
      if (!is_name_record(line)) return;
      const boost::json::value value = boost::json::parse(line);
      const boost::json::object& record = value.get_object();
      if (text_of(record, "type") == "summary") {
        by_leaf[text_of(record, "leafUuid")].insert(text_of(record, "summary"));
        return;
      }
      const std::string title = text_of(record, text_of(record, "type") == "ai-title" ? "aiTitle" : "customTitle");
      names[title].insert(make_session_uid(Platform::claude_code, text_of(record, "sessionId")));
    });
  if (by_leaf.empty()) return;
  for (const auto& file : files)
    each_line(file, [&](const std::string& line) {
      const auto at = line.find("\"uuid\":\"");
      if (at == std::string::npos) return;
      boost::system::error_code broken;
      const boost::json::value value = boost::json::parse(line, broken);
      if (broken || !value.is_object()) return;
      const auto pointed = by_leaf.find(text_of(value.get_object(), "uuid"));
      if (pointed == by_leaf.end()) return;
      for (const std::string& name : pointed->second)
        names[name].insert(make_session_uid(Platform::claude_code, text_of(value.get_object(), "sessionId")));
    });
}

void add_codex_names(const fs::path& home, Names& names) {
  std::set<std::string> files;
  if (!fs::exists(home / kCodexThreads)) return;
  for (const auto& entry : fs::recursive_directory_iterator(home / ".codex"))
    files.insert(entry.path().filename().string());
  each_line(home / kCodexThreads, [&](const std::string& line) {
    const boost::json::value value = boost::json::parse(line);
    const std::string id = text_of(value.as_object(), "id");
    for (const std::string& file : files)
      if (file.starts_with("rollout-") && file.find(id) != std::string::npos)
        names[text_of(value.as_object(), "thread_name")].insert(make_session_uid(Platform::codex, id));
  });
}

void add_cursor_names(const fs::path& home, Names& names) {
  if (!fs::exists(home / kCursorState)) return;
  auto db = sqlite::Database::open(home / kCursorState, sqlite::OpenMode::read_only);
  auto& q = db.prepare(
      "SELECT substr(key, 14), json_extract(value, '$.name') FROM cursorDiskKV WHERE key LIKE 'composerData:%'"
      " AND json_valid(value) AND json_extract(value, '$.name') IS NOT NULL");
  while (q.step())
    names[q.str(1)].insert(make_session_uid(Platform::cursor, q.text(0)));
  q.reset();
}

}  // namespace

const LocomoSession* LocomoDialog::session(int number) const {
  const auto at = std::find_if(sessions.begin(), sessions.end(), [&](const auto& s) { return s.number == number; });
  return at == sessions.end() ? nullptr : &*at;
}

std::vector<LocomoDialog> read_locomo(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  const boost::json::value data = boost::json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  std::vector<LocomoDialog> dialogs;
  for (const auto& value : data.as_array()) {
    const boost::json::object& sample = value.as_object();
    const boost::json::object& conversation = sample.at("conversation").as_object();
    LocomoDialog dialog;
    dialog.id = locomo_text_of(sample, "sample_id");
    dialog.speaker_a = locomo_text_of(conversation, "speaker_a");
    for (int number = 1; number <= 200; ++number) {
      const std::string name = "session_" + std::to_string(number);
      const auto* turns = conversation.if_contains(name);
      if (turns == nullptr || !turns->is_array() || turns->get_array().empty()) continue;
      dialog.sessions.push_back(
          read_session(number, turns->get_array(), locomo_text_of(conversation, name + "_date_time")));
    }
    for (const auto& qa : sample.at("qa").as_array())
      dialog.questions.push_back(read_question(qa.as_object()));
    dialogs.push_back(std::move(dialog));
  }
  return dialogs;
}

namespace {

std::string longmemeval_text_of(const boost::json::object& object, std::string_view name) {
  return std::string(object.at(name).as_string());
}

// "2023/05/20 (Sat) 02:36"; a date alone is taken as its midnight.
TimeMs longmemeval_parse_time(const std::string& text) {
  int year = 0;
  int month = 0;
  int day = 0;
  int hour = 0;
  int minute = 0;
  if (std::sscanf(text.c_str(), "%d/%d/%d (%*[A-Za-z]) %d:%d", &year, &month, &day, &hour, &minute) < 3)
    throw std::runtime_error("no time of LongMemEval: " + text);
  char rfc3339[40];
  std::snprintf(rfc3339, sizeof rfc3339, "%04d-%02d-%02dT%02d:%02d:00Z", year, month, day, hour, minute);
  const auto time = parse_rfc3339(rfc3339);
  if (!time) throw std::runtime_error("no time: " + text);
  return *time;
}

LongMemEvalQuestion longmemeval_read_question(const boost::json::object& object) {
  LongMemEvalQuestion question{longmemeval_text_of(object, "question_id"),
                               longmemeval_text_of(object, "question_type"),
                               longmemeval_text_of(object, "question"),
                               {},
                               {}};
  const boost::json::array& ids = object.at("haystack_session_ids").as_array();
  const boost::json::array& dates = object.at("haystack_dates").as_array();
  const boost::json::array& sessions = object.at("haystack_sessions").as_array();
  if (ids.size() != sessions.size() || dates.size() != sessions.size())
    throw std::runtime_error("question " + question.id + ": sessions, ids and dates differ in number");
  for (std::size_t i = 0; i < sessions.size(); ++i) {
    LongMemEvalSession session{
        std::string(ids[i].as_string()), longmemeval_parse_time(std::string(dates[i].as_string())), {}};
    for (const auto& turn : sessions[i].as_array())
      session.turns.push_back({turn.at("role") == "user", longmemeval_text_of(turn.as_object(), "content")});
    question.haystack.push_back(std::move(session));
  }
  for (const auto& id : object.at("answer_session_ids").as_array())
    question.answer_sessions.emplace_back(id.as_string());
  return question;
}

}  // namespace

std::vector<LongMemEvalQuestion> parse_longmemeval(const std::string& text) {
  const boost::json::value data = boost::json::parse(text);
  std::vector<LongMemEvalQuestion> questions;
  for (const auto& value : data.as_array())
    questions.push_back(longmemeval_read_question(value.as_object()));
  return questions;
}

std::vector<LongMemEvalQuestion> read_longmemeval(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return parse_longmemeval(std::string(std::istreambuf_iterator<char>(in), {}));
}

Names session_names(const fs::path& home) {
  Names names;
  add_claude_names(home, names);
  add_codex_names(home, names);
  add_cursor_names(home, names);
  names.erase("");
  names.erase("Sent to Chat");
  std::erase_if(names, [](const auto& item) { return item.first.starts_with("New session"); });
  return names;
}

void remove_session_names(const fs::path& home) {
  for (const auto& file : transcripts(home)) {
    std::string kept;
    bool removed = false;
    each_line(file, [&](const std::string& line) {
      if (is_name_record(line))
        removed = true;
      else
        kept += line + "\n";
    });
    if (!removed) continue;
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out << kept;
    if (!out) throw std::runtime_error("cannot write " + file.string());
  }
  fs::remove(home / kCodexThreads);
  if (!fs::exists(home / kCursorState)) return;
  auto db = sqlite::Database::open(home / kCursorState, sqlite::OpenMode::read_write);
  db.exec(
      "UPDATE cursorDiskKV SET value = json_remove(value, '$.name') WHERE key LIKE 'composerData:%' AND"
      " json_valid(value)");
}

}  // namespace memd::bench
