#include "daemon/memories/verification.hpp"

#include "store/memory/named_things.hpp"
#include "store/text/path_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace memd::memories {
namespace {

// Returns the file of the tree that a name refers to: the same path, else the only match by path suffix.
const std::string* file_meant(const std::vector<std::string>& tree, std::string_view name) {
  while (name.starts_with("./"))
    name.remove_prefix(2);
  const std::string* found = nullptr;
  for (const std::string& file : tree) {
    if (file == name) return &file;
    const bool ends = file.size() > name.size() && file.ends_with(name) && file[file.size() - name.size() - 1] == '/';
    // A longer absolute path in another checkout: "/home/a/project/src/x.cpp".
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

Result<Verified> verify(const Memory& m, const Git& git) {
  Verified out;
  const auto unknown = [&](std::string why) {
    out.why = std::move(why);
    return out;
  };
  const memory::NamedThings named = memory::named_in(m);
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
