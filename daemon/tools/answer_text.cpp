#include "daemon/tools/answer_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/time.hpp"
#include "store/text/token_budget.hpp"

#include <algorithm>

namespace memd::tools {
namespace {

constexpr std::size_t kLongestId = 200;

bool is_of_id(char c) { return ascii::is_word(c) || std::string_view("-.:/@+#~").find(c) != std::string_view::npos; }

}  // namespace

AnswerText& AnswerText::list(const std::vector<std::string>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (i > 0) text_ += ", ";
    put(Id{ids[i]});
  }
  return *this;
}

AnswerText AnswerText::behind(const AnswerText& beginning) const {
  AnswerText out;
  if (text_.size() <= beginning.text_.size()) return out;
  out.text_ = text_.substr(beginning.text_.size());
  if (out.text_.starts_with(' ')) out.text_.erase(0, 1);
  return out;
}

AnswerText& AnswerText::quote(const HistoryText& history) {
  if (history.empty()) return *this;
  text_.append(kHistoryBegin).append("\n").append(history.text_);
  if (!text_.ends_with('\n')) text_ += '\n';
  text_.append(kHistoryEnd).append("\n");
  return *this;
}

void AnswerText::put(const Id& id) {
  for (const char c : id.text.substr(0, kLongestId))
    text_ += is_of_id(c) ? c : '?';
  if (id.text.size() > kLongestId) text_ += "…";
}

void AnswerText::put(const Name& name) {
  if (std::ranges::all_of(name.text, is_of_id) && name.text.size() <= kLongestId)
    text_ += name.text;
  else
    put(Quoted{name.text});
}

void AnswerText::put(const Time& time) { text_ += format_local_minute(parse_rfc3339(time.rfc3339).value_or(0)); }

std::string echo_of(std::string_view argument) {
  constexpr std::size_t kEchoTokens = 60;
  return cut_to_tokens(argument, kEchoTokens).text;
}

}  // namespace memd::tools
