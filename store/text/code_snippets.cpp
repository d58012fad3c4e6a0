#include "store/text/code_snippets.hpp"

#include <algorithm>
#include <optional>

namespace memd {
namespace {

struct Fence {
  char mark = 0;
  std::size_t length = 0;
  std::string_view info;
};

// CommonMark: at most three spaces, then three or more of ` or ~. The info string of a ` fence holds no `.
std::optional<Fence> fence_of(std::string_view line) {
  const auto start = line.find_first_not_of(' ');
  if (start == std::string_view::npos || start > 3) return std::nullopt;
  const char mark = line[start];
  if (mark != '`' && mark != '~') return std::nullopt;
  const auto end = std::min(line.find_first_not_of(mark, start), line.size());
  if (end - start < 3) return std::nullopt;
  std::string_view info = line.substr(end);
  while (!info.empty() && (info.front() == ' ' || info.front() == '\t'))
    info.remove_prefix(1);
  while (!info.empty() && (info.back() == ' ' || info.back() == '\t' || info.back() == '\r'))
    info.remove_suffix(1);
  if (mark == '`' && info.find('`') != std::string_view::npos) return std::nullopt;
  return Fence{mark, end - start, info};
}

}  // namespace

std::vector<CodeSnippet> code_snippets(std::string_view markdown) {
  std::vector<CodeSnippet> out;
  std::optional<Fence> open;
  for (std::size_t at = 0; at < markdown.size();) {
    const auto end = std::min(markdown.find('\n', at), markdown.size() - 1);
    const auto line = markdown.substr(at, end + 1 - at);
    at = end + 1;
    const auto fence = fence_of(line.substr(0, line.find('\n')));
    if (!open) {
      if (!fence) continue;
      open = fence;
      out.push_back({std::string(fence->info.substr(0, fence->info.find_first_of(" \t"))), {}, false});
    } else if (fence && fence->mark == open->mark && fence->length >= open->length && fence->info.empty()) {
      out.back().closed = true;
      open.reset();
    } else {
      out.back().code += line;
    }
  }
  return out;
}

}  // namespace memd
