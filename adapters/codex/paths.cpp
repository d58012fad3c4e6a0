#include "adapters/codex/paths.hpp"

#include "schemas/ids.hpp"

#include <algorithm>

namespace memd::codex {
namespace {

constexpr std::string_view kPrefix = "rollout-";
constexpr std::size_t kUuid = 36;

// The string value of the first `key` ("\"id\":") in some JSON, if it is a thread id.
std::string_view thread_id_of(std::string_view json, std::string_view key) {
  for (auto at = json.find(key); at != std::string_view::npos; at = json.find(key, at + key.size())) {
    auto rest = json.substr(at + key.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.starts_with('"') && rest.size() > kUuid + 1 && rest[kUuid + 1] == '"' && is_uuid(rest.substr(1, kUuid)))
      return rest.substr(1, kUuid);
  }
  return {};
}

}  // namespace

std::optional<SourcePath> parse_source_path(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  if (name == "session_index.jsonl") return SourcePath{SourceKind::session_index, {}};
  if (name == "history.jsonl") return SourcePath{SourceKind::history, {}};
  std::string_view stem = name;
  if (stem.ends_with(".zst")) stem.remove_suffix(4);
  if (!stem.starts_with(kPrefix) || !stem.ends_with(".jsonl")) return std::nullopt;
  stem.remove_suffix(6);
  SourcePath path;
  // rollout-2026-07-26T06-37-23-<id>, and with "_<revision>" behind it for a thread that was taken back to a point
  stem = stem.substr(0, stem.find('_'));
  if (stem.size() > kUuid && is_uuid(stem.substr(stem.size() - kUuid))) path.id = stem.substr(stem.size() - kUuid);
  return path;
}

std::string_view find_thread_id(std::string_view head) {
  head = head.substr(0, head.find('\n'));
  // "session_id" names the tree of agents a thread belongs to, "id" the thread.
  const bool enveloped = head.find("\"session_meta\"") != std::string_view::npos;
  return enveloped || head.starts_with("{\"id\"") ? thread_id_of(head, "\"id\":") : std::string_view{};
}

}  // namespace memd::codex
