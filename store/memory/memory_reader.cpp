#include "store/memory/memory_reader.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/utf8.hpp"
#include "store/memory/front_matter.hpp"
#include "store/memory/headings.hpp"
#include "store/text/redaction/redactor.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace memd::memory {
namespace {

struct TextSize {
  std::size_t characters = 0;
  std::optional<std::size_t> bad_byte;  // offset of the first byte of invalid UTF-8
};

TextSize measure(std::string_view text) {
  TextSize out;
  for (std::size_t at = 0; at < text.size(); ++out.characters) {
    const auto c = static_cast<unsigned char>(text[at]);
    const std::size_t length = c < 0x80 ? 1 : utf8_length(text.substr(at));
    if (length == 0 || c == 0) {
      out.bad_byte = at;
      return out;
    }
    at += length;
  }
  return out;
}

int line_of(std::string_view text, std::size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

constexpr std::string_view kTimeAdvice = "write it like \"2026-01-10T10:00:00Z\"";

Memory memory_at(const MemoryOrigin& origin) {
  Memory m;
  m.path = origin.path;
  m.dialect = origin.dialect;
  m.scope = origin.scope;
  m.slug = origin.slug;
  m.type = origin.type;
  return m;
}

// The parser of one file. Lives for one call.
class Reading {
 public:
  Reading(const MemoryOrigin& origin, std::string_view bytes, TimeMs now) : origin_(origin), bytes_(bytes), now_(now) {
    out_.memory = memory_at(origin);
    out_.memory.file_hash = sha256_hex(bytes);
  }

  ReadMemory run() {
    const FrontMatterSpan span = find_front_matter(bytes_);
    out_.memory.content = bytes_.substr(span.body);
    if (const auto bad = measure(bytes_).bad_byte) {
      add(line_of(bytes_, *bad), "", "is no UTF-8 text: save it as UTF-8");
    } else if (origin_.dialect == MemoryDialect::agent) {
      read_agent_file(span);
    } else if (span.state == FrontMatterSpan::State::none) {
      add(1, "", "has no front matter: the first line has to be \"---\", then keys, then \"---\"");
    } else if (span.state == FrontMatterSpan::State::unclosed) {
      add(1, "", "the front matter is not closed: a line \"---\" has to follow the keys");
    } else {
      read_front_matter(span);
    }
    std::stable_sort(out_.problems.begin(), out_.problems.end(),
                     [](const MemoryProblem& a, const MemoryProblem& b) { return a.line < b.line; });
    return std::move(out_);
  }

 private:
  void add(int line, std::string key, std::string message) {
    out_.problems.push_back(
        {MemoryProblemKind::invalid_file, out_.memory.slug, origin_.path, line, std::move(key), std::move(message)});
  }

  void read_front_matter(const FrontMatterSpan& span) {
    const FrontMatter front = FrontMatter::read(bytes_, span);
    if (!front.problem.empty()) return add(front.problem_line, "", front.problem);
    for (const auto& repeated : front.repeated)
      add(repeated.line, repeated.key, "appears a second time: keep one of them");
    root_.reset(front.root);
    if (origin_.dialect == MemoryDialect::plugin)
      read_plugin_keys();
    else
      read_repository_keys();
    check_times();
    if (const auto size = measure(out_.memory.content); size.characters > kMaxMemoryContent)
      add(line_of(bytes_, span.body), "",
          "the text has " + std::to_string(size.characters) + " characters and may have " +
              std::to_string(kMaxMemoryContent) + ": divide it");
  }

  void read_plugin_keys() {
    Memory& m = out_.memory;
    if (!is_memory_slug(m.slug))
      add(0, "",
          "the name of the file has to be a slug (lower case letters and digits, with single hyphens between): rename "
          "it");
    if (const YAML::Node slug = root()["slug"]; slug && text_of(slug) != m.slug)
      add(line(slug), "slug", "has to be the name of the file, " + m.slug);
    if (const YAML::Node scope = root()["scope"]; scope && text_of(scope) != to_string(m.scope))
      add(line(scope), "scope", "has to be " + std::string(to_string(m.scope)) + ", because the file is there");
    read_type("type", MemoryDialect::plugin);
    read_title();
    m.tags = words("tags", true);
    for (const auto& [link, at] : list("links", root()["links"])) {
      if (!is_memory_slug(link))
        add(at, "links", "\"" + link + "\" is no slug: lower case letters and digits, with single hyphens between");
      else
        m.links.push_back(link);
    }
    read_provenance();
    read_verification(false);
  }

  void read_repository_keys() {
    Memory& m = out_.memory;
    const YAML::Node id = required("id");
    if (id && is_document_id(text_of(id)))
      m.slug = text_of(id);
    else if (id)
      add(line(id), "id",
          "has to be letters and digits, with single dots, hyphens or underscores between: fact.testing");
    read_type("kind", MemoryDialect::repository);
    if (required("title")) read_title();
    m.tags = words("tags", false);
    read_provenance();
    read_verification(true);
    const YAML::Node relations = root()["relations"];
    if (relations && !relations.IsNull() && !relations.IsMap())
      return add(line(relations), "relations",
                 "has to be a mapping of derives_from, refers_to, supersedes, duplicates");
    if (!relations || relations.IsNull()) return;
    for (const auto& pair : relations) {
      const std::string label = text_of(pair.first);
      if (std::find(kDocumentRelations.begin(), kDocumentRelations.end(), label) == kDocumentRelations.end()) {
        add(line(pair.first), "relations",
            "\"" + label + "\" is not a label: use derives_from, refers_to, supersedes, duplicates");
        continue;
      }
      for (const auto& [target, at] : list("relations." + label, pair.second)) {
        if (!is_document_id(target) || target == m.slug)
          add(at, "relations." + label, "\"" + target + "\" is no id of another document");
        else
          m.relations.push_back({label, target});
      }
    }
  }

  // Reads instructions and notes. Uses their front matter if it can be parsed; Cursor's is often not valid YAML.
  void read_agent_file(const FrontMatterSpan& span) {
    Memory& m = out_.memory;
    if (span.state == FrontMatterSpan::State::closed) {
      const FrontMatter front = FrontMatter::read(bytes_, span);
      if (front.problem.empty()) {
        for (const char* key : {"title", "name", "description"})
          if (const YAML::Node node = front.root[key]; node && m.title.empty()) m.title = text_of(node);
        for (const char* key : {"created", "updated"})
          if (const YAML::Node node = front.root[key])
            (key == std::string_view("created") ? m.created : m.updated) = parse_rfc3339(text_of(node)).value_or(0);
      }
    } else {
      m.content = bytes_.substr(bytes_.starts_with("\xEF\xBB\xBF") ? 3 : 0);
    }
    if (const std::string title = first_title(m.content); !title.empty() && m.title.empty()) m.title = title;
    if (m.title.empty()) m.title = origin_.path.filename().string();
  }

  void read_type(const char* key, MemoryDialect dialect) {
    const YAML::Node node = required(key);
    if (!node) return;
    const auto type = parse_memory_type(text_of(node));
    if (type && dialect_of(*type) == dialect)
      out_.memory.type = *type;
    else
      add(line(node), key, "\"" + text_of(node) + "\" is unknown: write one of " + memory_type_names(dialect));
  }

  void read_title() {
    Memory& m = out_.memory;
    const YAML::Node node = root()["title"];
    m.title = ascii::one_line(node ? text_of(node) : first_title(m.content));
    const std::size_t characters = measure(m.title).characters;
    if (characters == 0)
      add(node ? line(node) : 1, "title", "is missing: write a first heading \"# …\", or the key title");
    else if (characters > kMaxMemoryTitle)
      add(node ? line(node) : 0, "title",
          "has " + std::to_string(characters) + " characters and may have " + std::to_string(kMaxMemoryTitle));
  }

  void read_provenance() {
    const YAML::Node node = root()["provenance"];
    if (node && !node.IsNull() && !node.IsMap()) return add(line(node), "provenance", "has to be a mapping");
    const bool is_flat = node && node.IsNull();  // its keys follow without deeper indentation
    const YAML::Node in = node && node.IsMap() ? node : is_flat ? root_ : YAML::Node(YAML::NodeType::Map);
    MemoryProvenance& p = out_.memory.provenance;
    const auto take = [&](const char* key, std::vector<std::string>& to) {
      for (auto& [text, at] : list(std::string("provenance.") + key, in[key]))
        to.push_back(std::move(text));
    };
    take("events", p.events);
    take("patches", p.patches);
    take("commits", p.commits);
    take("files", p.files);
    if (const YAML::Node session = in["session"]; session && session.IsScalar()) p.session = session.Scalar();
    if (const YAML::Node exchange = in["exchange"]; exchange && exchange.IsScalar()) p.exchange = exchange.Scalar();
    if (origin_.dialect == MemoryDialect::repository && !node)
      add(1, "provenance", "is missing: write provenance: {events: [], patches: [], commits: []}");
  }

  void read_verification(bool needed) {
    const YAML::Node node = root()["verification"];
    if (!node && needed)
      return add(1, "verification", "is missing: write verification: {last_verified_commit: null, status: unknown}");
    if (!node) return;
    if (!node.IsNull() && !node.IsMap()) return add(line(node), "verification", "has to be a mapping");
    const YAML::Node in = node.IsNull() ? root_ : node;
    MemoryVerification& v = out_.memory.verification;
    if (const YAML::Node commit = in["last_verified_commit"]; commit && commit.IsScalar())
      v.last_verified_commit = commit.Scalar();
    const YAML::Node status = in["status"];
    if (!status) return add(line(node), "verification.status", "is missing: write verified, stale or unknown");
    if (const auto known = parse_verification_status(text_of(status)))
      v.status = *known;
    else
      add(line(status), "verification.status",
          "\"" + text_of(status) + "\" is not a status: write verified, stale or unknown");
  }

  void check_times() {
    Memory& m = out_.memory;
    const auto read = [&](const char* key, TimeMs& to) {
      const YAML::Node node = required(key);
      if (!node) return 0;
      const auto time = node.IsScalar() ? parse_rfc3339(node.Scalar()) : std::nullopt;
      if (!time)
        add(line(node), key, "\"" + text_of(node) + "\" is no time: " + std::string(kTimeAdvice));
      else if (*time > now_)
        add(line(node), key, "is in the future");
      to = time.value_or(0);
      return line(node);
    };
    read("created", m.created);
    const int at = read("updated", m.updated);
    if (m.created != 0 && m.updated != 0 && m.updated < m.created) add(at, "updated", "is before created");
  }

  std::vector<std::string> words(const char* key, bool needed) {
    std::vector<std::string> out;
    const YAML::Node node = required(key);
    if (!node) return out;
    for (auto& [word, at] : list(key, node)) {
      if (!is_memory_word(word))
        add(at, key, "\"" + word + "\" has to be lower case letters and digits, with single hyphens, at most 50");
      else
        out.push_back(std::move(word));
    }
    if (needed && out.empty()) add(line(node), key, "is empty: name at least one");
    return out;
  }

  YAML::Node required(const char* key) {
    const YAML::Node node = root()[key];
    if (!node) add(1, key, "is missing");
    return node;
  }

  // Returns the texts of a list with their lines. Reports a problem and returns nothing for another type.
  std::vector<std::pair<std::string, int>> list(const std::string& key, const YAML::Node& node) {
    std::vector<std::pair<std::string, int>> out;
    if (!node || node.IsNull()) return out;
    if (!node.IsSequence()) {
      add(line(node), key, "has to be a list: [a, b]");
      return out;
    }
    for (const YAML::Node& item : node) {
      if (item.IsScalar())
        out.emplace_back(item.Scalar(), line(item));
      else
        add(line(item), key, "has an item that is no text");
    }
    return out;
  }

  const YAML::Node& root() const { return root_; }  // a non-const node would add missing keys on access
  static std::string text_of(const YAML::Node& node) { return node.IsScalar() ? node.Scalar() : std::string(); }
  static int line(const YAML::Node& node) { return FrontMatter::line_of(node); }

  const MemoryOrigin& origin_;
  const std::string_view bytes_;
  const TimeMs now_;
  YAML::Node root_;
  ReadMemory out_;
};

}  // namespace

ReadMemory read_memory(const MemoryOrigin& origin, std::string_view bytes, TimeMs now) {
  return Reading(origin, bytes, now).run();
}

void mask_secrets(Memory& m) {
  redact(m.title);
  redact(m.content);
  MemoryProvenance& p = m.provenance;
  for (std::vector<std::string>* const texts : {&m.tags, &m.links, &p.events, &p.patches, &p.commits, &p.files})
    for (std::string& text : *texts)
      redact(text);
  for (MemoryRelation& relation : m.relations)
    redact(relation.target);
  for (std::string* const text : {&p.session, &p.exchange, &m.verification.last_verified_commit})
    redact(*text);
}

void mask_secrets(ReadMemory& read) {
  mask_secrets(read.memory);
  for (MemoryProblem& problem : read.problems)
    redact(problem.message);
}

ReadMemory unread_memory(const MemoryOrigin& origin, std::string why) {
  ReadMemory out;
  out.is_unread = true;
  out.memory = memory_at(origin);
  out.problems.push_back({MemoryProblemKind::invalid_file, origin.slug, origin.path, 0, "", std::move(why)});
  return out;
}

ReadMemory read_memory_file(const MemoryOrigin& origin, TimeMs now) {
  const auto bytes = origin.root.read(origin.path);
  return bytes ? read_memory(origin, *bytes, now) : unread_memory(origin, bytes.error().message());
}

}  // namespace memd::memory
