#include "store/memory/memory_text.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"
#include "store/memory/front_matter.hpp"
#include "store/memory/headings.hpp"

#include <algorithm>
#include <utility>

namespace memd::memory {
namespace {

std::string in_quotes(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

void add_list(std::string& out, std::string_view indent, std::string_view key, const std::vector<std::string>& values) {
  out.append(indent).append(key).append(values.empty() ? ": []\n" : ":\n");
  for (const auto& value : values)
    out.append(indent).append("  - ").append(yaml_text(value)).append("\n");
}

void add_line(std::string& out, std::string_view key, std::string_view value) {
  out.append(key).append(": ").append(value).append("\n");
}

void add_provenance(std::string& out, const MemoryProvenance& p, bool all_keys) {
  if (p.empty() && !all_keys) return;
  out += "provenance:\n";
  const auto list = [&](std::string_view key, const std::vector<std::string>& values, bool always) {
    if (always || !values.empty()) add_list(out, "  ", key, values);
  };
  list("events", p.events, all_keys);
  list("patches", p.patches, all_keys);
  list("commits", p.commits, all_keys);
  list("files", p.files, false);
  if (!p.session.empty()) add_line(out, "  session", yaml_text(p.session));
  if (!p.exchange.empty()) add_line(out, "  exchange", yaml_text(p.exchange));
}

void add_verification(std::string& out, const MemoryVerification& v) {
  out += "verification:\n";
  add_line(out, "  last_verified_commit", v.last_verified_commit.empty() ? "null" : yaml_text(v.last_verified_commit));
  add_line(out, "  status", to_string(v.status));
}

// Returns whether the text begins with a heading of level 1, ignoring blank lines.
bool begins_with_title(std::string_view content) { return ascii::trimmed(content).starts_with("# "); }

// Replaces the text of the first heading of level 1.
std::string retitled(std::string_view content, std::string_view title) {
  for (const Heading& heading : headings_of(content)) {
    if (heading.level != 1) continue;
    std::size_t at = 0;
    for (int line = 1; line < heading.line; ++line)
      at = content.find('\n', at) + 1;
    auto end = std::min(content.find('\n', at), content.size());
    if (end > at && content[end - 1] == '\r') --end;
    return std::string(content.substr(0, at)) + "# " + std::string(title) + std::string(content.substr(end));
  }
  return std::string(content);
}

bool has_key(std::string_view file, const std::string& key) {
  const FrontMatter front = FrontMatter::read(file, find_front_matter(file));
  return front.problem.empty() && std::as_const(front.root)[key].IsDefined();
}

}  // namespace

std::string new_memory_text(const Memory& m) {
  std::string out = "---\n";
  const bool is_plugin = m.dialect == MemoryDialect::plugin;
  const std::string own_title = begins_with_title(m.content) ? first_title(m.content) : std::string();
  const bool adds_heading = is_plugin && own_title.empty();
  if (is_plugin) {
    add_line(out, "type", to_string(m.type));
    if (!adds_heading && own_title != m.title) add_line(out, "title", in_quotes(m.title));
    add_list(out, "", "tags", m.tags);
  } else {
    add_line(out, "id", yaml_text(m.slug));
    add_line(out, "title", in_quotes(m.title));
    add_line(out, "kind", to_string(m.type));
    add_list(out, "", "tags", m.tags);
  }
  add_line(out, "created", in_quotes(format_rfc3339(m.created)));
  add_line(out, "updated", in_quotes(format_rfc3339(m.updated)));
  if (is_plugin) {
    add_list(out, "", "links", m.links);
    add_provenance(out, m.provenance, false);
    if (m.verification != MemoryVerification()) add_verification(out, m.verification);
  } else {
    add_provenance(out, m.provenance, true);
    add_verification(out, m.verification);
    if (!m.relations.empty()) out += "relations:\n";
    for (const auto label : kDocumentRelations) {
      std::vector<std::string> targets;
      for (const auto& relation : m.relations)
        if (relation.label == label) targets.push_back(relation.target);
      if (!targets.empty()) add_list(out, "  ", label, targets);
    }
  }
  out += "---\n";
  if (!m.content.starts_with('\n') && (adds_heading || !m.content.empty())) out += "\n";
  if (adds_heading) out += "# " + m.title + "\n" + (m.content.empty() || m.content.starts_with('\n') ? "" : "\n");
  out += m.content;
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

Result<std::string> changed_memory_text(std::string_view file, const Memory& before, const MemoryChange& change) {
  FrontMatterEditor editor{std::string(file)};
  if (change.content) editor.set_body(*change.content);
  if (change.type) {
    const bool is_plugin = before.dialect == MemoryDialect::plugin;
    MEMD_TRY(editor.set_text({is_plugin ? "type" : "kind"}, to_string(*change.type)));
  }
  if (change.title) {
    const std::string content = change.content.value_or(before.content);
    if (has_key(file, "title") || first_title(content).empty())
      MEMD_TRY(editor.set_text({"title"}, *change.title));
    else
      editor.set_body(retitled(content, *change.title));
  }
  if (change.tags) MEMD_TRY(editor.set_list({"tags"}, *change.tags));
  if (change.links && (!change.links->empty() || has_key(file, "links")))
    MEMD_TRY(editor.set_list({"links"}, *change.links));
  if (change.relations) {
    for (const auto label : kDocumentRelations) {
      std::vector<std::string> now;
      for (const auto& relation : *change.relations)
        if (relation.label == label) now.push_back(relation.target);
      const bool had = std::any_of(before.relations.begin(), before.relations.end(),
                                   [&](const MemoryRelation& r) { return r.label == label; });
      if (had || !now.empty()) MEMD_TRY(editor.set_list({"relations", label}, now));
    }
  }
  if (change.verification) {
    const auto& v = *change.verification;
    MEMD_TRY(editor.set_text({"verification", "last_verified_commit"}, v.last_verified_commit));
    MEMD_TRY(editor.set_text({"verification", "status"}, to_string(v.status)));
  }
  if (change.updated != 0) MEMD_TRY(editor.set_text({"updated"}, format_rfc3339(change.updated)));
  return editor.file();
}

}  // namespace memd::memory
