#pragma once

#include "schemas/base/result.hpp"

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// Reads a mapping of the configuration file. Each key has a handler; a key without one is refused.
namespace memd::config {

// Throws an ErrorException, which parse_config converts to its Result.
[[noreturn]] void refuse(const std::string& file, const YAML::Mark& mark, const std::string& what);

// A mapping with its key handlers. One thread. Borrows the file's name.
class Section {
 public:
  // `key`: the full name for messages, such as "log.level".
  using Handler = std::function<void(const YAML::Node& value, const std::string& key)>;

  Section(const std::string& file, std::string name) : file_(file), name_(std::move(name)) {}
  Section& key(std::string name, Handler handler) {
    handlers_.emplace_back(std::move(name), std::move(handler));
    return *this;
  }
  void read(const YAML::Node& node) const;

 private:
  std::string known_keys() const;

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

int whole_number(const std::string& file, const YAML::Node& node, const std::string& key, int low, int high);

}  // namespace memd::config
