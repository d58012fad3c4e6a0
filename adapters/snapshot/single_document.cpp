#include "adapters/snapshot/single_document.hpp"

#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/snapshot/held_items.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::snapshot {

SingleDocument::SingleDocument(const FileView& files, std::string path, std::string session_uid)
    : files_(files), path_(std::move(path)), session_uid_(std::move(session_uid)) {}

Result<void> SingleDocument::load() {
  if (text_) return {};
  MEMD_TRY_ASSIGN(text_, files_.read(path_));
  return {};
}

Result<SnapshotReader::Plan> SingleDocument::plan(const std::string& mark) {
  const auto file = files_.stat(path_);
  if (!file) return Error(Errc::not_found, path_);
  Plan plan;
  plan.size = file->size;
  plan.mark = std::to_string(file->inode) + "." + std::to_string(file->size) + "." + std::to_string(file->mtime_ns);
  if (plan.mark == mark) {
    plan.unchanged = true;
    return plan;
  }
  MEMD_TRY(load());
  plan.size = text_->size();
  const auto parts = split_session_uid(session_uid_);
  const bool blank = json::trimmed(*text_).empty() || !parts;
  if (!blank) plan.sessions.emplace_back(parts->native_id);
  plan.rest = {{"(blank)", Disposition::skipped, "blank", blank ? 1U : 0U, blank ? plan.size : 0}};
  return plan;
}

Result<std::optional<SnapshotReader::Session>> SingleDocument::session(const std::string& session_key,
                                                                       std::span<const SourceItem>) {
  const auto parts = split_session_uid(session_uid_);
  if (!parts || parts->native_id != session_key) return std::optional<Session>();
  MEMD_TRY(load());
  Session session;
  session.session_uid = session_uid_;
  session.head = Item{kHeadKey, hash64(*text_) | 1, text_->size()};
  return std::optional(std::move(session));
}

Result<std::string> SingleDocument::item(const std::string&, const std::string& item_key) {
  if (item_key != kHeadKey) return Error(Errc::not_found, path_ + ": no such item");
  MEMD_TRY(load());
  return json::compacted(*text_);
}

}  // namespace memd::snapshot
