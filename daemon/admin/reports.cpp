#include "daemon/admin/reports.hpp"

#include "daemon/tools/answer.hpp"
#include "schemas/base/harmless.hpp"

#include <fmt/format.h>

namespace memd::admin {

std::string second_look_text(const SecondLookStatus& s) {
  if (!s.turned_off_by.empty()) return "off (" + s.turned_off_by + ")";
  std::string out = fmt::format("{} of {} turns", s.made, s.exchanges);
  if (s.waiting > 0) out += fmt::format(", {} waiting", s.waiting);
  if (!s.paused.empty()) out += " (paused: " + s.paused + ")";
  return out;
}

std::string what_it_holds(const MemoryCatalogReport& r) {
  return fmt::format("{} {}, {} of agents", r.memories, r.memories == 1 ? "memory" : "memories",
                     tools::counted(r.agent_files, "file"));
}

std::string render_text(const MemoryCatalogReport& r) {
  std::string out = fmt::format("The index of memories is {}: {}", r.state, what_it_holds(r));
  if (r.invalid > 0) out += fmt::format(", {} that break a rule", r.invalid);
  if (!r.unread.empty()) out += fmt::format(", {} that cannot be read", r.unread.size());
  if (!r.read_at.empty()) out += ", last read " + r.read_at;
  out += ".\n";
  for (const std::string& file : r.invalid_files)
    out += fmt::format("  breaks a rule: {}\n", harmless_line(file));
  for (const std::string& file : r.unread)
    out += fmt::format("  cannot be read: {}\n", harmless_line(file));
  for (const std::string& file : r.stale_indexes)
    out += fmt::format("  does not fit the memories beside it: {}\n", harmless_line(file));
  if (!r.built_at.empty() && r.state == "valid")
    out += fmt::format("Rebuilt {} in {} ms: {}.\n", r.built_at, r.built_ms, harmless_line(r.reason));
  else if (r.state != "valid" && !r.reason.empty())
    out += fmt::format("What is wrong: {}.\n", harmless_line(r.reason));
  if (!r.trouble.empty()) out += fmt::format("It does not match the files: {}\n", harmless_line(r.trouble));
  return out;
}

}  // namespace memd::admin
