#include "store/text/error_signature.hpp"

#include "schemas/ascii.hpp"

#include <algorithm>
#include <array>
#include <regex>

namespace memd::search {
namespace {

constexpr std::size_t kMaxLines = 200;
constexpr std::size_t kMaxLineBytes = 400;
constexpr std::size_t kMessages = 3;
constexpr std::size_t kFrames = 6;
constexpr auto kFromStart = std::regex_constants::match_continuous;
constexpr int kTelling = 2;  // worth of a line that alone makes a text an error output

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty() && out.size() < kMaxLines) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, std::min(end, kMaxLineBytes)));
    text.remove_prefix(std::min(end + 1, text.size()));
    line.erase(0, std::min(line.find_first_not_of(" \t\r|>"), line.size()));
    if (!line.empty()) out.push_back(std::move(line));
  }
  return out;
}

bool holds_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return line.find(w) != std::string_view::npos; });
}

// How sure it is that the line names the error: 0 not at all.
int worth(const std::string& line) {
  static const std::regex typed(
      R"re(^([\w.:$]*(Error|Exception|Panic|Failure|Fault)|error(\[\w+\])?|fatal( error)?|panic|E[A-Z]{4,}).{0,3}[:(])re",
      std::regex::optimize);
  static const std::regex located(R"re(^[^\s:]+:\d+(:\d+)?: (fatal )?error:?)re", std::regex::optimize);
  if (std::regex_search(line, typed, kFromStart) || std::regex_search(line, located, kFromStart)) return 4;
  if (holds_any(line, {"Caused by:", "panicked at", "undefined reference", "Sanitizer:", "Segmentation fault"}))
    return 3;
  const std::string low = ascii::lowered(line);
  if (holds_any(low, {"error:", "error ", "exception", "fatal:", "failed:", "assertion"})) return kTelling;
  return holds_any(low, {"failed", "cannot ", "could not ", "unable to", "not found", "denied", "refused"}) ? 1 : 0;
}

// "file function" of a line of a trace; empty: it is none.
std::string frame(const std::string& line) {
  static const std::array<std::regex, 5> kForms{
      std::regex(R"re(^File "([^"]+)", line \d+(?:, in (\S+))?)re", std::regex::optimize),
      std::regex(R"re(^at (?:async )?([^()\s]+) \(([^()]+?):\d+(?::\d+)?\))re", std::regex::optimize),
      std::regex(R"re(^at ([\w.$<>]+)\(([\w$]+\.\w+)(?::\d+)?\))re", std::regex::optimize),
      std::regex(R"re(^#\d+ +(?:0x[0-9a-fA-F]+ in )?([\w:~<>]+).*?([\w./-]+\.\w+):\d+)re", std::regex::optimize),
      std::regex(R"re(^(?:--> |at |in )?([\w./\\-]+\.[A-Za-z]{1,5}):\d+()(?::\d+)?)re", std::regex::optimize)};
  for (const std::regex& form : kForms) {
    std::smatch match;
    if (!std::regex_search(line, match, form, kFromStart)) continue;
    std::string out;
    for (std::size_t i = 1; i < match.size(); ++i) {
      const std::string part = match[i];
      if (const auto slash = part.find_last_of("/\\"); !part.empty())
        out.append(out.empty() ? "" : " ").append(slash == std::string::npos ? part : part.substr(slash + 1));
    }
    return out;
  }
  return {};
}

// Without what differs from one time to the next.
std::string without_places(const std::string& line) {
  static const std::regex changing(
      R"re(0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}\b|\d{4}-\d\d-\d\d[T ][\d:.,Z+]*|(?:/|\b[A-Za-z]:\\)[^\s:'"()]*[/\\]|:\d+(?::\d+)?|\b\d{4,}\b)re",
      std::regex::optimize);
  std::string out = std::regex_replace(line, changing, " ");
  std::replace(out.begin(), out.end(), '"', ' ');
  return out;
}

}  // namespace

std::optional<ErrorSignature> error_signature(std::string_view text) {
  const auto lines = lines_of(text);
  if (lines.size() < 2) return std::nullopt;
  struct Message {
    int worth;
    std::string text;
  };
  std::vector<Message> messages;
  std::vector<std::string> frames;
  for (const std::string& line : lines) {
    const int w = worth(line);
    if (w > 0) messages.push_back({w, without_places(line)});
    if (std::string f = frame(line); !f.empty() && (frames.empty() || frames.back() != f))
      frames.push_back(std::move(f));
  }
  std::stable_sort(messages.begin(), messages.end(),
                   [](const Message& a, const Message& b) { return a.worth > b.worth; });
  if (messages.empty() || (messages.front().worth < kTelling && frames.empty())) return std::nullopt;
  if (lines.size() < 3 && frames.empty() && messages.front().worth < kTelling + 1) return std::nullopt;
  ErrorSignature out;
  const int least = std::min(messages.front().worth, kTelling + 1);
  for (Message& m : messages)
    if (out.messages.size() < kMessages && m.worth >= least &&
        std::find(out.messages.begin(), out.messages.end(), m.text) == out.messages.end())
      out.messages.push_back(std::move(m.text));
  // Python names the innermost frame last, the others first.
  if (text.find("most recent call last") != std::string_view::npos) std::reverse(frames.begin(), frames.end());
  frames.resize(std::min(frames.size(), kFrames));
  out.frames = std::move(frames);
  return out;
}

}  // namespace memd::search
