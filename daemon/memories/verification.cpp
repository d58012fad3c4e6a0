#include "daemon/memories/verification.hpp"

#include "schemas/ascii.hpp"
#include "store/text/path_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace memd::memories {
namespace {

constexpr std::size_t kShortestWord = 4;
constexpr std::size_t kMostWords = 12;
constexpr std::size_t kMostPaths = 64;

// "internal/a.go:12-30" → "internal/a.go"
std::string_view without_line(std::string_view path) {
  const auto colon = path.find(':');
  return colon != std::string_view::npos && colon > 1 ? path.substr(0, colon) : path;
}

bool looks_like_path(std::string_view text) {
  const auto dot = text.rfind('.');
  const bool ends_as_file =
      dot != std::string_view::npos && dot + 1 < text.size() && text.size() - dot <= 9 &&
      std::all_of(text.begin() + static_cast<std::ptrdiff_t>(dot) + 1, text.end(), ascii::is_alnum);
  return text.find(' ') == std::string_view::npos && (ends_as_file || text.find('/') != std::string_view::npos);
}

// "Store::open()" → "open"; "kLimit" → "kLimit". Plain words of prose are none.
std::string_view word_of(std::string_view code) {
  if (code.ends_with("()")) code.remove_suffix(2);
  if (const auto at = code.find_last_of(".:#>"); at != std::string_view::npos) code.remove_prefix(at + 1);
  const bool whole = code.size() >= kShortestWord && std::all_of(code.begin(), code.end(), ascii::is_word);
  const bool is_name = std::any_of(code.begin(), code.end(),
                                   [](char c) { return ascii::is_upper(c) || c == '_' || ascii::is_digit(c); });
  return whole && is_name && !std::all_of(code.begin(), code.end(), ascii::is_hex) ? code : std::string_view();
}

template <class F>
void for_each_code_span(std::string_view text, F f) {
  for (std::size_t at = text.find('`'); at != std::string_view::npos; at = text.find('`', at)) {
    const auto end = text.find('`', at + 1);
    if (end == std::string_view::npos) return;
    const std::string_view span = text.substr(at + 1, end - at - 1);
    if (!span.empty() && span.find('\n') == std::string_view::npos) f(ascii::trimmed(span));
    at = end + 1;
  }
}

void add_once(std::vector<std::string>& to, std::string_view value, std::size_t most) {
  if (!value.empty() && to.size() < most && std::find(to.begin(), to.end(), value) == to.end()) to.emplace_back(value);
}

// The file of the tree that a name means: itself, else the only one that ends so.
const std::string* file_meant(const std::vector<std::string>& tree, std::string_view name) {
  while (name.starts_with("./"))
    name.remove_prefix(2);
  const std::string* found = nullptr;
  for (const std::string& file : tree) {
    if (file == name) return &file;
    const bool ends = file.size() > name.size() && file.ends_with(name) && file[file.size() - name.size() - 1] == '/';
    // A longer path of another checkout: "/home/a/project/src/x.cpp".
    const bool inside = continuity::is_absolute(name) && name.size() > file.size() && name.ends_with(file) &&
                        name[name.size() - file.size() - 1] == '/' && file.find('/') != std::string::npos;
    if (!ends && !inside) continue;
    if (found != nullptr) return nullptr;
    found = &file;
  }
  return found;
}

Result<std::string> base_of(const Memory& m, const Git& git) {
  if (!m.verification.last_verified_commit.empty()) return git.commit(m.verification.last_verified_commit);
  for (auto sha = m.provenance.commits.rbegin(); sha != m.provenance.commits.rend(); ++sha) {
    MEMD_TRY_ASSIGN(std::string whole, git.commit(*sha));
    if (!whole.empty()) return whole;
  }
  if (m.scope == MemoryScope::global || m.scope == MemoryScope::enterprise || m.updated == 0) return std::string();
  return git.commit_at(m.updated);
}

}  // namespace

NamedThings named_in(const Memory& m) {
  NamedThings out;
  for (const std::string& file : m.provenance.files)
    add_once(out.paths, file, kMostPaths);
  for_each_code_span(m.content, [&](std::string_view span) {
    if (const auto path = without_line(span); looks_like_path(path)) add_once(out.paths, path, kMostPaths);
    add_once(out.words, word_of(span), kMostWords);
  });
  for (const std::string_view path : continuity::paths_in(m.content, true))
    add_once(out.paths, without_line(path), kMostPaths);
  return out;
}

Result<Verified> verify(const Memory& m, const Git& git) {
  Verified out;
  const auto unknown = [&](std::string why) {
    out.why = std::move(why);
    return out;
  };
  const NamedThings named = named_in(m);
  if (named.paths.empty() && named.words.empty()) return unknown("it names no file and no `code`");
  MEMD_TRY_ASSIGN(out.base, base_of(m, git));
  if (out.base.empty()) return unknown("none of its commits is in " + git.top().string());
  MEMD_TRY_ASSIGN(const auto tree, git.files(out.base));
  std::set<std::string> files;
  for (const std::string& path : named.paths)
    if (const std::string* file = file_meant(tree, path)) files.insert(*file);
  if (!files.empty()) {
    out.named.assign(files.begin(), files.end());
    MEMD_TRY_ASSIGN(out.changed_by, git.changes_of_files(out.base, out.named));
  } else {
    for (const std::string& word : named.words) {
      MEMD_TRY_ASSIGN(const bool there, git.holds_word(out.base, word));
      if (!there) continue;
      out.named.push_back(word);
      MEMD_TRY_ASSIGN(const auto commits, git.changes_of_word(out.base, word));
      for (const GitCommit& commit : commits)
        if (std::none_of(out.changed_by.begin(), out.changed_by.end(),
                         [&](const auto& c) { return c.sha == commit.sha; }))
          out.changed_by.push_back(commit);
    }
  }
  if (out.named.empty()) return unknown("nothing that it names was in the repository at its commit");
  out.status = out.changed_by.empty() ? VerificationStatus::verified : VerificationStatus::stale;
  return out;
}

}  // namespace memd::memories
