#include "adapters/tool_calls/choices.hpp"

#include "adapters/json/json_access.hpp"
#include "adapters/names.hpp"
#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace memd::tool_calls {

using namespace json;  // NOLINT(google-build-using-namespace): the whole folder reads JSON

namespace {

constexpr Names kQuestionTools(
    "AskUserQuestion ask_user_question ask_user request_user_input question askQuestions vscode_askQuestions");
constexpr std::string_view kNumbered = "1. [question] ";  // droid: "[answer] …" below each question
constexpr std::string_view kProse = "User has provided the following answers:";  // Qwen Code: "**header**: answer"

struct Question {
  std::string_view key;  // by which an answer may name it
  std::string_view header;
  std::string_view text;
};

// {"questions": [{"id": "db", "header": "Database", "question": "Which one?"}]}
std::vector<Question> questions_in(const dom::object& input) {
  std::vector<Question> out;
  for_each_object(input, "questions", [&](const dom::object& one) {
    out.push_back({text_of(one, "id"), text_of(one, "header"), text_of(one, "question")});
  });
  return out;
}

// Returns the question that an answer names by its id, header or place.
std::string_view question_of(const std::vector<Question>& questions, std::string_view name) {
  for (const Question& q : questions)
    if (!q.text.empty() && (name == q.key || name == q.header)) return q.text;
  std::size_t place = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), place);
  const bool is_place = error == std::errc() && end == name.data() + name.size() && place < questions.size();
  return is_place && !questions[place].text.empty() ? questions[place].text : name;
}

// Returns "SQLite", true, ["SQLite", "WAL"], {"answers": […]} or {"selected": […], "freeText": "…"} as text.
std::string answer_of(const dom::element& value) {
  std::string out;
  const auto add = [&](std::string_view text) { out.append(out.empty() ? "" : ", ").append(text); };
  const auto add_list = [&](const dom::array& list) {
    for (const dom::element one : list)
      if (std::string_view text; !one.get(text)) add(text);
  };
  std::string_view text;
  dom::array list;
  dom::object object;
  if (!value.get(text)) {
    add(text);
  } else if (!value.get(list)) {
    add_list(list);
  } else if (!value.get(object)) {
    for (const std::string_view key : {"answers", "selected"})
      if (!object[key].get(list)) add_list(list);
    if (const auto typed = text_of(object, "freeText"); !typed.empty()) add(typed);
  } else if (!value.is_null()) {
    out = simdjson::minify(value);
  }
  return out;
}

void add_line(std::string& out, std::string_view question, std::string_view answer) {
  if (trimmed(question).empty() || trimmed(answer).empty()) return;
  out.append(out.empty() ? "" : "\n").append(question).append(": ").append(answer);
}

// {"answers": {"<question>": <answer>}}, or a list of answers in the order of the questions, or of {"question",
// "answer"}
std::string choices_of(const std::vector<Question>& questions, const dom::object& result) {
  std::string out;
  dom::object named;
  if (!result["answers"].get(named)) {
    for (const auto& [name, value] : named)
      add_line(out, question_of(questions, name), answer_of(value));
    return out;
  }
  std::size_t place = 0;
  for_each_in(result, "answers", [&](const dom::element& value) {
    dom::object pair;
    const std::string_view asked = place < questions.size() ? questions[place].text : std::string_view();
    ++place;
    if (!value.get(pair))
      add_line(out, text_of(pair, "question"), text_of(pair, "answer"));
    else
      add_line(out, asked, answer_of(value));
  });
  return out;
}

std::string choices_of_prose(const std::vector<Question>& questions, std::string_view lines) {
  constexpr std::string_view kMark = "**";
  std::string out;
  while (!lines.empty()) {
    const std::string_view line = trimmed(ascii::take_until(lines, '\n'));
    const std::size_t mark = line.find("**: ", kMark.size());
    if (line.starts_with(kMark) && mark != std::string_view::npos)
      add_line(out, question_of(questions, line.substr(kMark.size(), mark - kMark.size())),
               line.substr(mark + std::string_view("**: ").size()));
    else if (!out.empty() && !line.empty())
      out.append(" ").append(line);
  }
  return out;
}

// "1. [question] Which store?", below it "[answer] SQLite"; an answer may have several lines.
std::string numbered_choices(std::string_view lines) {
  constexpr std::string_view kQuestion = ". [question] ";
  constexpr std::string_view kAnswer = "[answer] ";
  std::string out;
  std::string_view question;
  std::string answer;
  const auto add = [&] { add_line(out, std::exchange(question, {}), std::exchange(answer, {})); };
  while (!lines.empty()) {
    const std::string_view line = trimmed(ascii::take_until(lines, '\n'));
    const std::size_t number = std::min(line.find_first_not_of("0123456789"), line.size());
    if (number > 0 && line.substr(number).starts_with(kQuestion)) {
      add();
      question = line.substr(number + kQuestion.size());
    } else if (answer.empty() && line.starts_with(kAnswer)) {
      answer = line.substr(kAnswer.size());
    } else if (!answer.empty() && !line.empty()) {
      answer.append(" ").append(line);
    }
  }
  add();
  return out;
}

}  // namespace

bool asks_person(std::string_view tool) { return kQuestionTools.has(tool); }

std::string choices_in(std::string_view tool, std::string_view input, std::string_view result) {
  result = trimmed(result);
  if (tool.empty() && result.starts_with(kNumbered)) return numbered_choices(result);
  const bool is_json = result.starts_with('{') && result.find("\"answers\"") != std::string_view::npos;
  const bool is_prose = result.starts_with(kProse);
  if ((!tool.empty() && !asks_person(tool)) || (!is_json && (!is_prose || tool.empty()))) return {};
  DomParser asked;
  DomParser told;
  dom::object object;
  const std::vector<Question> questions =
      !input.empty() && asked.parse(input, object) ? questions_in(object) : std::vector<Question>();
  if (is_prose) return choices_of_prose(questions, result.substr(kProse.size()));
  if (!told.parse(result, object) || (tool.empty() && object.size() != 1)) return {};
  return choices_of(questions, object);
}

std::string choices_of_form(std::string_view message, std::string_view schema, std::string_view content) {
  DomParser shown;
  DomParser told;
  dom::object form;
  dom::object answers;
  std::string out;
  if (!told.parse(content, answers)) return out;
  const auto fields = shown.parse(schema, form) ? object_of(form, "properties") : std::nullopt;
  const bool is_one = (fields ? fields->size() : answers.size()) == 1;
  for (const auto& [name, value] : answers) {
    const auto field = fields ? object_of(*fields, name) : std::nullopt;
    std::string_view question = is_one ? message : std::string_view();
    for (const std::string_view words : {"description", "title"})
      if (question.empty() && field) question = text_of(*field, words);
    add_line(out, question.empty() ? name : question, answer_of(value));
  }
  return out;
}

std::string choice_line(std::string_view question, std::string_view answer) {
  std::string out;
  add_line(out, question, answer);
  return out;
}

void add_choices(RecordBuilder& c, std::string_view call_id, std::string choices, TimeMs time) {
  if (choices.empty()) return;
  Event& e = c.add(EventKind::decision, Role::user);
  e.origin = Origin::embedded;
  e.call_id = call_id;
  if (time != 0) e.time = time;
  e.text = std::move(choices);
}

}  // namespace memd::tool_calls
