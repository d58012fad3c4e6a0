#include "store/write/session_state.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/utf8.hpp"

namespace memd::assembly {
namespace {

constexpr std::string_view kParagraphGap = "\n\n";
constexpr std::string_view kCutMark = "\n[cut: the rest stands in the events]";

constexpr char kToolLineEnd = '\x1e';  // record separator: lines may hold newlines

}  // namespace

std::size_t append_paragraph(std::string& column, std::string_view piece) {
  if (column.ends_with(kCutMark)) return column.size();
  if (!column.empty()) column += kParagraphGap;
  const std::size_t start = column.size();
  if (start + piece.size() <= kMaxColumnBytes) {
    column += piece;
    return start;
  }
  column += utf8_prefix(piece, start < kMaxColumnBytes ? kMaxColumnBytes - start : 0);
  column += kCutMark;
  return start;
}

void add_tool_line(ExchangeDraft& draft, std::string_view line) {
  if (line.empty() || draft.text.tool_text.size() + line.size() > kMaxColumnBytes) return;
  if (!draft.tool_lines.insert(hash64(line)).second) return;
  if (!draft.text.tool_text.empty()) draft.text.tool_text += kToolLineEnd;
  draft.text.tool_text += line;
}

void remember_tool_lines(ExchangeDraft& draft) {
  std::string_view rest = draft.text.tool_text;
  while (!rest.empty())
    draft.tool_lines.insert(hash64(ascii::take_until(rest, kToolLineEnd)));
}

bool remove_paragraph(std::string& column, std::string_view piece) {
  for (std::size_t at = column.find(piece); at != std::string::npos; at = column.find(piece, at + 1)) {
    const std::string_view view = column;
    const std::size_t end = at + piece.size();
    const bool begins = at == 0 || view.substr(0, at).ends_with(kParagraphGap);
    const bool ends = end == view.size() || view.substr(end).starts_with(kParagraphGap);
    if (!begins || !ends) continue;
    if (end < view.size())
      column.erase(at, piece.size() + kParagraphGap.size());
    else
      column.erase(at == 0 ? 0 : at - kParagraphGap.size());
    return true;
  }
  return false;
}

}  // namespace memd::assembly
