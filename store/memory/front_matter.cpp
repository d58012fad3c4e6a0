#include "store/memory/front_matter.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/json_writer.hpp"
#include "schemas/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace memd::memory {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr auto npos = std::string_view::npos;

// Returns the line at `at`, including its line end.
std::string_view line_at(std::string_view text, std::size_t at) {
  const auto end = text.find('\n', at);
  return text.substr(at, end == npos ? npos : end + 1 - at);
}

std::string_view without_end(std::string_view line) {
  while (!line.empty() && (ascii::is_space(line.back())))
    line.remove_suffix(1);
  return line;
}

std::size_t indent_of(std::string_view line) { return std::min(line.find_first_not_of(' '), line.size()); }

std::vector<std::size_t> line_starts(std::string_view text) {
  std::vector<std::size_t> out{0};
  for (auto at = text.find('\n'); at != npos; at = text.find('\n', at + 1))
    out.push_back(at + 1);
  return out;
}

enum class Quote { none, single, twice };

std::string quoted(std::string_view value, Quote quote) {
  const bool has_control = std::any_of(value.begin(), value.end(), [](unsigned char c) { return c < 0x20; });
  if (quote == Quote::single && !has_control) {
    std::string out = "'";
    for (const char c : value)
      out += c == '\'' ? std::string("''") : std::string(1, c);
    return out + "'";
  }
  std::string out;
  json::append_string(out, value);
  return out;
}

// Returns whether a plain scalar is safe: letters, digits and signs without a meaning inside a YAML scalar or a flow
// list.
bool is_plain_line(std::string_view value) {
  if (value.empty() || !ascii::is_alnum(value.front()) || ascii::is_space(value.back()) || value.back() == ':')
    return false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    const bool colon = c == ':' && i + 1 < value.size() && value[i + 1] != ' ';
    if (!ascii::is_alnum(c) && !colon && std::string_view(" -_./()+;=").find(c) == npos && !ascii::is_non_ascii(c))
      return false;
  }
  return true;
}

// Some parsers do not read these words as text.
bool is_reserved_word(std::string_view value) {
  static constexpr std::array<std::string_view, 9> kWords{"true", "false", "yes", "no", "on", "off", "null", "y", "n"};
  return std::any_of(kWords.begin(), kWords.end(), [&](auto word) { return ascii::equal_nocase(word, value); });
}

bool is_time(std::string_view value) { return parse_rfc3339(value).has_value(); }

std::string in_style(std::string_view value, Quote quote, bool was_plain_time) {
  if (quote != Quote::none) return quoted(value, quote);
  return was_plain_time && is_time(value) ? std::string(value) : yaml_text(value);
}

// A key of a block mapping with its lines.
struct Entry {
  std::string key;
  std::size_t begin = 0;  // start of its first line
  std::size_t value = 0;  // after the colon
  std::size_t end = 0;    // after its last line; excludes comments before the next key
  std::size_t indent = 0;
  YAML::Node node;
};

// Returns the entries of a block mapping in text[from, to). nullopt: memd does not edit mappings of this form.
std::optional<std::vector<Entry>> entries_of(std::string_view text, const YAML::Node& map, std::size_t to) {
  const auto lines = line_starts(text);
  std::vector<Entry> out;
  for (const auto& pair : map) {
    const auto mark = pair.first.Mark();
    if (!pair.first.IsScalar() || mark.line < 0 || static_cast<std::size_t>(mark.line) >= lines.size())
      return std::nullopt;
    Entry entry;
    entry.key = pair.first.Scalar();
    entry.begin = lines[static_cast<std::size_t>(mark.line)];
    const std::string_view line = line_at(text, entry.begin);
    entry.indent = indent_of(line);
    if (entry.indent != static_cast<std::size_t>(mark.column)) return std::nullopt;
    std::string_view rest = line.substr(entry.indent);
    const bool has_quotes = rest.starts_with('"') || rest.starts_with('\'');
    if (has_quotes) rest.remove_prefix(1);
    if (!rest.starts_with(entry.key)) return std::nullopt;
    rest.remove_prefix(entry.key.size() + (has_quotes ? 1 : 0));
    rest.remove_prefix(indent_of(rest));
    if (!rest.starts_with(':')) return std::nullopt;
    entry.value = static_cast<std::size_t>(rest.data() - text.data()) + 1;
    entry.node = pair.second;
    if (!out.empty() && (out.back().indent != entry.indent || out.back().begin >= entry.begin)) return std::nullopt;
    out.push_back(std::move(entry));
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    Entry& entry = out[i];
    entry.end = line_at(text, entry.begin).size() + entry.begin;
    const std::size_t limit = i + 1 < out.size() ? out[i + 1].begin : to;
    for (std::size_t at = entry.end; at < limit;) {
      const std::string_view line = line_at(text, at);
      at += line.size();
      const bool is_between =
          without_end(line).empty() || (indent_of(line) <= entry.indent && line[indent_of(line)] == '#');
      if (!is_between) entry.end = at;
    }
  }
  return out;
}

// The value after a colon on the same line.
struct Inline {
  std::size_t begin = 0;
  std::size_t end = 0;  // only blanks or a comment follow
  Quote quote = Quote::none;
  bool is_list = false;
  bool is_whole = true;  // the value ends on this line, in a supported form
};

Inline inline_value(std::string_view text, const Entry& entry) {
  const std::size_t line_end = entry.begin + without_end(line_at(text, entry.begin)).size();
  Inline out;
  out.begin = std::min(entry.value + indent_of(text.substr(entry.value)), std::max(line_end, entry.value));
  out.end = out.begin;
  if (out.begin >= line_end || text[out.begin] == '#') {  // nothing here; the value, if any, is on the next lines
    out.begin = out.end = entry.value;
    return out;
  }
  const char first = text[out.begin];
  if (std::string_view("|>&*!?").find(first) != npos || text.substr(out.begin, 1) == "{") {
    out.is_whole = false;
    return out;
  }
  std::size_t at = out.begin;
  const auto skip_quotes = [&](char quote) {
    for (++at; at < line_end; ++at) {
      if (quote == '"' && text[at] == '\\')
        ++at;
      else if (text[at] == quote && quote == '\'' && at + 1 < line_end && text[at + 1] == quote)
        ++at;
      else if (text[at] == quote)
        return true;
    }
    return false;
  };
  if (first == '"' || first == '\'') {
    out.quote = first == '"' ? Quote::twice : Quote::single;
    out.is_whole = skip_quotes(first);
    out.end = at + 1;
  } else if (first == '[') {
    out.is_list = true;
    for (++at; at < line_end && text[at] != ']' && out.is_whole; ++at)
      if (text[at] == '"' || text[at] == '\'')
        out.is_whole = skip_quotes(text[at]);
      else if (text[at] == '[' || text[at] == '#')
        out.is_whole = false;
    out.is_whole = out.is_whole && at < line_end;
    out.end = at + 1;
  } else {
    const auto comment = text.substr(0, line_end).find(" #", at);
    out.end =
        out.begin + without_end(text.substr(out.begin, (comment == npos ? line_end : comment) - out.begin)).size();
  }
  if (entry.end > entry.begin + line_at(text, entry.begin).size()) out.is_whole = false;  // continues on the next lines
  return out;
}

// Returns the items of "[a, 'b']" as written.
std::vector<std::string_view> flow_items(std::string_view list) {
  list = list.substr(1, list.size() - 2);
  std::vector<std::string_view> out;
  std::size_t begin = 0;
  char quote = 0;
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i == list.size() || (quote == 0 && list[i] == ',')) {
      if (const auto item = ascii::trimmed(list.substr(begin, i - begin)); !item.empty()) out.push_back(item);
      begin = i + 1;
    } else if (quote == 0 && (list[i] == '"' || list[i] == '\'')) {
      quote = list[i];
    } else if (quote == '"' && list[i] == '\\') {
      ++i;
    } else if (list[i] == quote) {
      quote = 0;
    }
  }
  return out;
}

bool is_text_list(const YAML::Node& node) {
  return node.IsSequence() && std::all_of(node.begin(), node.end(), [](const YAML::Node& n) { return n.IsScalar(); });
}

std::string block_list(const std::vector<std::string>& values, std::size_t indent, std::string_view eol) {
  std::string out;
  for (const auto& value : values)
    out.append(indent, ' ').append("- ").append(yaml_text(value)).append(eol);
  return out;
}

// Returns the text after the colon for a rewritten list, including the end of its last line.
std::string new_list(const std::vector<std::string>& values, std::size_t indent, std::string_view eol) {
  return values.empty() ? " []" + std::string(eol) : std::string(eol) + block_list(values, indent + 2, eol);
}

// An edit of one entry: replaces text[begin, end).
struct Edit {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string text;
};

Edit text_edit(std::string_view yaml, const Entry& entry, std::string_view value, std::string_view eol) {
  const Inline old = inline_value(yaml, entry);
  if (!old.is_whole || old.is_list) return {entry.value, entry.end, " " + yaml_text(value) + std::string(eol)};
  const bool was_time = old.quote == Quote::none && is_time(yaml.substr(old.begin, old.end - old.begin));
  const std::string_view gap = old.begin == entry.value ? " " : "";
  return {old.begin, old.end, std::string(gap) + in_style(value, old.quote, was_time)};
}

// Returns the lines of a block list's items; empty for another form.
std::vector<Edit> item_lines(std::string_view yaml, const Entry& entry) {
  const auto lines = line_starts(yaml);
  std::vector<Edit> out;
  for (const auto& item : entry.node) {
    const auto line = static_cast<std::size_t>(item.Mark().line);
    const auto column = static_cast<std::size_t>(item.Mark().column);
    if (line >= lines.size()) return {};
    const std::size_t begin = lines[line];
    const std::string_view before = ascii::trimmed(yaml.substr(begin, column));
    if (before != "-" || begin <= entry.begin) return {};
    if (!out.empty()) out.back().end = begin;
    out.push_back({begin, entry.end, {}});
  }
  return out;
}

std::vector<Edit> list_edits(std::string_view yaml, const Entry& entry, const std::vector<std::string>& values,
                             std::string_view eol) {
  const Edit anew{entry.value, entry.end, new_list(values, entry.indent, eol)};
  const Inline old = inline_value(yaml, entry);
  if (entry.node.IsNull()) {
    if (values.empty()) return {};
    // A comment after the colon is kept.
    const std::size_t line_end = entry.begin + line_at(yaml, entry.begin).size();
    return {{line_end, line_end, block_list(values, entry.indent + 2, eol)}};
  }
  if (!is_text_list(entry.node) || values.empty()) {
    if (old.is_whole && old.is_list && values.empty()) return {{old.begin, old.end, "[]"}};
    return {anew};
  }
  std::vector<std::string> added;
  std::set<std::string> there;
  for (const auto& item : entry.node)
    there.insert(item.Scalar());
  std::copy_if(values.begin(), values.end(), std::back_inserter(added),
               [&](const auto& v) { return !there.contains(v); });
  const auto is_wanted = [&](const std::string& v) {
    return std::find(values.begin(), values.end(), v) != values.end();
  };

  if (old.is_list) {
    const std::string_view written = yaml.substr(old.begin, old.end - old.begin);
    const auto items = old.is_whole ? flow_items(written) : std::vector<std::string_view>();
    if (items.size() != entry.node.size()) return {anew};
    std::string list;
    const auto add = [&](std::string_view item) { list.append(list.empty() ? "" : ", ").append(item); };
    for (std::size_t i = 0; i < items.size(); ++i)
      if (is_wanted(entry.node[i].Scalar())) add(items[i]);
    for (const auto& value : added)
      add(yaml_text(value));
    const std::string pad = written.starts_with("[ ") ? " " : "";
    return {{old.begin, old.end, "[" + pad + list + pad + "]"}};
  }
  const auto items = item_lines(yaml, entry);
  if (items.empty() || items.size() != entry.node.size()) return {anew};
  std::vector<Edit> out;
  bool keeps_one = false;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_wanted(entry.node[i].Scalar()))
      keeps_one = true;
    else
      out.push_back(items[i]);
  }
  if (!keeps_one) return {anew};
  if (!added.empty()) {
    const std::string_view first = line_at(yaml, items.front().begin);
    const std::string dash(first.substr(0, static_cast<std::size_t>(entry.node[0].Mark().column)));
    const char sign = first.substr(dash.size()).empty() ? ' ' : first[dash.size()];
    const Quote quote = sign == '"' ? Quote::twice : sign == '\'' ? Quote::single : Quote::none;
    std::string more;
    for (const auto& value : added)
      more += dash + in_style(value, quote, false) + std::string(eol);
    out.push_back({entry.end, entry.end, std::move(more)});
  }
  return out;
}

std::string with_edits(std::string_view text, const std::vector<Edit>& edits) {
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    out.append(text.substr(at, edit.begin - at)).append(edit.text);
    at = edit.end;
  }
  return out.append(text.substr(at));
}

const Entry* find_entry(const std::vector<Entry>& entries, std::string_view key) {
  const auto it = std::find_if(entries.begin(), entries.end(), [&](const Entry& e) { return e.key == key; });
  return it == entries.end() ? nullptr : &*it;
}

bool reads_as(const YAML::Node& node, const std::optional<std::string_view>& text,
              const std::vector<std::string>* list) {
  if (list == nullptr) return node.IsScalar() && node.Scalar() == *text;
  if (node.IsNull() && list->empty()) return true;
  if (!is_text_list(node)) return false;
  std::set<std::string> found;
  for (const auto& item : node)
    found.insert(item.Scalar());
  return found == std::set<std::string>(list->begin(), list->end());
}

// Converts a one-line "{a: b}" into a block mapping, so that one of its values can be changed.
std::optional<std::string> unfolded(const Entry& parent, std::string_view eol) {
  std::string out(eol);
  for (const auto& pair : parent.node) {
    if (!pair.first.IsScalar()) return std::nullopt;
    out.append(parent.indent + 2, ' ').append(yaml_text(pair.first.Scalar())).append(":");
    if (pair.second.IsNull()) {
      out.append(" null").append(eol);
    } else if (pair.second.IsScalar()) {
      out.append(" ").append(yaml_text(pair.second.Scalar())).append(eol);
    } else if (is_text_list(pair.second)) {
      out += new_list(pair.second.as<std::vector<std::string>>(), parent.indent + 2, eol);
    } else {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace

std::string_view line_end_of(std::string_view file) {
  const auto end = file.find('\n');
  return end != npos && end > 0 && file[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string yaml_text(std::string_view value) {
  if (is_plain_line(value) && ascii::is_letter(value.front()) && !is_reserved_word(value)) return std::string(value);
  return quoted(value, Quote::twice);
}

FrontMatterSpan find_front_matter(std::string_view file) {
  FrontMatterSpan out;
  std::size_t at = file.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0;
  out.body = at;
  const std::string_view first = line_at(file, at);
  if (without_end(first) != "---") return out;
  at += first.size();
  out.begin = at;
  out.state = FrontMatterSpan::State::unclosed;
  while (at < file.size()) {
    const std::string_view line = line_at(file, at);
    const std::string_view dashes = without_end(line);
    if (dashes == "---" || dashes == "...") {
      out.state = FrontMatterSpan::State::closed;
      out.end = at;
      out.body = at + line.size();
      return out;
    }
    at += line.size();
  }
  out.end = file.size();
  return out;
}

FrontMatter FrontMatter::read(std::string_view file, const FrontMatterSpan& span) {
  FrontMatter out;
  try {
    out.root = YAML::Load(std::string(file.substr(span.begin, span.end - span.begin)));
    if (out.root.IsNull()) out.root = YAML::Node(YAML::NodeType::Map);
    if (!out.root.IsMap()) {
      out.problem = "the front matter has to be keys with values: \"key: value\"";
      out.problem_line = 2;
      return out;
    }
    std::set<std::string> seen;
    for (const auto& pair : out.root)
      if (pair.first.IsScalar() && !seen.insert(pair.first.Scalar()).second)
        out.repeated.push_back({pair.first.Scalar(), line_of(pair.first)});
  } catch (const YAML::Exception& e) {
    out.problem = "not valid YAML: " + e.msg + "; put texts with special characters in quotes";
    out.problem_line = e.mark.is_null() ? 2 : e.mark.line + 2;
  }
  return out;
}

Result<void> FrontMatterEditor::set_text(Path path, std::string_view value) { return change(path, value, nullptr); }

Result<void> FrontMatterEditor::set_list(Path path, const std::vector<std::string>& values) {
  return change(path, std::nullopt, &values);
}

void FrontMatterEditor::set_body(std::string_view body) {
  file_.replace(find_front_matter(file_).body, std::string::npos, body);
}

Result<void> FrontMatterEditor::change(Path path, const std::optional<std::string_view>& text,
                                       const std::vector<std::string>* list) {
  const auto cannot = [&](std::string_view why) {
    return Error(Errc::unsupported, fmt::format("{}: {}; change it with an editor", fmt::join(path, "."), why));
  };
  const FrontMatterSpan span = find_front_matter(file_);
  if (span.state != FrontMatterSpan::State::closed) return cannot("the file has no front matter");
  const FrontMatter before = FrontMatter::read(file_, span);
  if (!before.problem.empty() || !before.repeated.empty()) return cannot("the front matter is not valid");
  const std::string_view eol = line_end_of(file_);
  std::string yaml = file_.substr(span.begin, span.end - span.begin);
  const auto entries = entries_of(yaml, before.root, yaml.size());
  if (!entries) return cannot("the front matter is written in a form that memd does not change");

  const std::string_view top = *path.begin();
  const Entry* entry = find_entry(*entries, top);
  const auto new_entry = [&](std::string_view key, std::size_t indent) {
    std::string out = std::string(indent, ' ') + std::string(key) + ":";
    return list != nullptr ? out + new_list(*list, indent, eol) : out + " " + yaml_text(*text) + std::string(eol);
  };
  const auto edits_of = [&](const Entry& e) {
    return list != nullptr ? list_edits(yaml, e, *list, eol) : std::vector<Edit>{text_edit(yaml, e, *text, eol)};
  };
  std::vector<Edit> edits;
  if (path.size() == 1) {
    edits = entry != nullptr ? edits_of(*entry) : std::vector<Edit>{{yaml.size(), yaml.size(), new_entry(top, 0)}};
  } else {
    const std::string_view key = *(path.begin() + 1);
    if (entry == nullptr) {
      edits = {{yaml.size(), yaml.size(), std::string(top) + ":" + std::string(eol) + new_entry(key, 2)}};
    } else if (entry->node.IsNull()) {
      edits = {{entry->end, entry->end, new_entry(key, entry->indent + 2)}};
      if (inline_value(yaml, *entry).end != entry->value)  // "key: null" or "key: ~"
        edits.insert(edits.begin(), {entry->value, inline_value(yaml, *entry).end, ""});
    } else if (!entry->node.IsMap()) {
      return cannot("is no mapping");
    } else if (const auto inner = entries_of(yaml, entry->node, entry->end); inner && !inner->empty()) {
      const Entry* child = find_entry(*inner, key);
      edits = child != nullptr ? edits_of(*child)
                               : std::vector<Edit>{{entry->end, entry->end, new_entry(key, inner->back().indent)}};
    } else {
      const auto block = unfolded(*entry, eol);
      if (!block) return cannot("is written in a form that memd does not change");
      if (before.root[std::string(top)][std::string(key)].IsDefined()) {
        std::string unfolded_yaml = yaml;
        unfolded_yaml.replace(entry->value, entry->end - entry->value, *block);
        FrontMatterEditor again(file_);
        again.file_.replace(span.begin, span.end - span.begin, unfolded_yaml);
        MEMD_TRY(again.change(path, text, list));
        file_ = std::move(again.file_);
        return {};
      }
      edits = {{entry->value, entry->end, *block + new_entry(key, entry->indent + 2)}};
    }
  }
  const std::string changed = with_edits(yaml, edits);

  // Verifies that the key has the new value and that no other key has changed.
  std::string file = file_;
  file.replace(span.begin, span.end - span.begin, changed);
  const FrontMatterSpan new_span = find_front_matter(file);
  const FrontMatter after = FrontMatter::read(file, new_span);
  const bool same_body = std::string_view(file).substr(new_span.body) == std::string_view(file_).substr(span.body) &&
                         after.problem.empty();
  const auto now = same_body ? entries_of(changed, after.root, changed.size()) : std::nullopt;
  if (!now || now->size() != entries->size() + (entry == nullptr ? 1 : 0)) return cannot("cannot be changed safely");
  for (const Entry& old : *entries) {
    const Entry* same = find_entry(*now, old.key);
    if (same == nullptr || (old.key != top && changed.substr(same->begin, same->end - same->begin) !=
                                                  yaml.substr(old.begin, old.end - old.begin)))
      return cannot("cannot be changed without touching " + old.key);
  }
  const YAML::Node parent = find_entry(*now, top)->node;
  const YAML::Node value = path.size() == 1 ? parent : parent[std::string(*(path.begin() + 1))];
  if (!reads_as(value, text, list)) return cannot("cannot be changed safely");
  file_ = std::move(file);
  return {};
}

}  // namespace memd::memory
