#include "adapters/opencode/item_context.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace memd::opencode {
namespace {

constexpr std::uint32_t kFirstNote = 0x8000;  // behind the numbers of content, before those of derived events

enum : std::size_t { kTotal, kInput, kOutput, kReasoning, kTokenKeys };
constexpr KeyTable<kTokenKeys> kTokenTable{{"total", "input", "output", "reasoning"}};
enum : std::size_t { kRead, kWrite, kCacheKeys };
constexpr KeyTable<kCacheKeys> kCacheTable{{"read", "write"}};

}  // namespace

Event& ItemContext::emplace(EventKind kind, Role role, std::size_t block, std::uint32_t index) {
  Event& e = out_.events.emplace_back();
  e.session_uid = session_uid_;
  e.event_id = event_key(key, index);
  e.time = time;
  e.kind = kind;
  e.role = role;
  e.raw = raw_;
  e.raw.block = static_cast<std::uint16_t>(std::min<std::size_t>(block, std::numeric_limits<std::uint16_t>::max()));
  e.cwd = cwd;
  e.model = model;
  e.is_sidechain = is_child;
  return e;
}

Event& ItemContext::add(EventKind kind, Role role, std::size_t block) {
  return emplace(kind, role, block, 2 * std::min<std::uint32_t>(next_content_++, kFirstNote / 2 - 1));
}

Event& ItemContext::add_result(std::size_t block) {
  const std::uint32_t call = std::min<std::uint32_t>(next_content_ - 1, kFirstNote / 2 - 1);
  return emplace(EventKind::tool_result, Role::tool, block, 2 * call + 1);
}

Event& ItemContext::add_note(EventKind kind, Role role, std::size_t block) {
  return emplace(kind, role, block, kFirstNote + std::min<std::uint32_t>(next_note_++, kFirstNote - 1));
}

Event& ItemContext::add_lifecycle(std::string_view name, std::size_t block) {
  Event& e = add_note(EventKind::lifecycle, Role::system, block);
  e.lifecycle = name;
  return e;
}

void ItemContext::diagnose(DiagnosticType type, std::vector<FieldName> fields) {
  out_.diagnostics.push_back({Platform::opencode, type, Severity::warning, std::move(fields), 0, raw_.offset});
}

std::string model_name(TextReader& reader, std::string_view provider, std::string_view model) {
  std::string name = reader.text(provider);
  if (!name.empty() && is_string(model)) name.push_back('/');
  reader.append_text(model, name);
  return name;
}

TokenUsage read_usage(od::object& tokens) {
  Tokens<kTokenKeys> counts;
  Tokens<kCacheKeys> cache{};
  od::object inner;
  if (!collect(tokens, kTokenTable, counts)) return {};
  if (seek_object(tokens, "cache", inner) && !collect(inner, kCacheTable, cache)) return {};
  TokenUsage usage{integer(counts[kInput]), integer(counts[kOutput]), integer(cache[kRead]), integer(cache[kWrite])};
  // Whether reasoning is a part of the output depends on version and provider; the total tells, where there is one.
  const std::int64_t rest = integer(counts[kTotal]) - usage.input - usage.cache_read - usage.cache_creation;
  if (rest == usage.output + integer(counts[kReasoning])) usage.output = rest;
  return usage;
}

}  // namespace memd::opencode
