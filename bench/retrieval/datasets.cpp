#include "bench/retrieval/datasets.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>

namespace memd::bench {
namespace json = boost::json;

namespace {

std::string locomo_text_of(const json::object& object, std::string_view name) {
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

LocomoSession read_session(int number, const json::array& turns, const std::string& time) {
  LocomoSession session{number, parse_time(time), {}};
  for (const auto& value : turns) {
    const json::object& turn = value.as_object();
    session.turns.push_back(
        {locomo_text_of(turn, "speaker"), locomo_text_of(turn, "text"), locomo_text_of(turn, "blip_caption")});
  }
  return session;
}

LocomoQuestion read_question(const json::object& object) {
  static const std::regex kTurnId("D(\\d+):(\\d+)");
  LocomoQuestion question{locomo_text_of(object, "question"), static_cast<int>(object.at("category").as_int64()), {}};
  const auto* evidence = object.if_contains("evidence");
  const std::string ids = evidence != nullptr ? json::serialize(*evidence) : "";
  for (std::sregex_iterator at(ids.begin(), ids.end(), kTurnId), end; at != end; ++at)
    question.evidence.emplace_back(std::atoi((*at)[1].str().c_str()), std::atoi((*at)[2].str().c_str()));
  return question;
}

}  // namespace

const LocomoSession* LocomoDialog::session(int number) const {
  const auto at = std::find_if(sessions.begin(), sessions.end(), [&](const auto& s) { return s.number == number; });
  return at == sessions.end() ? nullptr : &*at;
}

std::vector<LocomoDialog> read_locomo(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  const json::value data = json::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  std::vector<LocomoDialog> dialogs;
  for (const auto& value : data.as_array()) {
    const json::object& sample = value.as_object();
    const json::object& conversation = sample.at("conversation").as_object();
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

std::string longmemeval_text_of(const json::object& object, std::string_view name) {
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

LongMemEvalQuestion longmemeval_read_question(const json::object& object) {
  LongMemEvalQuestion question{longmemeval_text_of(object, "question_id"),
                               longmemeval_text_of(object, "question_type"),
                               longmemeval_text_of(object, "question"),
                               {},
                               {}};
  const json::array& ids = object.at("haystack_session_ids").as_array();
  const json::array& dates = object.at("haystack_dates").as_array();
  const json::array& sessions = object.at("haystack_sessions").as_array();
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
  const json::value data = json::parse(text);
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

}  // namespace memd::bench
