#include "daemon/config/config.hpp"

#include "adapters/described/description.hpp"
#include "daemon/config/model_config.hpp"
#include "daemon/grpc_built_in.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/yaml_section.hpp"
#include "store/files/whole_file.hpp"
#include "store/seal/cipher.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace memd {
namespace {

constexpr std::array<std::string_view, 6> kLogLevels{"trace", "debug", "info", "warn", "error", "off"};

using yaml::refuse;
using yaml::scalar;
using yaml::Section;
using yaml::whole_number;

PlatformConfig read_platform(const std::string& file, const YAML::Node& node, const std::string& name) {
  PlatformConfig out;
  Section(file, name)
      .key("enabled", out.enabled)
      .key("paths",
           [&](const auto& v, const auto& key) {
             if (!v.IsSequence()) refuse(file, v.Mark(), key + ": expected a list of directories");
             for (const auto& item : v) {
               std::filesystem::path path = scalar<std::string>(file, item, key, "a list of directories");
               if (!path.is_absolute()) refuse(file, item.Mark(), key + ": expected absolute paths");
               out.paths.push_back(std::move(path));
             }
           })
      .read(node);
  return out;
}

EncryptionConfig read_encryption(const std::string& file, const YAML::Node& node, const std::string& name) {
  EncryptionConfig out;
  Section(file, name)
      .key("key_file",
           [&](const auto& v, const auto& key) {
             out.key_file = scalar<std::string>(file, v, key, "an absolute path");
             if (!out.key_file.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path, not a key");
           })
      .key("key_command",
           [&](const auto& v, const auto& key) {
             const auto expected = "a list: a program and its arguments";
             if (!v.IsSequence() || v.size() == 0) refuse(file, v.Mark(), key + ": expected " + expected);
             for (const auto& word : v)
               out.key_command.push_back(scalar<std::string>(file, word, key, expected));
             if (out.key_command.front().empty()) refuse(file, v.Mark(), key + ": expected " + expected);
           })
      .read(node);
  if (out.key_file.empty() == out.key_command.empty())
    refuse(file, node.Mark(), name + ": expected one of key_file and key_command");
  if (!seal::is_available())
    refuse(file, node.Mark(), name + ": this memd was built without encryption (MEMD_WITH_ENCRYPTION)");
  return out;
}

// Reads a place: "~/x" is below the home directory; any other path has to be absolute.
std::string read_place(const std::string& file, const YAML::Node& node, const std::string& key) {
  auto place = scalar<std::string>(file, node, key, "a path or a text");
  const char* home = std::getenv("HOME");
  if (place.starts_with("~/") && home != nullptr) place.replace(0, 1, home);
  return place;
}

// Reads descriptions of agents: each is a file, or stands in the list itself.
void read_own_agents(const std::string& file, const YAML::Node& node, const std::string& key, Config& out) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  if (!node.IsSequence()) refuse(file, node.Mark(), key + ": expected a list of files that describe agents");
  for (const auto& item : node) {
    if (item.IsMap()) {
      out.own_agents.push_back(std::make_shared<const described::Description>(described::read_description(item, file)));
      continue;
    }
    const std::filesystem::path place = read_place(file, item, key);
    if (!place.is_absolute()) refuse(file, item.Mark(), key + ": expected absolute paths, or such as ~/toy.yaml");
    const auto text = files::read_named(place, kMostBytes);
    if (!text) refuse(file, item.Mark(), key + ": " + place.string() + " cannot be read: " + text.error().message());
    auto agent = described::parse_description(*text, place.string());
    if (!agent) throw ErrorException(agent.error());
    out.own_agents.push_back(std::make_shared<const described::Description>(std::move(*agent)));
  }
}

ExcludeConfig read_exclude(const std::string& file, const YAML::Node& node) {
  ExcludeConfig out;
  const auto each = [&](const YAML::Node& list, const std::string& key, const auto& take) {
    if (!list.IsSequence()) refuse(file, list.Mark(), key + ": expected a list");
    for (const auto& item : list)
      take(item, read_place(file, item, key));
  };
  const auto is_absolute = [](const std::string& path) { return path.starts_with('/'); };
  Section(file, "exclude")
      .key("projects",
           [&](const auto& v, const auto& key) {
             each(v, key, [&](const YAML::Node& item, std::string project) {
               if (project.empty() || (project.find('/') != std::string::npos && !is_absolute(project)))
                 refuse(file, item.Mark(), key + ": expected names of projects, or absolute directories");
               out.projects.push_back(std::move(project));
             });
           })
      .key("paths",
           [&](const auto& v, const auto& key) {
             each(v, key, [&](const YAML::Node& item, std::string pattern) {
               if (!is_absolute(pattern) && !pattern.starts_with('*'))
                 refuse(file, item.Mark(), key + ": expected patterns that begin with / or *");
               out.paths.push_back(std::move(pattern));
             });
           })
      .key("agents",
           [&](const auto& v, const auto& key) {
             each(v, key, [&](const YAML::Node& item, const std::string& agent) {
               const auto platform = parse_platform(agent);
               if (!platform) refuse(file, item.Mark(), key + ": there is no agent '" + agent + "'");
               out.agents.push_back(*platform);
             });
           })
      .read(node);
  return out;
}

AdminConfig read_admin(const std::string& file, const YAML::Node& node) {
  AdminConfig out;
  Section grpc(file, "admin.grpc");
  grpc.key("enabled",
           [&](const auto& v, const auto& key) {
             out.grpc = scalar<bool>(file, v, key, "true or false");
             if (out.grpc && !has_grpc_door())
               refuse(file, v.Mark(),
                      key + ": this memd was built without gRPC: build it with -DMEMD_WITH_GRPC=ON, or say false");
           })
      .key("socket", [&](const auto& v, const auto& key) {
        out.grpc_socket = read_place(file, v, key);
        if (!out.grpc_socket.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
      });
  Section(file, "admin").key("grpc", grpc).read(node);
  return out;
}

Config read_document(const std::string& file, const YAML::Node& document) {
  Config out;
  Section platforms(file, "platforms");
  for (const PlatformInfo& p : kPlatforms)
    platforms.key(std::string(p.key),
                  [&, id = p.id](const auto& v, const auto& key) { out.platforms[id] = read_platform(file, v, key); });
  platforms.key("custom", [&](const auto& v, const auto& key) { read_own_agents(file, v, key, out); });
  Section log(file, "log");
  log.key("level", [&](const auto& v, const auto& key) {
    out.log_level = scalar<std::string>(file, v, key, "a log level");
    if (std::find(kLogLevels.begin(), kLogLevels.end(), out.log_level) == kLogLevels.end())
      refuse(file, v.Mark(), key + ": expected one of trace, debug, info, warn, error, off");
  });
  Section query(file, "query");
  query.key("threads", out.query_threads, 1, 16).key("max_tokens", out.max_tokens, 100, 8000);
  Section search(file, "search");
  search.key("scope", [&](const auto& v, const auto& key) {
    const auto scope = scalar<std::string>(file, v, key, "project or all");
    if (scope != "project" && scope != "all") refuse(file, v.Mark(), key + ": expected project or all");
    out.own_project = scope == "project";
  });
  Section tools(file, "tools");
  tools.key("conversation_query", out.conversation_query).key("capture", out.capture_tool);
  Section watch(file, "watch");
  watch.key("max_directories", out.max_watches, 1, 1'000'000);
  Section raw_layer(file, "raw_layer");
  raw_layer.key("mode", [&](const auto& v, const auto& key) {
    const auto mode = parse_raw_mode(scalar<std::string>(file, v, key, "a mode"));
    if (!mode) refuse(file, v.Mark(), key + ": expected one of masked, as_is, off");
    out.raw_layer = *mode;
  });
  Section usage(file, "usage");
  usage.key("prices", [&](const auto& v, const auto& key) {
    out.prices = read_place(file, v, key);
    if (!out.prices.is_absolute()) refuse(file, v.Mark(), key + ": expected an absolute path");
  });
  Section hooks(file, "hooks");
  hooks.key("enabled", out.hooks.enabled).key("standing", out.hooks.standing).key("start", out.hooks.start);
  hooks.key("compaction", out.hooks.compaction).key("recall", out.hooks.recall);
  Section sharing(file, "sharing");
  sharing.key("ask_server_ms", out.sharing.ask_server_ms, 0, 60'000);
  Section sessions(file, "sessions");
  sessions.key("stopped_after_s", [&](const auto& v, const auto& key) {
    out.sessions.stopped_after = whole_number(file, v, key, 1, 604'800) * 1000LL;
  });
  Section retention(file, "retention");
  retention.key("max_age_days", out.retention.max_age_days, 7, 36500)
      .key("max_raw_bytes", [&](const auto& v, const auto& key) {
        const auto expected = "a whole number of bytes, at least 1000000";
        const auto bytes = scalar<std::int64_t>(file, v, key, expected);
        if (bytes < 1'000'000) refuse(file, v.Mark(), key + ": expected " + expected);
        out.retention.max_raw_bytes = static_cast<std::uint64_t>(bytes);
      });
  Section decisions(file, "decisions");
  decisions.key("judge", [&](const auto& v, const auto& key) {
    const auto judge = scalar<std::string>(file, v, key, "none or model");
    if (judge != "none" && judge != "model") refuse(file, v.Mark(), key + ": expected none or model");
    out.judge_decisions = judge == "model";
  });
  Section(file, "")
      .key("platforms", platforms)
      .key("time_zone",
           [&](const auto& v, const auto& key) {
             out.time_zone = scalar<std::string>(file, v, key, "the name of a time zone");
             if (!is_time_zone(out.time_zone))
               refuse(file, v.Mark(),
                      key + ": expected UTC or an IANA name that this system knows, such as Europe/Berlin");
           })
      .key("log", log)
      .key("query", query)
      .key("search", search)
      .key("tools", tools)
      .key("watch", watch)
      .key("raw_layer", raw_layer)
      .key("encryption", [&](const auto& v, const auto& key) { out.encryption = read_encryption(file, v, key); })
      .key("sessions", sessions)
      .key("usage", usage)
      .key("hooks", hooks)
      .key("sharing", sharing)
      .key("retention", retention)
      .key("exclude", [&](const auto& v, const auto&) { out.exclude = read_exclude(file, v); })
      .key("memory", [&](const auto& v, const auto&) { out.memory = config::read_memory(file, v); })
      .key("embedding", [&](const auto& v, const auto&) { out.embedding = config::read_embedding(file, v); })
      .key("summaries", [&](const auto& v, const auto&) { out.summaries = config::read_summaries(file, v); })
      .key("decisions", decisions)
      .key("admin", [&](const auto& v, const auto&) { out.admin = read_admin(file, v); })
      .read(document);
  if (out.judge_decisions && !out.summaries.has_served_model())
    refuse(file, document.Mark(), "decisions.judge: model needs a model of ollama or openai under summaries");
  return out;
}

}  // namespace

Result<Config> parse_config(std::string_view yaml, const std::string& file_name) {
  try {
    return read_document(file_name, YAML::Load(std::string(yaml)));
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file_name + ":" + std::to_string(e.mark.line + 1) + ": not valid YAML: " + e.msg);
  }
}

Result<Config> load_config(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20;
  const auto text = files::read_named(file, kMostBytes);
  if (!text) return Error(Errc::bad_config, file.string() + ": cannot be read: " + text.error().message());
  return parse_config(*text, file.string());
}

}  // namespace memd
