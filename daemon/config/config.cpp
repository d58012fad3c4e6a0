#include "daemon/config/config.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <sstream>

namespace memd {
namespace {

constexpr std::array<std::string_view, 6> kLogLevels{"trace", "debug", "info", "warn", "error", "off"};

constexpr std::array<std::pair<std::string_view, RawMode>, 3> kRawModes{
    {{"masked", RawMode::masked}, {"as_is", RawMode::as_is}, {"off", RawMode::off}}};

// Thrown while walking the document, turned into the Result by parse_config.
[[noreturn]] void refuse(const std::string& file, const YAML::Mark& mark, const std::string& what) {
  throw ErrorException(Error(Errc::bad_config, file + ":" + std::to_string(mark.line + 1) + ": " + what));
}

class Section {
 public:
  using Handler = std::function<void(const YAML::Node& value, const std::string& key)>;

  Section(const std::string& file, std::string name) : file_(file), name_(std::move(name)) {}
  Section& key(std::string name, Handler handler) {
    handlers_.emplace_back(std::move(name), std::move(handler));
    return *this;
  }

  void read(const YAML::Node& node) const {
    if (node.IsNull()) return;
    if (!node.IsMap()) refuse(file_, node.Mark(), (name_.empty() ? "the file" : name_) + " must be a mapping");
    for (const auto& entry : node) {
      const auto key = entry.first.as<std::string>();
      const auto full = name_.empty() ? key : name_ + "." + key;
      const auto it = std::find_if(handlers_.begin(), handlers_.end(), [&](const auto& h) { return h.first == key; });
      if (it == handlers_.end())
        refuse(file_, entry.first.Mark(), "unknown key '" + full + "'; known here: " + known_keys());
      it->second(entry.second, full);
    }
  }

 private:
  std::string known_keys() const {
    std::string out;
    for (const auto& [name, handler] : handlers_)
      out += (out.empty() ? "" : ", ") + name;
    return out;
  }

  const std::string& file_;
  std::string name_;
  std::vector<std::pair<std::string, Handler>> handlers_;
};

template <class T>
T scalar(const std::string& file, const YAML::Node& node, const std::string& key, const char* expected) {
  try {
    return node.as<T>();
  } catch (const YAML::Exception&) {
    refuse(file, node.Mark(), key + ": expected " + expected);
  }
}

int whole_number(const std::string& file, const YAML::Node& node, const std::string& key, int low, int high) {
  const std::string expected = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  const int value = scalar<int>(file, node, key, expected.c_str());
  if (value < low || value > high) refuse(file, node.Mark(), key + ": expected " + expected);
  return value;
}

PlatformConfig read_platform(const std::string& file, const YAML::Node& node, const std::string& name) {
  PlatformConfig out;
  Section(file, name)
      .key("enabled",
           [&](const auto& v, const auto& key) { out.enabled = scalar<bool>(file, v, key, "true or false"); })
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

Config read_document(const std::string& file, const YAML::Node& document) {
  Config out;
  Section platforms(file, "platforms");
  for (const Platform p : kAllPlatforms)
    platforms.key(std::string(to_string(p)),
                  [&, p](const auto& v, const auto& key) { out.platforms[p] = read_platform(file, v, key); });
  Section log(file, "log");
  log.key("level", [&](const auto& v, const auto& key) {
    out.log_level = scalar<std::string>(file, v, key, "a log level");
    if (std::find(kLogLevels.begin(), kLogLevels.end(), out.log_level) == kLogLevels.end())
      refuse(file, v.Mark(), key + ": expected one of trace, debug, info, warn, error, off");
  });
  Section query(file, "query");
  query.key("threads", [&](const auto& v, const auto& key) { out.query_threads = whole_number(file, v, key, 1, 16); })
      .key("max_tokens",
           [&](const auto& v, const auto& key) { out.max_tokens = whole_number(file, v, key, 100, 8000); });
  Section watch(file, "watch");
  watch.key("max_directories",
            [&](const auto& v, const auto& key) { out.max_watches = whole_number(file, v, key, 1, 1'000'000); });
  Section raw_layer(file, "raw_layer");
  raw_layer.key("mode", [&](const auto& v, const auto& key) {
    const auto mode = scalar<std::string>(file, v, key, "a mode");
    const auto it = std::find_if(kRawModes.begin(), kRawModes.end(), [&](const auto& m) { return m.first == mode; });
    if (it == kRawModes.end()) refuse(file, v.Mark(), key + ": expected one of masked, as_is, off");
    out.raw_layer = it->second;
  });
  Section retention(file, "retention");
  retention
      .key("max_age_days",
           [&](const auto& v, const auto& key) { out.retention.max_age_days = whole_number(file, v, key, 7, 36500); })
      .key("max_raw_bytes", [&](const auto& v, const auto& key) {
        const auto expected = "a whole number of bytes, at least 1000000";
        const auto bytes = scalar<std::int64_t>(file, v, key, expected);
        if (bytes < 1'000'000) refuse(file, v.Mark(), key + ": expected " + expected);
        out.retention.max_raw_bytes = static_cast<std::uint64_t>(bytes);
      });
  Section(file, "")
      .key("platforms", [&](const auto& v, const auto&) { platforms.read(v); })
      .key("log", [&](const auto& v, const auto&) { log.read(v); })
      .key("query", [&](const auto& v, const auto&) { query.read(v); })
      .key("watch", [&](const auto& v, const auto&) { watch.read(v); })
      .key("raw_layer", [&](const auto& v, const auto&) { raw_layer.read(v); })
      .key("retention", [&](const auto& v, const auto&) { retention.read(v); })
      .read(document);
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
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error(Errc::bad_config, file.string() + ": cannot be read");
  std::ostringstream text;
  text << in.rdbuf();
  return parse_config(text.str(), file.string());
}

}  // namespace memd
