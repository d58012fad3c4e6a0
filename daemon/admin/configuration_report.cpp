#include "daemon/admin/configuration_report.hpp"

#include "adapters/described/description.hpp"
#include "schemas/platform.hpp"

#include <filesystem>
#include <optional>
#include <utility>

namespace memd::admin {
namespace {

std::string in_words(bool value) { return value ? "true" : "false"; }
std::string in_words(int value) { return std::to_string(value); }
std::string in_words(std::int64_t value) { return std::to_string(value); }
std::string in_words(std::uint64_t value) { return std::to_string(value); }
std::string in_words(const std::string& value) { return value; }
std::string in_words(const char* value) { return value; }
std::string in_words(const std::filesystem::path& value) { return value.string(); }

template <class T>
requires requires(T value) { to_string(value); }
std::string in_words(T value) { return std::string(to_string(value)); }
std::string in_words(const std::optional<int>& value) { return value ? std::to_string(*value) : std::string(); }

template <class Provider>
std::string in_words(const ModelChoice<Provider>& choice) {
  return in_words(choice.provider) + (choice.model.empty() ? "" : "/" + choice.model);
}

template <class T>
std::string in_words(const std::vector<T>& values) {
  std::string out;
  for (const auto& value : values)
    out += (out.empty() ? "" : ", ") + in_words(value);
  return "[" + out + "]";
}

class Entries {
 public:
  template <class T>
  void add(std::string key, const T& value) {
    report_.entries.push_back({std::move(key), in_words(value)});
  }
  // Adds a limit; 0 means not set.
  template <class T>
  void add_limit(std::string key, T value) {
    if (value == 0)
      add(std::move(key), "");
    else
      add(std::move(key), value);
  }
  void add_server(const std::string& section, const ModelServerConfig& server) {
    add(section + ".endpoint", server.endpoint);
    add(section + ".api_key_env", server.api_key_env);
    add(section + ".api_key_file", server.api_key_file);
    add(section + ".timeout_ms", server.timeout_ms);
    add(section + ".connect_timeout_ms", server.connect_timeout_ms);
  }
  ConfigurationReport take() { return std::move(report_); }

 private:
  ConfigurationReport report_;
};

void add_memory(const MemoryConfig& c, Entries& out) {
  out.add("memory.opt_in", c.policy.opt_in_enabled);
  out.add("memory.path_mode", c.policy.mode);
  out.add("memory.platform_path", c.policy.platform_path);
  out.add("memory.enterprise_path", c.enterprise_path);
  out.add("memory.default_scope", c.default_scope ? in_words(*c.default_scope) : std::string());
  out.add("memory.orphan_days", c.orphan_days);
  out.add("memory.min_quality", c.min_quality);
  out.add("memory.write", c.write);
  out.add("memory.gardener.kinds", c.garden.kinds);
  out.add("memory.gardener.max_characters", c.garden.max_characters);
  out.add("memory.gardener.max_memories", c.garden.max_memories);
  out.add("memory.gardener.duplicates", c.garden.duplicates);
  out.add("memory.gardener.archive_days", c.garden.archive_days);
  out.add("memory.gardener.mark_stale", c.garden.mark_stale);
  out.add("memory.gardener.daily_recap", c.garden.daily_recap);
  out.add("memory.gardener.recap", c.garden.recap);
}

void add_models(const Config& config, Entries& out) {
  const EmbeddingConfig& e = config.embedding;
  out.add("embedding.provider", e.choice.provider);
  out.add("embedding.model", e.choice.model);
  out.add("embedding.fallback_models", e.fallbacks);
  out.add_server("embedding", e);
  out.add("embedding.batch_size", e.batch_size);
  out.add("embedding.query_timeout_ms", e.query_timeout_ms);
  out.add("embedding.dimensions", e.dimensions);
  out.add("embedding.second_look", e.second_look ? "on" : "off");
  const SummariesConfig& s = config.summaries;
  out.add("summaries.provider", s.choice.provider);
  out.add("summaries.model", s.choice.model);
  out.add("summaries.fallback_models", s.fallbacks);
  out.add_server("summaries", s);
  out.add("summaries.max_parallel", s.max_parallel);
  out.add("summaries.context_tokens", s.context_tokens);
  out.add("summaries.max_tokens", s.max_tokens);
  out.add("summaries.daily_requests", s.daily_requests);
  out.add("summaries.daily_tokens", s.daily_tokens);
}

}  // namespace

ConfigurationReport configuration(const Config& config) {
  Entries out;
  for (const Platform platform : platform_ids()) {
    const auto it = config.platforms.find(platform);
    const PlatformConfig chosen = it == config.platforms.end() ? PlatformConfig() : it->second;
    const std::string section = "platforms." + std::string(to_string(platform));
    out.add(section + ".enabled", chosen.enabled);
    out.add(section + ".paths", chosen.paths);
  }
  std::vector<std::string> own;
  for (const auto& agent : config.own_agents)
    own.push_back(agent->key);
  out.add("platforms.custom", own);
  out.add("time_zone", config.time_zone);
  out.add("log.level", config.log_level);
  out.add("query.threads", config.query_threads);
  out.add("query.max_tokens", config.max_tokens);
  out.add("search.scope", config.own_project ? "project" : "all");
  out.add("tools.conversation_query", config.conversation_query);
  out.add("tools.capture", config.capture_tool);
  out.add_limit("watch.max_directories", config.max_watches);
  out.add("raw_layer.mode", config.raw_layer);
  out.add("encryption.key_file", config.encryption.key_file);
  // Arguments of the command may be secret, so only its program is shown.
  const auto& command = config.encryption.key_command;
  out.add("encryption.key_command",
          command.empty() ? std::string() : command.front() + (command.size() > 1 ? " …" : ""));
  out.add("usage.prices", config.prices);
  out.add("hooks.enabled", config.hooks.enabled);
  out.add("hooks.standing", config.hooks.standing);
  out.add("hooks.start", config.hooks.start);
  out.add("hooks.compaction", config.hooks.compaction);
  out.add("hooks.recall", config.hooks.recall);
  out.add("sharing.ask_server_ms", config.sharing.ask_server_ms);
  out.add("sessions.stopped_after_s", config.sessions.stopped_after / 1000);
  out.add_limit("retention.max_age_days", config.retention.max_age_days);
  out.add_limit("retention.max_raw_bytes", config.retention.max_raw_bytes);
  out.add("exclude.projects", config.exclude.projects);
  out.add("exclude.paths", config.exclude.paths);
  out.add("exclude.agents", config.exclude.agents);
  add_memory(config.memory, out);
  add_models(config, out);
  out.add("decisions.judge", config.judge_decisions ? "model" : "none");
  out.add("admin.grpc.enabled", config.admin.grpc);
  out.add("admin.grpc.socket", config.admin.grpc_socket);
  return out.take();
}

}  // namespace memd::admin
