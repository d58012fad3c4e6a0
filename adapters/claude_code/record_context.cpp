#include "adapters/claude_code/record_context.hpp"

#include "adapters/claude_code/paths.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/ids.hpp"

#include <algorithm>
#include <span>

namespace memd::claude_code {
namespace {

// Returns a content-based key for records without a uuid. Copies and repeats have equal content but different offsets.
std::uint64_t content_key(const Envelope& envelope) {
  std::uint64_t key = hash64("claude_code/record");
  const auto members = envelope.members();
  for (const std::string_view* token : std::span(members).first(Envelope::kTable.find("parentUuid")))
    key = hash_combine(key, hash64(*token));
  return key;
}

// Returns the parent of a record. A compaction starts a new chain and stores its predecessor under another key.
std::optional<std::uint64_t> parent_of(const Envelope& envelope) {
  if (string_body(envelope.uuid).empty() || envelope.parentUuid.empty()) return std::nullopt;
  for (const auto parent : {envelope.parentUuid, envelope.logicalParentUuid})
    if (const auto uuid = string_body(parent); !uuid.empty()) return record_key(Platform::claude_code, uuid);
  return 0;
}

}  // namespace

RecordContext::RecordContext(Platform platform, const Envelope& envelope, std::string_view session_uid, RawRef raw,
                             Detail detail, EventBatch& out)
    : RecordBuilder(platform, session_uid, raw, detail, out), envelope_(envelope) {
  const auto uuid = string_body(envelope.uuid);
  identify(uuid.empty() ? content_key(envelope) : record_key(Platform::claude_code, uuid));
  parent = parent_of(envelope);
  time = envelope.time();
  is_sidechain = is_true(envelope.isSidechain);
  block = 0;
}

Event& RecordContext::add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) {
  Event& e = RecordBuilder::add_as(index, kind, role, of_block);
  e.parent_id = index == 0 ? parent : key();
  append_text(envelope_.cwd, e.cwd);
  append_text(envelope_.gitBranch, e.git_branch);
  append_text(envelope_.version, e.agent_version);
  return e;
}

void RecordContext::pass_on() {
  if (!parent) return;
  const std::uint64_t id = record_key(Platform::claude_code, string_body(envelope_.uuid));
  if (copied_ && *copied_ != id) return out().silent.push_back({std::string(session_uid()), id, *copied_});
  const bool told =
      std::ranges::any_of(events(), [&](const Event& e) { return e.event_id == id && e.session_uid == session_uid(); });
  if (!told) out().silent.push_back({std::string(session_uid()), id, *parent});
}

std::string RecordContext::agent_uid(std::string_view agent_id) const {
  std::string uid(root_session(session_uid()));
  return uid.append("/agent-").append(agent_id);
}

void RecordContext::link_agent(std::string_view agent_id, std::string_view call_id) {
  if (!is_identifier(agent_id)) return;
  const std::string uid = agent_uid(agent_id);
  if (!out().sessions.empty() && out().sessions.back().session_uid == uid &&
      out().sessions.back().parent_call_id == call_id)
    return;  // consecutive records of one agent repeat it
  add_subagent(uid, call_id, time).parent_uid = root_session(session_uid());
}

}  // namespace memd::claude_code
