#include "adapters/gemini/chat_reader.hpp"

#include "adapters/gemini/paths.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/json/value_scanner.hpp"
#include "schemas/hash.hpp"
#include "schemas/ids.hpp"

#include <utility>

namespace memd::gemini {
namespace {

constexpr std::string_view kHeadKey = "(session)";
constexpr std::string_view kDamagedItem = R"({"damaged":true})";

void append_state(std::string& mark, const std::optional<FileView::Entry>& file) {
  if (file) mark.append(std::to_string(file->size)).append(".").append(std::to_string(file->mtime_ns));
  mark.push_back('/');
}

}  // namespace

ChatReader::ChatReader(const FileView& files, std::string path, ChatPath place)
    : files_(files), path_(std::move(path)), place_(std::move(place)) {}

Result<SnapshotReader::Plan> ChatReader::plan(const std::string& mark) {
  const auto file = files_.stat(path_);
  if (!file) return Error(Errc::not_found, path_);
  Plan plan;
  plan.mark = std::to_string(file->inode) + ":";
  append_state(plan.mark, file);
  append_state(plan.mark, files_.stat(project_root_file(place_)));
  plan.size = file->size;
  if (plan.mark == mark) {
    plan.unchanged = true;
    return plan;
  }
  MEMD_TRY(load());
  plan.size = chat_->size();
  plan.rest = chat_->rest();
  plan.sessions = {native_id_};
  return plan;
}

Result<std::optional<SnapshotReader::Session>> ChatReader::session(const std::string& session_key,
                                                                   std::span<const SourceItem>) {
  MEMD_TRY(load());
  if (session_key != native_id_) return std::optional<Session>();
  Session session;
  session.session_uid = make_session_uid(Platform::gemini, native_id_);
  session.head = Item{std::string(kHeadKey), hash64(head()), 0};
  session.items.reserve(chat_->messages().size());
  for (const auto& message : chat_->messages())
    session.items.push_back(
        {message.key, hash64(message.bytes.empty() ? kDamagedItem : json::compacted(message.bytes)), message.taken});
  return std::optional(std::move(session));
}

Result<std::string> ChatReader::item(const std::string& session_key, const std::string& item_key) {
  MEMD_TRY(load());
  if (session_key == native_id_ && item_key == kHeadKey) return head();
  const auto* message = session_key == native_id_ ? chat_->find(item_key) : nullptr;
  if (message == nullptr) return Error(Errc::not_found, path_ + ": the message is gone");
  return message->bytes.empty() ? std::string(kDamagedItem) : json::compacted(message->bytes);
}

Result<void> ChatReader::load() {
  if (chat_) return {};
  MEMD_TRY_ASSIGN(std::string text, files_.read(path_));
  MEMD_TRY_ASSIGN(chat_, ChatFile::parse(std::move(text), place_.is_log));
  native_id_ = native_session_id(place_, chat_->header("sessionId"));
  project_root_ = find_project_root(files_, place_);
  return {};
}

std::string ChatReader::head() const {
  json::ObjectWriter out;
  out.some_text("sessionId", native_id_)
      .some_text("kind", chat_->header("kind"))
      .some_text("startTime", chat_->header("startTime"));
  out.some_text("summary", chat_->header("summary")).some_text("cwd", project_root_);
  return std::move(out).finish();
}

}  // namespace memd::gemini
