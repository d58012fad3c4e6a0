#include "adapters/cline/session_reader.hpp"

#include "adapters/adapter.hpp"
#include "adapters/json/json_access.hpp"
#include "adapters/json/json_text.hpp"
#include "adapters/json/json_writer.hpp"
#include "adapters/snapshot/document.hpp"
#include "adapters/snapshot/held_source.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/base/timestamp.hpp"
#include "schemas/ids.hpp"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::cline {

namespace {

// A message of generation 2: its identity and its time.
struct SessionMessage {
  snapshot::Element element;
  std::string key;     // unique in the session, equal in each version
  std::string record;  // equal in copies of the message (forks); empty: unique within the session only
  TimeMs time = 0;
  bool estimated = false;
  bool summary = false;  // of a compaction
};

namespace dom = simdjson::dom;
using json::text_of;

std::string result_id(const dom::object& message) {
  dom::array content;
  std::string_view id;
  if (message["content"].get(content)) return {};
  for (const auto block : content)
    if (!block["tool_use_id"].get(id)) return std::string(id);
  return {};
}

std::vector<SessionMessage> read_session_messages(json::DomParser& parser, const snapshot::Document& document,
                                                  TimeMs started) {
  std::vector<SessionMessage> messages;
  std::vector<std::string> prompts;  // hashes of the texts of prompts without a time
  for (const auto& element : document.elements) {
    SessionMessage& m = messages.emplace_back();
    prompts.emplace_back();
    m.element = element;
    m.key = "damaged";
    dom::object object;
    m.element.damaged = element.damaged || !parser.parse_padded(document.bytes(element), object);
    if (m.element.damaged) continue;
    std::int64_t ts = 0;
    std::string_view role;
    dom::element content;
    if (!object["ts"].get(ts)) m.time = ts;
    if (const auto metadata = json::object_of(object, "metadata"))
      m.summary = text_of(*metadata, "kind") == "compaction_summary";
    const bool assistant = !object["role"].get(role) && role == "assistant";
    const std::string result = result_id(object);
    const auto words = object["content"].get(content) ? std::uint64_t{0} : hash64(simdjson::minify(content));
    if (!result.empty()) {
      m.key = "result." + result;
      m.record = m.key;
    } else if (assistant && m.time != 0) {
      m.key = "answer." + std::to_string(m.time);
      m.record = m.key + "." + hex(words);
    } else {
      m.key = (assistant ? "answer." : "prompt.") + hex(words);
      prompts.back() = m.key;
    }
  }
  std::vector<TimeMs> next(messages.size() + 1, 0);  // the first known time from this index on
  for (std::size_t i = messages.size(); i-- > 0;)
    next[i] = messages[i].time != 0 ? messages[i].time : next[i + 1];
  std::map<std::string, int> ordinals;
  TimeMs before = started;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    SessionMessage& m = messages[i];
    if (const int n = ordinals[m.key]++; n > 0) m.key += "." + std::to_string(n);
    const TimeMs after = next[i];
    if (!prompts[i].empty() && after != 0) m.record = prompts[i] + "." + std::to_string(after);
    if (m.time == 0) {
      m.time = after != 0 ? after - 1 : before + 1;
      m.estimated = true;
    }
    before = m.time;
  }
  return messages;
}

using json::ObjectWriter;

std::string_view text_at(const dom::object& object, std::string_view path) {
  std::string_view text;
  return object.at_pointer(path).get(text) ? std::string_view{} : text;
}

TimeMs time_at(const dom::object& object, std::string_view path) {
  double number = 0;
  if (!object.at_pointer(path).get(number)) return from_unix_number(number);
  return parse_stamp(text_at(object, path)).value_or(0);
}

// Returns when the summary of a compaction was made; 0 if it is not told.
TimeMs time_of_summary(const dom::object& compaction) {
  dom::array messages;
  dom::object first;
  dom::object metadata;
  if (compaction["messages"].get(messages) || messages.at(0).get(first) || first["metadata"].get(metadata)) return 0;
  return json::number_of(metadata, "generatedAt");
}

class SessionReader final : public snapshot::HeldSource {
 public:
  SessionReader(const FileView& files, SourcePath path)
      : HeldSource(files, path.folder.string()), source_(std::move(path)) {}

 protected:
  Result<std::string> state() override {
    MEMD_TRY_ASSIGN(folder_, read_folder(files_, path_));
    for (const auto& entry : folder_.entries)
      size_ += entry.size;
    return folder_.state;
  }

  Result<void> read() override {
    std::string manifest;
    if (const auto* entry = folder_.find(source_.id + ".json")) {
      MEMD_TRY_ASSIGN(manifest, read_whole(files_, *entry));
    }
    read_manifest(manifest);
    std::map<std::string, const FileView::Entry*> agents;  // by name
    for (const auto& entry : folder_.entries)
      if (const std::string name = name_of(entry); name.ends_with(kMessagesSuffix))
        agents.emplace(name.substr(0, name.size() - kMessagesSuffix.size()), &entry);
    if (agents.empty()) return Error(Errc::not_found, "no messages in " + path_);
    told_.clear();
    torn_.clear();
    // The lead first: it is the parent of the subagents.
    if (const auto lead = agents.extract(source_.id)) MEMD_TRY(read_agent(source_.id, source_.id, *lead.mapped()));
    for (const auto& [name, entry] : agents)
      MEMD_TRY(read_agent(name, source_.id + "/" + name, *entry));
    for (const auto& entry : folder_.entries) {
      const std::string name = name_of(entry);
      if (name.ends_with(kMessagesSuffix)) continue;
      if (name.ends_with(kCompactionSuffix)) {
        const auto stem = name.substr(0, name.size() - kCompactionSuffix.size());
        if (told_.contains(stem == source_.id ? stem : source_.id + "/" + stem)) continue;
      }
      leave(name == source_.id + ".json" ? "(manifest)" : "(" + companion_name(name) + ")", "companion_file",
            entry.size);
    }
    return {};
  }

  void compare(std::span<const SourceItem> known, Session& session) const override {
    if (torn_.contains(session.session_uid)) append_stored_tail(known, session.items);
  }

 private:
  static std::string name_of(const FileView::Entry& entry) {
    return std::filesystem::path(entry.path).filename().string();
  }

  void leave(std::string_view type, std::string_view reason, std::uint64_t bytes) {
    if (bytes > 0) note(type, Disposition::skipped, reason, bytes);
  }

  Result<void> read_agent(const std::string& name, const std::string& native_id, const FileView::Entry& entry) {
    MEMD_TRY_ASSIGN(std::string text, read_whole(files_, entry));
    std::string compaction;
    if (const auto* file = folder_.find(name + std::string(kCompactionSuffix))) {
      MEMD_TRY_ASSIGN(compaction, read_whole(files_, *file));
    }
    const auto document = snapshot::split_document(std::move(text), "messages", "role");
    leave("(structure)", "structure", document.structure());
    leave("(torn)", "unfinished", document.torn);
    Held& held = add_session(native_id, make_session_uid(source_.platform, native_id));
    if (!document.whole) torn_.insert(held.session.session_uid);
    held.add_head(head_of(native_id, native_id == source_.id ? std::string_view() : name));
    add_items(held, native_id, document, compaction);
    return {};
  }

  void read_manifest(std::string_view text) {
    if (!manifest_parser_.parse(text, manifest_)) manifest_parser_.parse("{}", manifest_);
    cwd_ = text_at(manifest_, "/cwd");
    if (cwd_.empty()) cwd_ = text_at(manifest_, "/workspace_root");
    started_ = time_at(manifest_, "/started_at");
    if (started_ == 0) started_ = time_at(manifest_, "/created_at");
    forked_ = time_at(manifest_, "/metadata/fork/forkedAt");
  }

  // Returns the head of the lead agent, or of the subagent of this name.
  std::string head_of(const std::string& native_id, std::string_view subagent) const {
    ObjectWriter head;
    head.flag("head", true).text("id", native_id).some_text("cwd", cwd_);
    head.some_text("branch", text_at(manifest_, "/metadata/git/branch"));
    head.some_text("version", text_at(manifest_, "/metadata/sessionHistoryOrigin/version"));
    if (!subagent.empty()) return std::move(head.text("parent", source_.id).text("agent", subagent)).finish();
    head.some_text("model", text_at(manifest_, "/model")).some_text("title", text_at(manifest_, "/metadata/title"));
    head.flag("named", true).some_text("forked_from", text_at(manifest_, "/metadata/fork/forkedFromSessionId"));
    head.some_number("started", started_).some_number("ended", time_at(manifest_, "/ended_at"));
    double cost = 0;
    if (!manifest_.at_pointer("/metadata/totalCost").get(cost)) head.json("cost", std::to_string(cost));
    return std::move(head).finish();
  }

  void add_items(Held& held, const std::string& native_id, const snapshot::Document& document,
                 const std::string& compaction) {
    dom::object state;
    std::int64_t compacted = -1;
    TimeMs generated = 0;
    if (!compaction.empty() && parser_.parse(compaction, state)) {
      compacted = 0;
      if (state["source_message_count"].get(compacted)) compacted = 0;
      generated = time_of_summary(state);
    }
    const auto messages = read_session_messages(parser_, document, started_);
    if (std::any_of(messages.begin(), messages.end(), [](const auto& m) { return m.summary; })) compacted = -1;
    const auto add_compaction = [&](TimeMs time) {
      const std::string key = "compaction." + std::to_string(compacted);
      ObjectWriter o;
      o.text("key", key).text("record", native_id + "/" + key);
      o.number("time", generated != 0 ? generated : time).flag("estimated", generated == 0);
      o.json("compaction", compaction);
      held.add(key, std::move(o).finish(), compaction.size());
      told_.insert(native_id);
    };
    TimeMs last = started_;
    const bool lead = native_id == source_.id;
    // The messages that the summary replaced may have been removed since.
    if (compacted > static_cast<std::int64_t>(messages.size())) add_compaction(last), compacted = -1;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (compacted == static_cast<std::int64_t>(i)) add_compaction(last), compacted = -1;
      const SessionMessage& m = messages[i];
      const auto ledger = m.element.end - m.element.begin;
      ObjectWriter o;
      o.text("key", m.key);
      if (m.element.damaged) {
        held.add(m.key, std::move(o.flag("damaged", true)).finish(), ledger);
        continue;
      }
      o.text("record", m.record.empty() ? native_id + "/" + m.key : m.record);
      o.some_text("cwd", cwd_);
      o.number("time", m.time).flag("estimated", m.estimated).flag("subtask", !lead);
      o.flag("copied", forked_ != 0 && m.time < forked_);
      o.json("message", document.bytes(m.element));
      held.add(m.key, std::move(o).finish(), ledger);
      last = m.time;
    }
    if (compacted >= 0) add_compaction(last);
  }

  const SourcePath source_;
  Folder folder_;
  json::DomParser manifest_parser_;
  dom::object manifest_;
  std::string cwd_;
  TimeMs started_ = 0;
  TimeMs forked_ = 0;
  std::set<std::string> told_;  // native ids of those whose compaction is told
  std::set<std::string> torn_;  // uids of those whose document is being written, or cut
  json::DomParser parser_;
};

}  // namespace

std::unique_ptr<SnapshotReader> open_session(const FileView& files, SourcePath path) {
  return std::make_unique<SessionReader>(files, std::move(path));
}

}  // namespace memd::cline
