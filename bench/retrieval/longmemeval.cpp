#include "bench/retrieval/longmemeval.hpp"

#include <boost/json.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace memd::bench {
namespace json = boost::json;
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
