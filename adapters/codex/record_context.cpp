#include "adapters/codex/record_context.hpp"

#include "schemas/base/hash.hpp"
#include "schemas/base/stamp.hpp"
#include "schemas/ids.hpp"

namespace memd::codex {
namespace {

// Ids of the platform are long ("call_" and 24 letters). Other model servers number them "call_0", "call_1" in each
// session.
constexpr std::size_t kGlobalIdLength = 20;

}  // namespace

RecordContext::RecordContext(const Line& line, Detail detail, EventBatch& out)
    : RecordBuilder(Platform::codex, line.session_uid, line.raw, detail, out), line_(line) {
  time = parse_stamp(line.timestamp).value_or(0);
  block = 0;
}

void RecordContext::identify_by(std::string_view kind, std::string_view native_id, std::uint64_t content) {
  if (native_id.size() < kGlobalIdLength) return identify_locally(kind, hash_combine(hash64(native_id), content));
  set_key(record_key(Platform::codex, std::string(kind).append("/").append(native_id)), false);
}

void RecordContext::identify_by_turn(std::string_view kind, std::string_view turn_id, std::uint64_t content) {
  if (turn_id.size() < kGlobalIdLength) return identify_locally(kind, content);
  set_key(hash_combine(record_key(Platform::codex, std::string(kind).append("@").append(turn_id)), content), false);
}

void RecordContext::identify_locally(std::string_view kind, std::uint64_t content) {
  const std::uint64_t place = line_.timestamp.empty() ? line_.raw.offset : hash64(line_.timestamp);
  set_key(hash_combine(hash_combine(hash64(line_.session_uid, hash64(kind)), place), content), true);
  content_ = hash_combine(hash64(kind), content);
}

void RecordContext::identify_in_session(std::string_view kind, std::uint64_t content) {
  identify_locally(kind, content);
  identify(hash_combine(hash64(line_.session_uid, hash64(kind)), content));
}

void RecordContext::set_key(std::uint64_t key, bool local) {
  identify(key);
  id_is_local = local;
}

void append_line(std::string& text, std::string_view part) {
  if (!text.empty() && !part.empty() && text.back() != '\n') text.push_back('\n');
  text.append(part);
}

bool identify_item(RecordContext& c, std::string_view kind, std::string_view id, std::string_view turn,
                   std::uint64_t content) {
  const bool by_turn = id.size() < kGlobalIdLength && turn.size() >= kGlobalIdLength;
  if (by_turn)
    c.identify_by_turn(kind, turn, id.empty() ? content : hash_combine(hash64(id), content));
  else
    c.identify_by(kind, id, content);
  return by_turn || id.size() >= kGlobalIdLength;
}

Event& RecordContext::add_as(std::uint32_t index, EventKind kind, Role role, std::size_t of_block) {
  Event& e = RecordBuilder::add_as(index, kind, role, of_block);
  e.id_is_local = id_is_local;
  if (id_is_local) e.input_hash = content_;
  return e;
}

}  // namespace memd::codex
