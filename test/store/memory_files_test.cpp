#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "store/memory/front_matter.hpp"
#include "store/memory/headings.hpp"
#include "store/memory/memory_json.hpp"
#include "store/memory/memory_places.hpp"
#include "store/memory/memory_reader.hpp"
#include "store/memory/memory_text.hpp"
#include "test/support/fake_clock.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/json_schema.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <boost/json/parse.hpp>

#include <fstream>
#include <random>

namespace memd::memory {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr TimeMs kNow = 1'770'000'000'000;  // 2026-02-02

// Makes carriage returns and byte order marks visible and cuts long texts.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 3000))
    out += c == '\r' ? std::string("<CR>") : std::string(1, c);
  if (out.starts_with("\xEF\xBB\xBF")) out.replace(0, 3, "<BOM>");
  return out;
}

std::string told(const ReadMemory& read) {
  const Memory& m = read.memory;
  std::string out = fmt::format("slug: {}\ntype: {}\ntitle: {}\ntags: {}\ncreated: {}\nupdated: {}\nlinks: {}\n",
                                m.slug, to_string(m.type), shown(m.title), m.tags, format_rfc3339(m.created),
                                format_rfc3339(m.updated), m.links);
  for (const auto& relation : m.relations)
    out += fmt::format("{}: {}\n", relation.label, relation.target);
  const auto& p = m.provenance;
  if (!p.empty())
    out += fmt::format("provenance: events {}, patches {}, commits {}, files {}, session {}, exchange {}\n", p.events,
                       p.patches, p.commits, p.files, p.session, p.exchange);
  if (m.verification != MemoryVerification())
    out += fmt::format("verification: {} {}\n", to_string(m.verification.status), m.verification.last_verified_commit);
  out += fmt::format("content: {} bytes\n", m.content.size());
  for (MemoryProblem problem : read.problems) {
    problem.path = problem.path.filename();
    out += "problem: " + problem.text() + "\n";
  }
  return out;
}

MemoryOrigin origin_of(const fs::path& file, MemoryDialect dialect) {
  const bool is_plugin = dialect == MemoryDialect::plugin;
  return {file, dialect, MemoryScope::global, is_plugin ? file.stem().string() : slug_of(file.filename().string())};
}

// Compares the parsed memory of each case, and the file after a change, with the golden file.
class MemoryGolden : public testing::TestWithParam<MemoryDialect> {};

TEST_P(MemoryGolden, EveryFileReadsAndChangesAsWritten) {
  const fs::path folder = test::source_dir() / "test/golden/memories" / to_string(GetParam());
  int cases = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".golden") continue;
    ++cases;
    const std::string bytes = test::bytes_of(entry.path());
    const ReadMemory read = read_memory(origin_of(entry.path(), GetParam()), bytes, kNow);
    std::string got = told(read);
    const std::string unchanged = changed_memory_text(bytes, read.memory, {}).value();
    EXPECT_EQ(unchanged, bytes) << entry.path();
    if (read.is_valid() && GetParam() != MemoryDialect::agent) {
      MemoryChange change;
      change.updated = kNow;
      change.tags = read.memory.tags;
      change.tags->push_back("added");
      if (GetParam() == MemoryDialect::plugin) {
        change.links = read.memory.links;
        change.links->push_back("added-link");
      } else {
        change.relations = read.memory.relations;
        change.relations->push_back({"supersedes", "fact.added"});
        change.verification = MemoryVerification{"feed", VerificationStatus::verified};
      }
      const auto changed = changed_memory_text(bytes, read.memory, change);
      got += "---- changed\n" + (changed ? shown(*changed) : changed.error().message() + "\n");
      if (changed) {
        const ReadMemory again = read_memory(origin_of(entry.path(), GetParam()), *changed, kNow);
        EXPECT_THAT(again.problems, IsEmpty()) << entry.path();
        EXPECT_EQ(again.memory.updated, kNow);
        EXPECT_EQ(again.memory.content, read.memory.content);
        EXPECT_THAT(again.memory.tags, testing::UnorderedElementsAreArray(*change.tags));
        if (change.verification) {
          EXPECT_EQ(again.memory.verification, *change.verification);
        }
      }
    }
    test::expect_golden(fs::path(entry.path()).concat(".golden"), got);
  }
  EXPECT_GE(cases, 5);
}

INSTANTIATE_TEST_SUITE_P(Dialects, MemoryGolden,
                         testing::Values(MemoryDialect::plugin, MemoryDialect::repository, MemoryDialect::agent),
                         [](const auto& p) { return std::string(to_string(p.param)); });

// Front matter composed of pieces in many notations: a change of one key leaves the bytes of all others unchanged and
// is read back correctly. If the editor rejects a change, the file is unchanged.
TEST(FrontMatterEditor, ChangesOneKeyAndNoOtherByte) {
  std::mt19937 random(17);
  const auto pick = [&](const std::vector<std::string>& from) { return from[random() % from.size()]; };
  const std::vector<std::string> texts{"a",
                                       "\"a b\"",
                                       "'it''s'",
                                       "|\n  block\n  # text\n",
                                       ">-\n  folded\n\n  more\n",
                                       "plain text # comment",
                                       "",
                                       "null",
                                       "~",
                                       "2026-01-10",
                                       "two\n  lines"};
  const std::vector<std::string> lists{
      "[a, b]",    "[ \"a\", 'b' ] # c",        "[]", "\n  - a\n  - b # c", "\n- a\n# c\n- 'b'", "",
      "[a,\n  b]", "\n    - \"a\"\n\n    - b\n"};
  const std::vector<std::string> others{"x: 1",
                                        "# comment",
                                        "",
                                        "map:\n  k: [1, {a: b}]\n  # in it\n  l: |\n    x: y",
                                        "\"quoted key\": v",
                                        "anchor: &a {b: c}",
                                        "time: 12:30"};
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const std::string eol = random() % 3 == 0 ? "\r\n" : "\n";
    const bool has_text = random() % 5 != 0;
    const bool has_list = random() % 5 != 0;
    std::vector<std::string> parts;
    for (std::size_t i = random() % 4; i > 0; --i)
      parts.push_back(others[(random() + i) % others.size()]);
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    if (has_text) parts.insert(parts.begin() + random() % (parts.size() + 1), "text: " + pick(texts));
    if (has_list) parts.insert(parts.begin() + random() % (parts.size() + 1), "list: " + pick(lists));
    std::string yaml;
    for (const auto& part : parts)
      yaml += part + "\n";
    std::string file = (random() % 4 == 0 ? "\xEF\xBB\xBF" : "") + std::string("---\n") + yaml + "---\nbody" +
                       (random() % 2 == 0 ? "\n" : "");
    if (eol == "\r\n")
      for (std::size_t at = file.find('\n'); at != std::string::npos; at = file.find('\n', at + 2))
        file.replace(at, 1, "\r\n");

    const bool changes_text = random() % 2 == 0;
    const std::string value =
        pick({"new", "with: colon", "#", "it's", "\"", "true", "2026-02-03", "ends:", "é", "a\nb"});
    std::vector<std::string> values;
    for (const char* word : {"a", "b", "c", "no", "x: y"})
      if (random() % 2 == 0) values.emplace_back(word);
    FrontMatterEditor editor(file);
    const auto done = changes_text ? editor.set_text({"text"}, value) : editor.set_list({"list"}, values);
    if (!done) {
      ++refused;
      EXPECT_EQ(editor.file(), file);
      continue;
    }
    const auto span = find_front_matter(editor.file());
    const FrontMatter after = FrontMatter::read(editor.file(), span);
    ASSERT_EQ(after.problem, "") << file << "\n=>\n" << editor.file();
    EXPECT_EQ(editor.file().substr(span.body), file.substr(find_front_matter(file).body));
    const std::string key = changes_text ? "text" : "list";
    for (const auto& part : parts)
      if (!part.starts_with(key + ":")) {
        std::string wanted = part + "\n";
        if (eol == "\r\n")
          for (std::size_t at = wanted.find('\n'); at != std::string::npos; at = wanted.find('\n', at + 2))
            wanted.replace(at, 1, "\r\n");
        EXPECT_NE(editor.file().find(wanted), std::string::npos) << part << "\n in\n" << editor.file();
      }
    const YAML::Node& root = std::as_const(after.root);
    if (changes_text) {
      EXPECT_EQ(root[key].Scalar(), value) << editor.file();
    } else {
      std::vector<std::string> now;
      if (!root[key].IsNull())
        for (const auto& item : root[key])
          now.push_back(item.Scalar());
      EXPECT_THAT(now, testing::UnorderedElementsAreArray(values)) << file << "\n=>\n" << editor.file();
    }
  }
  EXPECT_LT(refused, 300);
}

TEST(FrontMatterEditor, TakesNothingApartInVain) {
  const std::string file = "---\nlist:\n- b # why\n- 'a'\n---\n";
  FrontMatterEditor editor(file);
  ASSERT_TRUE(editor.set_list({"list"}, {"a", "b"}));
  EXPECT_EQ(editor.file(), file);
  ASSERT_TRUE(editor.set_list({"list"}, {"b", "c"}));
  EXPECT_EQ(editor.file(), "---\nlist:\n- b # why\n- c\n---\n");
  ASSERT_TRUE(editor.set_text({"map", "key"}, "v"));
  EXPECT_EQ(editor.file(), "---\nlist:\n- b # why\n- c\nmap:\n  key: v\n---\n");
}

test::JsonSchema schema_named(std::string_view name) {
  for (const auto& file : embedded::json_schema_files())
    if (file.name == std::string(name) + ".schema.json") return test::JsonSchema(boost::json::parse(file.text));
  throw std::logic_error("no schema " + std::string(name));
}

// Converts front matter to JSON, so that a JSON Schema can check it.
boost::json::value as_json(const YAML::Node& node) {
  if (node.IsMap()) {
    boost::json::object out;
    for (const auto& pair : node)
      out[pair.first.Scalar()] = as_json(pair.second);
    return out;
  }
  if (node.IsSequence()) {
    boost::json::array out;
    for (const auto& item : node)
      out.push_back(as_json(item));
    return out;
  }
  if (node.IsNull()) return nullptr;
  return boost::json::string(node.Scalar());
}

Memory sample(MemoryType type) {
  Memory m;
  m.type = type;
  m.dialect = dialect_of(type);
  m.title = "Yes: \"quoted\" – a title";
  m.slug = m.dialect == MemoryDialect::plugin ? default_slug(type, m.title)
                                              : std::string(to_string(type)) + "." + slug_of(m.title);
  m.tags = {"auth", "no"};
  m.created = kNow - kMsPerDay;
  m.updated = kNow;
  if (m.dialect == MemoryDialect::plugin)
    m.links = {"hub-authentication"};
  else
    m.relations = {{"supersedes", "fact.old"}};
  m.provenance = {{"evt_1"}, {}, {"0a1b2c3d"}, {"src/a.cpp"}, "claude_code:s", "x42"};
  m.verification = {"0a1b2c3d", VerificationStatus::verified};
  m.content = "Text.\n";
  m.path = "/w/" + m.slug + ".md";
  return m;
}

TEST(MemoryText, WhatIsWrittenIsValidAndReadsAsItWas) {
  for (const auto& info : kMemoryTypes) {
    if (info.dialect == MemoryDialect::agent) continue;
    for (const std::string_view content : {"Text.\n", "", "# Another heading\n\nText", "\n\nText\n", "## Part\n"}) {
      Memory m = sample(info.id);
      m.content = content;
      const std::string file = new_memory_text(m);
      const ReadMemory read = read_memory({m.path, m.dialect, m.scope, m.slug}, file, kNow);
      EXPECT_THAT(read.problems, IsEmpty()) << file;
      EXPECT_EQ(read.memory.title, m.title);
      EXPECT_EQ(read.memory.slug, m.slug);
      EXPECT_EQ(read.memory.tags, m.tags);
      EXPECT_EQ(read.memory.links, m.links);
      EXPECT_EQ(read.memory.relations, m.relations);
      EXPECT_EQ(read.memory.provenance, m.provenance);
      EXPECT_EQ(read.memory.verification, m.verification);
      EXPECT_EQ(read.memory.created, m.created);
      EXPECT_NE(read.memory.content.find(content), std::string::npos);
      const auto schema =
          schema_named(info.dialect == MemoryDialect::plugin ? "memory_plugin.frontmatter" : "memory_doc.frontmatter");
      const FrontMatter front = FrontMatter::read(file, find_front_matter(file));
      EXPECT_EQ(schema.problems(as_json(front.root)), "") << file;
    }
  }
}

// The schema rejects the golden files that the reader rejects, as far as a schema can express it.
TEST(MemoryText, SchemaAndReaderAgree) {
  const auto schema = schema_named("memory_plugin.frontmatter");
  const auto refuses = [&](const std::string& yaml) { return !schema.problems(as_json(YAML::Load(yaml))).empty(); };
  const std::string rest = "created: \"2026-01-10T10:00:00Z\"\nupdated: \"2026-01-10T10:00:00Z\"\ntitle: T\n";
  for (const std::string yaml : {"type: decision\ntags: [a]\n", "type: idea\ntags: [a]\n", "type: hub\ntags: []\n",
                                 "type: hub\ntags: [A]\n", "tags: [a]\n", "type: hub\ntags: [a]\nlinks: [B]\n",
                                 "type: hub\ntags: [a]\nlinks: [b-c]\nown: key\n", "type: hub\ntags: a\n"}) {
    const ReadMemory read = read_memory({"/w/s.md", MemoryDialect::plugin, MemoryScope::global, "s"},
                                        "---\n" + yaml + rest + "---\n", kNow);
    EXPECT_EQ(refuses(yaml + rest), !read.is_valid()) << yaml;
  }
}

TEST(MemoryText, ATitleIsChangedWhereItStands) {
  const MemoryOrigin origin{"/w/a.md", MemoryDialect::plugin, MemoryScope::global, "a"};
  const std::string head = "---\ntype: hub\ntags: [a]\ncreated: 2026-01-10\nupdated: 2026-01-10\n";
  const std::string file = head + "---\nIntro\r\n\n# Old\r\nText";
  const auto read = read_memory(origin, file, kNow);
  MemoryChange change;
  change.title = "New";
  EXPECT_EQ(changed_memory_text(file, read.memory, change).value(), head + "---\nIntro\r\n\n# New\r\nText");
  const std::string keyed = head + "title: 'Old'\n---\n# Other\n";
  EXPECT_EQ(changed_memory_text(keyed, read_memory(origin, keyed, kNow).memory, change).value(),
            head + "title: 'New'\n---\n# Other\n");
}

TEST(Memory, LabelsHaveInverses) {
  for (const auto& [label, inverse] :
       std::vector<std::pair<std::string, std::string>>{{"implements", "implemented-by"},
                                                        {"relates-to", "relates-to"},
                                                        {"part-of", "contains"},
                                                        {"builds-on", "foundation-for"},
                                                        {"similar-to", "similar-to"},
                                                        {"supersedes", "superseded-by"},
                                                        {"blocks", "inverse-of-blocks"}}) {
    EXPECT_EQ(inverse_label(label), inverse);
    EXPECT_EQ(inverse_label(inverse), label);
    EXPECT_TRUE(is_edge_label(label));
    EXPECT_TRUE(is_edge_label(inverse));
  }
  for (const auto label : {"", "Up", "two words", "-a", "inverse-of-implements"})
    EXPECT_FALSE(is_edge_label(label)) << label;
  EXPECT_FALSE(is_edge_label(std::string(45, 'a'))) << "its inverse would be too long";
}

TEST(Memory, SlugsAndIds) {
  EXPECT_EQ(default_slug(MemoryType::decision, "Use OAuth2 – with PKCE!"), "decision-use-oauth2-with-pkce");
  EXPECT_EQ(default_slug(MemoryType::decision, "Decision: x"), "decision-x");
  EXPECT_LE(default_slug(MemoryType::learning, std::string(300, 'x')).size(), 60U);
  EXPECT_TRUE(is_memory_slug(default_slug(MemoryType::gotcha, "日本語")));
  for (const auto slug : {"a", "a-b", "0-1"})
    EXPECT_TRUE(is_memory_slug(slug)) << slug;
  for (const auto slug : {"", "-a", "a-", "a--b", "A", "a_b", "a/b", "..", "é"})
    EXPECT_FALSE(is_memory_slug(slug)) << slug;
  EXPECT_TRUE(is_document_id("fact.testing.llvm-cov"));
  for (const auto id : {"", "a..b", "a/b", ".a", "a b"})
    EXPECT_FALSE(is_document_id(id)) << id;
}

TEST(MemoryJson, WhatIsWrittenFollowsItsSchemaAndReadsBack) {
  const Memory a = sample(MemoryType::decision);
  const Memory b = sample(MemoryType::fact);
  MemoryIndex index;
  index.last_updated = kNow;
  index.memories[a.slug] = index_entry(a, true);
  index.memories["other"] = index.memories[a.slug];
  index.memories["other"].slug = "other";
  const std::string index_json = index_text(index);
  EXPECT_EQ(schema_named("memory_index").problems(boost::json::parse(index_json)), "");
  const auto read = parse_index(index_json);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->memories, index.memories);
  EXPECT_EQ(index_text(MemoryIndex()), index_head(0) + std::string(kIndexTail));
  EXPECT_TRUE(parse_index(index_text(MemoryIndex())));

  const EdgeLists edges{{"a", {{"a", "b", "implements", kNow}}}, {"b", {{"b", "a", "implemented-by", kNow}}}};
  EXPECT_EQ(schema_named("memory_graph").problems(boost::json::parse(graph_text(edges))), "");
  EXPECT_EQ(parse_graph(graph_text(edges)).value(), edges);
  EXPECT_TRUE(parse_graph(graph_text({})));

  EXPECT_EQ(schema_named("memory_manifest").problems(boost::json::parse(manifest_text({b}, "/w", kNow))), "");

  const CachedEmbedding cached{"a", "builtin", {0.5F, -0.25F}, a.file_hash.empty() ? std::string(64, 'a') : "", kNow};
  EXPECT_EQ(schema_named("memory_embedding").problems(boost::json::parse(embedding_text(cached))), "");
  EXPECT_EQ(parse_embedding(embedding_text(cached)).value().vector, cached.vector);

  for (const auto text : {"", "{", "[]", "{\"version\":1}", "{\"version\":\"1\",\"lastUpdated\":\"\",\"memories\":[]}"})
    EXPECT_FALSE(parse_index(text)) << text;
  for (const auto text : {"", "[]", "{\"a\":{}}", "{\"a\":[{\"target\":\"b\"}]}"})
    EXPECT_FALSE(parse_graph(text)) << text;
}

TEST(MemoryText, HeadingsHaveAnchorsThatStay) {
  const auto headings =
      headings_of("# One two\n```\n# code\n```\n## A & B ##\n### a--b\n## One two\n####### no\n#no\n");
  std::vector<std::string> anchors;
  for (const auto& heading : headings)
    anchors.push_back(heading.anchor + ":" + std::to_string(heading.line));
  EXPECT_THAT(anchors, ElementsAre("one-two:1", "a--b:5", "a--b-1:6", "one-two-1:7"));
}

TEST(MemoryPlaces, FindsWhatPeopleAndAgentsWrote) {
  const test::TempDir home;
  const test::TempDir project;
  MemoryPlaces places{home.path(), project.path(), home / "company", {}};
  for (const auto& file :
       {home / ".claude/memory/g.md", home / ".claude/CLAUDE.md", home / "company/e.md", home / ".codex/AGENTS.md"})
    test::write_file(file, "x");
  for (const auto& file :
       {project / ".claude/memory/p.md", project / ".claude/memory/local/l.md", project / "CLAUDE.md",
        project / ".claude/memory/p.conflict-1.md", project / ".claude/memory/.trash/old.md", project / "AGENTS.md",
        project / ".cursor/rules/api/r.mdc", project / ".thunderus/memory/semantic/FACTS/f.md",
        project / ".thunderus/memory/episodic/2026-01-10.md", project / ".claude/memory/index.json"})
    test::write_file(file, "x");
  std::string encoded = project.path().string();
  std::replace_if(
      encoded.begin(), encoded.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '-');
  test::write_file(home.path() / ".claude/projects" / encoded / "memory/MEMORY.md", "x");
  std::vector<std::string> found;
  for (const auto& o : places.origins())
    found.push_back(fmt::format("{} {} {}", to_string(o.scope), to_string(o.dialect), o.path.filename().string()));
  EXPECT_THAT(found, ElementsAre("enterprise plugin e.md", "local plugin l.md", "project plugin p.md",
                                 "project repository 2026-01-10.md", "project repository f.md", "global plugin g.md",
                                 "local agent MEMORY.md", "project agent CLAUDE.md", "project agent AGENTS.md",
                                 "project agent r.mdc", "global agent CLAUDE.md", "global agent AGENTS.md"));
  EXPECT_EQ(conflict_copies_in(places.place(MemoryScope::project, MemoryDialect::plugin).value()).size(), 1U);
  EXPECT_FALSE(places.place(MemoryScope::global, MemoryDialect::repository));
  places.project.clear();
  EXPECT_FALSE(places.place(MemoryScope::project, MemoryDialect::plugin));
  places.enterprise.clear();
  EXPECT_FALSE(places.place(MemoryScope::enterprise, MemoryDialect::plugin));
}

TEST(MemoryPathPolicy, WritesIntoProjectsOnlyAfterOptIn) {
  MemoryPathPolicy policy;
  EXPECT_TRUE(policy.check_write(MemoryScope::global, MemoryDialect::plugin));
  EXPECT_TRUE(policy.check_write(MemoryScope::enterprise, MemoryDialect::plugin));
  for (const auto scope : {MemoryScope::project, MemoryScope::local})
    EXPECT_EQ(policy.check_write(scope, MemoryDialect::plugin).error().code, make_error_code(Errc::permission));
  policy.mode = MemoryPathMode::platform_opt_in;
  EXPECT_EQ(policy.default_dialect(), MemoryDialect::plugin) << "not opted in";
  policy.opt_in_enabled = true;
  EXPECT_EQ(policy.default_dialect(), MemoryDialect::repository);
  EXPECT_TRUE(policy.check_write(MemoryScope::project, MemoryDialect::repository));
  EXPECT_FALSE(policy.check_write(MemoryScope::project, MemoryDialect::agent));
}

}  // namespace
}  // namespace memd::memory
