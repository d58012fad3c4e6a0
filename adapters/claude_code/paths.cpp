#include "adapters/claude_code/paths.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <iterator>

namespace memd::claude_code {
namespace {

constexpr std::string_view kLines = ".jsonl";
constexpr std::string_view kMeta = ".meta.json";

std::string without(const std::string& name, std::string_view suffix) {
  return name.substr(0, name.size() - suffix.size());
}

}  // namespace

std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const auto up = file.parent_path();
  const bool agent = name.starts_with("agent-");
  SourcePath path;

  if (name.ends_with(kMeta)) {
    if (!agent || up.filename() != "subagents") return std::nullopt;
    path.kind = SourceKind::agent_meta;
    path.stem = without(name, kMeta);
    path.parent = up.parent_path().filename().string();
    path.folder = up.parent_path().parent_path().filename().string();
    return path;
  }
  if (name == "history.jsonl" && up.parent_path().filename() != "projects") {
    path.kind = SourceKind::history;
    return path;
  }
  if (!name.ends_with(kLines) || name.size() == kLines.size()) return std::nullopt;
  path.stem = without(name, kLines);

  if (up.filename() == "subagents") {
    if (!agent) return std::nullopt;
    path.kind = SourceKind::subagent;
    path.parent = up.parent_path().filename().string();
    path.folder = up.parent_path().parent_path().filename().string();
  } else if (up.parent_path().filename() == "workflows" && up.parent_path().parent_path().filename() == "subagents") {
    if (!agent && path.stem != "journal") return std::nullopt;
    path.kind = agent ? SourceKind::workflow_agent : SourceKind::workflow_journal;
    path.workflow = up.filename().string();
    const auto session = up.parent_path().parent_path().parent_path();
    path.parent = session.filename().string();
    path.folder = session.parent_path().filename().string();
  } else {
    path.kind = agent ? SourceKind::flat_agent : SourceKind::main;
    path.folder = up.filename().string();
  }
  return path;
}

bool is_source_place(const std::filesystem::path& root, const std::filesystem::path& file, const SourcePath& path) {
  if (path.kind == SourceKind::history) return file == root;
  const auto relative = file.lexically_relative(root);
  if (relative.empty() || *relative.begin() == "..") return false;
  const auto depth = std::distance(relative.begin(), relative.end());
  // A configured root may be the directory of one project; the slug is then missing.
  switch (path.kind) {
    case SourceKind::main:
    case SourceKind::flat_agent: return depth == 1 || depth == 2;
    case SourceKind::subagent:
    case SourceKind::agent_meta: return depth == 3 || depth == 4;
    case SourceKind::workflow_agent:
    case SourceKind::workflow_journal: return depth == 5 || depth == 6;
    case SourceKind::history: break;
  }
  return false;
}

std::string id_in_folder(std::string_view id, std::string_view folder) {
  std::string out(id);
  if (!id.empty() && !folder.empty() && !is_uuid(id)) out.append("@").append(folder);
  return out;
}

std::string folder_of(std::string_view project) {
  std::string out(project);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !ascii::is_alnum(c); }, '-');
  return out;
}

std::string_view id_of_client(std::string_view native_id) { return native_id.substr(0, native_id.find('@')); }

std::string native_session_id(const SourcePath& path, std::string_view head_session) {
  const std::string parent = id_in_folder(path.parent, path.folder);
  switch (path.kind) {
    case SourceKind::main: return is_uuid(path.stem) ? path.stem : id_in_folder(head_session, path.folder);
    case SourceKind::flat_agent:
      return head_session.empty() ? "" : id_in_folder(head_session, path.folder) + "/" + path.stem;
    case SourceKind::subagent:
    case SourceKind::agent_meta: return parent + "/" + path.stem;
    case SourceKind::workflow_agent: return parent + "/" + path.workflow + "/" + path.stem;
    case SourceKind::workflow_journal: return parent + "/" + path.workflow;
    case SourceKind::history: break;
  }
  return {};
}

std::string native_parent_id(const SourcePath& path, std::string_view native_id) {
  if (path.kind == SourceKind::main) return {};
  return std::string(root_session(native_id));
}

std::string_view root_session(std::string_view native_id) { return native_id.substr(0, native_id.find('/')); }

std::string_view find_session_id(std::string_view head) {
  constexpr std::string_view key = "\"sessionId\":";
  for (auto at = head.find(key); at != std::string_view::npos; at = head.find(key, at + key.size())) {
    auto rest = head.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (!rest.starts_with('"')) continue;
    rest.remove_prefix(1);
    const auto id = rest.substr(0, rest.find('"'));
    const bool whole = id.size() < rest.size();
    const bool plain = std::all_of(id.begin(), id.end(), [](char c) { return ascii::is_alnum(c) || c == '-'; });
    if (whole && plain && !id.empty()) return id;
  }
  return {};
}

}  // namespace memd::claude_code
