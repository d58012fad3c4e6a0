#include "daemon/config/config.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/files/scope_root.hpp"
#include "store/seal/cipher.hpp"
#include "test/support/golden_file.hpp"
#include "test/support/source_dir.hpp"
#include "test/support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace memd {
namespace {

std::string error_of(std::string_view yaml) {
  const auto r = parse_config(yaml, "c.yaml");
  return r ? std::string() : r.error().message();
}

// Returns false if memd was built without MEMD_WITH_MODELS: it then rejects model servers.
bool takes_model_servers() { return error_of("embedding: {provider: ollama, model: m}\n").empty(); }

TEST(Config, EmptyIsDefault) {
  const auto c = parse_config("", "c.yaml");
  ASSERT_TRUE(c);
  EXPECT_EQ(c->query_threads, 2);
  EXPECT_TRUE(c->platforms.empty());
}

TEST(Config, ReadsEveryKey) {
  const auto c = parse_config(
      "platforms:\n  claude_code:\n    enabled: false\n    paths: [/a, /b]\ntime_zone: UTC\nlog:\n  level: debug\n"
      "query:\n  threads: 4\n  max_tokens: 3000\nsearch: {scope: all}\ntools: {conversation_query: true}\nwatch:\n  "
      "max_directories: 500\n"
      "raw_layer: {mode: as_is}\nhooks: {standing: true, start: true, compaction: true, recall: true}\nsharing: "
      "{ask_server_ms: 400}\nsessions: "
      "{stopped_after_s: 90}\nretention: "
      "{max_age_days: "
      "90, max_raw_bytes: "
      "5000000000}\nexclude: {projects: [p, /w/q], paths: [/x/*], agents: [cursor]}\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_FALSE(c->platforms.at(Platform::claude_code).enabled);
  EXPECT_EQ(c->platforms.at(Platform::claude_code).paths.size(), 2u);
  EXPECT_EQ(c->time_zone, "UTC");
  EXPECT_EQ(c->log_level, "debug");
  EXPECT_EQ(c->query_threads, 4);
  EXPECT_EQ(c->max_tokens, 3000);
  EXPECT_TRUE(c->conversation_query);
  EXPECT_FALSE(c->own_project);
  EXPECT_TRUE(Config().own_project);
  EXPECT_EQ(c->exclude.projects, (std::vector<std::string>{"p", "/w/q"}));
  EXPECT_EQ(c->exclude.paths, std::vector<std::string>{"/x/*"});
  EXPECT_EQ(c->exclude.agents, std::vector<Platform>{Platform::cursor});
  EXPECT_EQ(c->max_watches, 500);
  EXPECT_EQ(c->raw_layer, RawMode::as_is);
  EXPECT_EQ(c->retention.max_age_days, 90);
  EXPECT_EQ(c->retention.max_raw_bytes, 5'000'000'000u);
  EXPECT_EQ(c->sessions.stopped_after, 90'000);
  EXPECT_TRUE(c->hooks.enabled && c->hooks.standing && c->hooks.start && c->hooks.compaction && c->hooks.recall);
  EXPECT_EQ(c->sharing.ask_server_ms, 400);
}

TEST(Config, SaysWhereMemoriesGo) {
  const auto c = parse_config(
      "memory: {opt_in: true, path_mode: platform_opt_in, platform_path: docs/memory, enterprise_path: /srv/memory, "
      "default_scope: local, orphan_days: 7, min_quality: 80}\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_TRUE(c->memory.policy.opt_in_enabled);
  EXPECT_EQ(c->memory.policy.default_dialect(), MemoryDialect::repository);
  EXPECT_EQ(c->memory.policy.platform_path, "docs/memory");
  EXPECT_EQ(c->memory.enterprise_path, "/srv/memory");
  EXPECT_EQ(c->memory.default_scope, MemoryScope::local);
  EXPECT_EQ(c->memory.orphan_days, 7);
  EXPECT_EQ(c->memory.min_quality, 80);
  EXPECT_EQ(error_of("memory: {path_mode: x}\n"),
            "c.yaml:1: memory.path_mode: expected legacy_first or platform_opt_in");
  EXPECT_EQ(error_of("memory: {platform_path: ../x}\n"),
            "c.yaml:1: memory.platform_path: expected a directory below the project, such as .thunderus/memory");
  EXPECT_EQ(error_of("memory: {default_scope: enterprise}\n"),
            "c.yaml:1: memory.default_scope: expected one of auto, global, project, local");
}

TEST(Config, SaysWhoMayWriteMemoriesAndHowTheyAreKept) {
  EXPECT_EQ(parse_config("", "c.yaml")->memory.write, MemoryWriting::ask);
  const auto c = parse_config(
      "memory: {write: off, gardener: {kinds: [decision, adr], max_characters: 4000, max_memories: 10, "
      "duplicates: link, archive_days: 0, mark_stale: false, daily_recap: true, recap: [commits, files]}}\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  EXPECT_EQ(c->memory.write, MemoryWriting::off);
  const GardenRules& rules = c->memory.garden;
  EXPECT_EQ(rules.kinds, (std::vector{MemoryType::decision, MemoryType::adr}));
  EXPECT_EQ(rules.max_characters, 4000);
  EXPECT_EQ(rules.max_memories, 10);
  EXPECT_EQ(rules.duplicates, DuplicateRule::link);
  EXPECT_EQ(rules.archive_days, 0);
  EXPECT_FALSE(rules.mark_stale);
  EXPECT_TRUE(rules.daily_recap);
  EXPECT_EQ(rules.recap, (std::vector{harvest::RecapSection::commits, harvest::RecapSection::files}));
  EXPECT_EQ(error_of("memory: {write: yes}\n"), "c.yaml:1: memory.write: expected ask, allow or off");
  EXPECT_EQ(error_of("memory:\n  gardener: {duplicates: merge}\n"),
            "c.yaml:2: memory.gardener.duplicates: expected propose, link or off");
  EXPECT_EQ(error_of("memory: {gardener: {recap: [weather]}}\n"),
            "c.yaml:1: memory.gardener.recap: expected a list of sessions, decisions, problems, commits, files");
  EXPECT_EQ(
      error_of("memory: {gardener: {kinds: [note]}}\n"),
      "c.yaml:1: memory.gardener.kinds: expected a list of decision, learning, artifact, gotcha, breadcrumb, hub, "
      "core, fact, adr, playbook, recap");
}

// The user's and the project's files, as the plugin has them.
TEST(Config, FilesBesideMemoriesAreMerged) {
  test::TempDir dir;
  const auto home = dir.path() / "home";
  const auto project = dir.path() / "app";
  MemoryConfig own;
  own.orphan_days = 7;
  std::vector<MemoryProblem> problems;
  const auto merged = [&] {
    problems.clear();
    return config::with_files_beside(own, home, project, problems);
  };
  EXPECT_EQ(merged().orphan_days, 7) << "no file";
  test::write_file(home / ".claude/memory/config.json",
                   R"({"embedding": {"provider": "ollama"}, "scopes": {"default": "global"},
                       "quality": {"orphanThreshold": 60, "minQualityScore": 70}})");
  test::write_file(project / ".claude/memory/config.json",
                   R"({"scopes": {"default": "local"}, "quality": {"orphanThreshold": 90}})");
  auto config = merged();
  EXPECT_EQ(config.orphan_days, 90);
  EXPECT_EQ(config.min_quality, 70) << "the project does not say";
  EXPECT_EQ(config.default_scope, MemoryScope::global) << "nobody opted in: a repository may come from anybody";
  own.policy.opt_in_enabled = true;
  EXPECT_EQ(merged().default_scope, MemoryScope::local);
  ASSERT_EQ(problems.size(), 1U) << "what is ignored is told";
  EXPECT_TRUE(problems[0].text().starts_with((home / ".claude/memory/config.json").native() +
                                             ":1: embedding: memd ignores this key"))
      << problems[0].text();
  test::write_file(home / ".claude/memory/config.json",
                   R"({"quality": {"orphanThreshold": 60, "minQualityScore": 70}})");
  test::write_file(project / ".thunderus/memory/gardener.toml", "max_memories = 3\n");
  (void)merged();
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_NE(problems[0].text().find("gardener.toml: memd does not read TOML"), std::string::npos) << problems[0].text();
  std::filesystem::remove(project / ".thunderus/memory/gardener.toml");

  test::write_file(project / ".claude/memory/config.json", "{\n\"quality\": {\"orphanThreshold\": 0}}");
  EXPECT_EQ(merged().orphan_days, 60);
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_EQ(problems[0].text(), (project / ".claude/memory/config.json").native() +
                                    ":2: quality.orphanThreshold: expected a whole number from 1 to 36500");
  EXPECT_EQ(problems[0].kind, MemoryProblemKind::bad_config);
  for (const char* wrong : {"[]", "{", R"({"scopes": {"default": "enterprise"}})", R"({"quality": 3})"}) {
    test::write_file(project / ".claude/memory/config.json", wrong);
    EXPECT_EQ(merged().orphan_days, 60) << wrong;
    EXPECT_EQ(problems.size(), 1U) << wrong;
    EXPECT_EQ(problems.empty() ? 0 : problems[0].line, 1) << wrong;
  }
}

TEST(Config, ARepositoryHasRulesOfItsOwn) {
  test::TempDir dir;
  const auto file = dir.path() / "gardener.json";
  GardenRules own;
  own.max_memories = 7;
  EXPECT_EQ(config::load_garden_rules(files::ScopeRoot(dir.path()), own)->max_memories, 7) << "no file";
  std::ofstream(file) << R"({"max_characters": 3000, "recap": ["commits"]})";
  const auto rules = config::load_garden_rules(files::ScopeRoot(dir.path()), own);
  ASSERT_TRUE(rules) << rules.error().message();
  EXPECT_EQ(rules->max_characters, 3000);
  EXPECT_EQ(rules->max_memories, 7);
  std::ofstream(file) << "{\n\"max_characters\": 1}";
  EXPECT_EQ(config::load_garden_rules(files::ScopeRoot(dir.path()), own).error().message(),
            file.string() + ":2: max_characters: expected a whole number from 200 to 50000");
  std::ofstream(file) << "{";
  EXPECT_TRUE(config::load_garden_rules(files::ScopeRoot(dir.path()), own).error().is(Errc::bad_config));
}

TEST(Config, AKeyIsElsewhere) {
  if (!seal::is_available()) {
    EXPECT_EQ(error_of("encryption: {key_file: /k}\n"),
              "c.yaml:1: encryption: this memd was built without encryption (MEMD_WITH_ENCRYPTION)");
    return;
  }
  EXPECT_EQ(parse_config("encryption: {key_file: /k}\n", "c.yaml")->encryption.key_file, "/k");
  EXPECT_EQ(parse_config("encryption: {key_command: [pass, show, memd]}\n", "c.yaml")->encryption.key_command,
            (std::vector<std::string>{"pass", "show", "memd"}));
  EXPECT_FALSE(parse_config("", "c.yaml")->encryption.is_set());
  const std::string one_of = "c.yaml:1: encryption: expected one of key_file and key_command";
  EXPECT_EQ(error_of("encryption: {}\n"), one_of);
  EXPECT_EQ(error_of("encryption: {key_file: /k, key_command: [k]}\n"), one_of);
  // The value is not repeated in the message: it may be the key itself.
  EXPECT_EQ(error_of("encryption: {key_file: 0123abcd}\n"),
            "c.yaml:1: encryption.key_file: expected an absolute path, not a key");
  EXPECT_EQ(error_of("encryption: {key_command: 0123abcd}\n"),
            "c.yaml:1: encryption.key_command: expected a list: a program and its arguments");
}

TEST(Config, ErrorsNameFileLineAndKey) {
  EXPECT_EQ(error_of("search: {scope: here}\n"), "c.yaml:1: search.scope: expected project or all");
  EXPECT_EQ(error_of("log:\n  lvl: info\n"), "c.yaml:2: unknown key 'log.lvl'; known here: level");
  EXPECT_EQ(error_of("quary: {}\n"),
            "c.yaml:1: unknown key 'quary'; known here: platforms, time_zone, log, query, search, tools, watch, "
            "raw_layer, encryption, sessions, usage, hooks, sharing, retention, exclude, memory, embedding, "
            "summaries, decisions, admin");
  EXPECT_EQ(error_of("query:\n  threads: 99\n"), "c.yaml:2: query.threads: expected a whole number from 1 to 16");
  EXPECT_EQ(error_of("log:\n  level: loud\n"),
            "c.yaml:2: log.level: expected one of trace, debug, info, warn, error, off");
  EXPECT_EQ(error_of("log: {}\ntime_zone: Mars/Base\n"),
            "c.yaml:2: time_zone: expected UTC or an IANA name that this system knows, such as Europe/Berlin");
  EXPECT_EQ(error_of("raw_layer:\n  mode: some\n"), "c.yaml:2: raw_layer.mode: expected one of masked, as_is, off");
  EXPECT_EQ(error_of("retention:\n  max_age_days: 3\n"),
            "c.yaml:2: retention.max_age_days: expected a whole number from 7 to 36500");
  EXPECT_EQ(error_of("platforms:\n  cursor:\n    paths:\n      - relative\n"),
            "c.yaml:4: platforms.cursor.paths: expected absolute paths");
  EXPECT_NE(error_of("a: [b\n").find("not valid YAML"), std::string::npos);
  EXPECT_EQ(error_of("- 1\n"), "c.yaml:1: the file must be a mapping");
}

// Returns the schema with a property for every platform, and for those that people describe.
std::string with_every_platform(const std::string& schema) {
  const std::string_view open = "\"properties\": {\n";
  const auto begin = schema.find(open, schema.find("\"platforms\": {")) + open.size();
  std::string lines;
  for (const PlatformInfo& p : platforms())
    lines +=
        (lines.empty() ? "        \"" : ",\n        \"") + std::string(p.key) + R"(": {"$ref": "#/$defs/platform"})";
  lines += ",\n        \"custom\": {\"$ref\": \"#/$defs/custom\"}";
  return schema.substr(0, begin) + lines + schema.substr(schema.find("\n      }", begin));
}

// The schema allows exactly the keys that the loader accepts at each place. The embedded schema is as old as its build,
// so its platforms are not checked here: SchemaNamesEveryPlatform checks those of the file.
TEST(Config, AgreesWithItsSchema) {
  const auto& files = embedded::json_schema_files();
  const auto file =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "config.schema.json"; });
  ASSERT_NE(file, files.end());
  const auto schema = boost::json::parse(with_every_platform(std::string(file->text)));
  const auto known_by_loader = [](const std::string& yaml) {
    const std::string error = error_of(yaml);
    std::set<std::string> keys;
    std::istringstream list(error.substr(error.rfind(": ") + 2));
    for (std::string key; std::getline(list >> std::ws, key, ',');)
      keys.insert(key);
    return keys;
  };
  const auto known_by_schema = [](const boost::json::value& place) {
    std::set<std::string> keys;
    for (const auto& [key, value] : place.at("properties").as_object())
      keys.insert(std::string(key));
    EXPECT_FALSE(place.at("additionalProperties").as_bool());
    return keys;
  };
  const auto& top = schema.at("properties");
  EXPECT_EQ(known_by_loader("x: 1\n"), known_by_schema(schema));
  EXPECT_EQ(known_by_loader("log: {x: 1}\n"), known_by_schema(top.at("log")));
  EXPECT_EQ(known_by_loader("query: {x: 1}\n"), known_by_schema(top.at("query")));
  EXPECT_EQ(known_by_loader("tools: {x: 1}\n"), known_by_schema(top.at("tools")));
  EXPECT_EQ(known_by_loader("watch: {x: 1}\n"), known_by_schema(top.at("watch")));
  EXPECT_EQ(known_by_loader("raw_layer: {x: 1}\n"), known_by_schema(top.at("raw_layer")));
  EXPECT_EQ(known_by_loader("encryption: {x: 1}\n"), known_by_schema(top.at("encryption")));
  EXPECT_EQ(known_by_loader("sessions: {x: 1}\n"), known_by_schema(top.at("sessions")));
  EXPECT_EQ(known_by_loader("retention: {x: 1}\n"), known_by_schema(top.at("retention")));
  EXPECT_EQ(known_by_loader("exclude: {x: 1}\n"), known_by_schema(top.at("exclude")));
  EXPECT_EQ(known_by_loader("memory: {x: 1}\n"), known_by_schema(top.at("memory")));
  EXPECT_EQ(known_by_loader("embedding: {x: 1}\n"), known_by_schema(top.at("embedding")));
  EXPECT_EQ(known_by_loader("summaries: {x: 1}\n"), known_by_schema(top.at("summaries")));
  EXPECT_EQ(known_by_loader("decisions: {x: 1}\n"), known_by_schema(top.at("decisions")));
  EXPECT_EQ(known_by_loader("admin: {x: 1}\n"), known_by_schema(top.at("admin")));
  EXPECT_EQ(known_by_loader("admin: {grpc: {x: 1}}\n"), known_by_schema(top.at("admin").at("properties").at("grpc")));
  EXPECT_EQ(known_by_loader("platforms: {x: 1}\n"), known_by_schema(top.at("platforms")));
  EXPECT_EQ(known_by_loader("platforms: {cursor: {x: 1}}\n"), known_by_schema(schema.at("$defs").at("platform")));
}

// The tests are linked without gRPC; test/grpc covers a memd that has the door.
TEST(Config, AMemdWithoutGrpcRefusesItsDoor) {
  EXPECT_EQ(error_of("log: {level: info}\nadmin:\n  grpc:\n    enabled: true\n"),
            "c.yaml:4: admin.grpc.enabled: this memd was built without gRPC: build it with -DMEMD_WITH_GRPC=ON, or say "
            "false");
  EXPECT_EQ(error_of("admin: {grpc: {enabled: false, socket: /run/x.sock}}\n"), "");
  EXPECT_EQ(error_of("admin: {grpc: {socket: x.sock}}\n"), "c.yaml:1: admin.grpc.socket: expected an absolute path");
}

TEST(Config, SchemaNamesEveryPlatform) {
  const auto file = test::source_dir() / "schemas" / "json" / "config.schema.json";
  test::expect_golden(file, with_every_platform(test::bytes_of(file)));
}

TEST(Config, ReadsWhoEmbeds) {
  if (!takes_model_servers()) GTEST_SKIP() << "built without clients of model servers";
  const auto c = parse_config(
      "embedding:\n  fallback_models: [large, ollama/nomic-embed-text, BAAI/bge-m3, builtin]\n  provider: openai\n"
      "  model: small\n  endpoint: https://example.org/v1\n  api_key_env: MY_KEY\n  batch_size: 32\n  timeout_ms: "
      "9000\n"
      "  connect_timeout_ms: 500\n  query_timeout_ms: 800\n  dimensions: 256\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  const EmbeddingConfig& e = c->embedding;
  EXPECT_EQ(e.choice, (EmbeddingModelChoice{EmbeddingProvider::openai, "small"}));
  ASSERT_EQ(e.fallbacks.size(), 4u);
  EXPECT_EQ(e.fallbacks[0], (EmbeddingModelChoice{EmbeddingProvider::openai, "large"}));
  EXPECT_EQ(e.fallbacks[1], (EmbeddingModelChoice{EmbeddingProvider::ollama, "nomic-embed-text"}));
  EXPECT_EQ(e.fallbacks[2], (EmbeddingModelChoice{EmbeddingProvider::openai, "BAAI/bge-m3"}));
  EXPECT_EQ(e.fallbacks[3], (EmbeddingModelChoice{EmbeddingProvider::builtin, ""}));
  EXPECT_EQ(e.endpoint, "https://example.org/v1");
  EXPECT_EQ(e.api_key_env, "MY_KEY");
  EXPECT_EQ(e.batch_size, 32);
  EXPECT_EQ(e.timeout_ms, 9000);
  EXPECT_EQ(e.connect_timeout_ms, 500);
  EXPECT_EQ(e.query_timeout_ms, 800);
  EXPECT_EQ(e.dimensions, 256);
  EXPECT_EQ(parse_config("", "c.yaml")->embedding.choice.provider, EmbeddingProvider::builtin);
}

TEST(Config, TheSecondLookIsOnUnlessTurnedOff) {
  EXPECT_TRUE(parse_config("", "c.yaml")->embedding.second_look);
  EXPECT_TRUE(parse_config("embedding: {second_look: on}\n", "c.yaml")->embedding.second_look);
  EXPECT_FALSE(parse_config("embedding: {second_look: off}\n", "c.yaml")->embedding.second_look);
  EXPECT_EQ(error_of("embedding:\n  second_look: sometimes\n"), "c.yaml:2: embedding.second_look: expected on or off");
}

TEST(Config, OllamaHasUsualModelsForVectors) {
  if (!takes_model_servers()) GTEST_SKIP() << "built without clients of model servers";
  using Choice = EmbeddingModelChoice;
  const auto usual = parse_config("embedding: {provider: ollama}\n", "c.yaml")->embedding;
  EXPECT_EQ(usual.choice, (Choice{EmbeddingProvider::ollama, "embeddinggemma"}));
  EXPECT_EQ(usual.fallbacks, (std::vector<Choice>{{EmbeddingProvider::ollama, "nomic-embed-text"},
                                                  {EmbeddingProvider::ollama, "all-minilm"},
                                                  {EmbeddingProvider::builtin, ""}}));
  const auto without = parse_config("embedding: {provider: ollama, fallback_models: []}\n", "c.yaml")->embedding;
  EXPECT_EQ(without.choice.model, "embeddinggemma");
  EXPECT_TRUE(without.fallbacks.empty());
  EXPECT_TRUE(parse_config("embedding: {provider: ollama, model: m}\n", "c.yaml")->embedding.fallbacks.empty());
}

TEST(Config, RefusesWhatCannotEmbed) {
  if (!takes_model_servers()) GTEST_SKIP() << "built without clients of model servers";
  EXPECT_EQ(error_of("embedding:\n  provider: magic\n"),
            "c.yaml:2: embedding.provider: expected one of builtin, ollama, openai, disabled");
  EXPECT_EQ(error_of("embedding:\n  provider: openai\n"),
            "c.yaml:2: embedding.model: openai needs the name of a model");
  EXPECT_EQ(error_of("embedding: {model: x}\n"), "c.yaml:1: embedding.model: builtin has no models to choose from");
  EXPECT_EQ(error_of("embedding: {provider: ollama, model: m, batch_size: 0}\n"),
            "c.yaml:1: embedding.batch_size: expected a whole number from 1 to 256");
  EXPECT_NE(error_of("embedding: {provider: ollama, model: m, endpoint: 'localhost:1'}\n").find("embedding.endpoint"),
            std::string::npos);
  EXPECT_NE(error_of("embedding: {provider: ollama, model: m, fallback_models: x}\n").find("expected a list"),
            std::string::npos);
  EXPECT_NE(error_of("embedding: {fallback_models: [x]}\n").find("provider/model"), std::string::npos);
  EXPECT_NE(error_of("embedding: {api_key_file: key}\n").find("absolute path"), std::string::npos);
  EXPECT_NE(error_of("embedding: {api_key_env: A, api_key_file: /k}\n").find("only one"), std::string::npos);
  const std::string key = error_of("embedding: {api_key_env: 'sk-proj-123'}\n");
  EXPECT_NE(key.find("embedding.api_key_env"), std::string::npos);
  EXPECT_EQ(key.find("sk-proj"), std::string::npos) << "a key put there by mistake is not repeated";
}

TEST(Config, ReadsWhoSummarises) {
  if (!takes_model_servers()) GTEST_SKIP() << "built without clients of model servers";
  const auto c = parse_config(
      "summaries:\n  fallback_models: [large, ollama/qwen3:8b, org/m, client]\n  provider: openai\n  model: small\n"
      "  endpoint: https://example.org/v1\n  api_key_file: /k\n  max_parallel: 4\n  timeout_ms: 9000\n"
      "  connect_timeout_ms: 500\n  context_tokens: 32000\n  max_tokens: 2000\n  daily_requests: 10\n"
      "  daily_tokens: 0\n",
      "c.yaml");
  ASSERT_TRUE(c) << c.error().message();
  const SummariesConfig& s = c->summaries;
  EXPECT_EQ(s.choice, (SummaryModelChoice{SummaryProvider::openai, "small"}));
  ASSERT_EQ(s.fallbacks.size(), 4u);
  EXPECT_EQ(s.fallbacks[0], (SummaryModelChoice{SummaryProvider::openai, "large"}));
  EXPECT_EQ(s.fallbacks[1], (SummaryModelChoice{SummaryProvider::ollama, "qwen3:8b"}));
  EXPECT_EQ(s.fallbacks[2], (SummaryModelChoice{SummaryProvider::openai, "org/m"}));
  EXPECT_EQ(s.fallbacks[3], (SummaryModelChoice{SummaryProvider::client, ""}));
  EXPECT_EQ(s.endpoint, "https://example.org/v1");
  EXPECT_EQ(s.api_key_file, "/k");
  EXPECT_EQ(s.max_parallel, 4);
  EXPECT_EQ(s.timeout_ms, 9000);
  EXPECT_EQ(s.connect_timeout_ms, 500);
  EXPECT_EQ(s.context_tokens, 32000);
  EXPECT_EQ(s.max_tokens, 2000);
  EXPECT_EQ(s.daily_requests, 10);
  EXPECT_EQ(s.daily_tokens, 0);
  EXPECT_EQ(parse_config("", "c.yaml")->summaries.choice.provider, SummaryProvider::disabled);
}

TEST(Config, RefusesWhatCannotSummarise) {
  if (!takes_model_servers()) GTEST_SKIP() << "built without clients of model servers";
  EXPECT_FALSE(parse_config("summaries: {provider: disabled}\n", "c.yaml")->judge_decisions);
  EXPECT_EQ(error_of("decisions:\n  judge: model\n"),
            "c.yaml:1: decisions.judge: model needs a model of ollama or openai under summaries");
  EXPECT_EQ(error_of("decisions:\n  judge: both\n"), "c.yaml:2: decisions.judge: expected none or model");
  EXPECT_EQ(error_of("summaries:\n  provider: magic\n"),
            "c.yaml:2: summaries.provider: expected one of disabled, ollama, openai, client");
  EXPECT_EQ(error_of("summaries:\n  provider: ollama\n"),
            "c.yaml:2: summaries.model: ollama needs the name of a model");
  EXPECT_EQ(error_of("summaries: {provider: client, model: x}\n"),
            "c.yaml:1: summaries.model: client has no models to choose from");
  EXPECT_NE(error_of("summaries: {fallback_models: [ollama/m]}\n").find("nothing to fall back from"),
            std::string::npos);
  EXPECT_NE(error_of("summaries: {provider: client, fallback_models: [m]}\n").find("provider/model"),
            std::string::npos);
  EXPECT_NE(error_of("summaries: {provider: client, max_tokens: 2000, context_tokens: 5000}\n").find("a quarter of"),
            std::string::npos);
  EXPECT_NE(error_of("summaries: {api_key_env: A, api_key_file: /k}\n").find("only one"), std::string::npos);
  const std::string key = error_of("summaries: {api_key_env: 'sk-proj-123'}\n");
  EXPECT_NE(key.find("summaries.api_key_env"), std::string::npos);
  EXPECT_EQ(key.find("sk-proj"), std::string::npos) << "a key put there by mistake is not repeated";
}

TEST(Config, RefusesServersThatThisMemdCannotAsk) {
  if (takes_model_servers()) GTEST_SKIP() << "built with clients of model servers";
  EXPECT_EQ(
      error_of("embedding:\n  provider: ollama\n  model: m\n"),
      "c.yaml:2: embedding.provider: ollama is a server of models, and this memd was built without clients of such "
      "(MEMD_WITH_MODELS)");
  EXPECT_NE(error_of("embedding: {fallback_models: [openai/m]}\n").find("built without"), std::string::npos);
  EXPECT_NE(error_of("summaries: {provider: openai, model: m}\n").find("built without"), std::string::npos);
  EXPECT_EQ(error_of("embedding: {provider: builtin}\nsummaries: {provider: client}\n"), "");
}

TEST(Config, MissingFileIsNamed) {
  const auto r = load_config("/nonexistent/memd.yaml");
  ASSERT_FALSE(r);
  EXPECT_TRUE(r.error().is(Errc::bad_config));
  EXPECT_NE(r.error().message().find("/nonexistent/memd.yaml"), std::string::npos);
}

TEST(Config, MayBeEmptyOrComeFromAnotherProgram) {
  EXPECT_TRUE(load_config("/dev/null"));
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  constexpr std::string_view kText = "log: {level: trace}\n";
  ASSERT_EQ(::write(ends[1], kText.data(), kText.size()), static_cast<ssize_t>(kText.size()));
  ::close(ends[1]);
  const auto config = load_config("/dev/fd/" + std::to_string(ends[0]));  // as <(…) of a shell
  ::close(ends[0]);
  ASSERT_TRUE(config) << config.error().message();
  EXPECT_EQ(config->log_level, "trace");
}

TEST(Config, OnlyAFileOfLimitedSizeIsRead) {
  EXPECT_NE(load_config("/dev/zero").error().message().find("has more than 4 MiB"), std::string::npos);
  EXPECT_NE(load_config("/").error().message().find("/: cannot be read: "), std::string::npos);
  const test::TempDir dir;
  test::write_file(dir / "memd.yaml", "memory:");
  std::filesystem::resize_file(dir / "memd.yaml", std::uintmax_t{3} << 30);
  EXPECT_NE(load_config(dir / "memd.yaml").error().message().find("has more than 4 MiB"), std::string::npos);
  EXPECT_TRUE(load_config(dir / "memd.yaml").error().is(Errc::bad_config));
}

}  // namespace
}  // namespace memd
