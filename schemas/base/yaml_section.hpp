#pragma once

#include "schemas/base/result.hpp"

#include <yaml-cpp/yaml.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

// Reads mappings of YAML files that people write. Each key has a handler; a key without one is refused. Errors name
// file and line. One thread.
namespace memd::yaml {

// Throws an ErrorException of Errc::bad_config. Whoever loads the document converts it to a Result.
[[noreturn]] void refuse(const std::string& file, const YAML::Mark& mark, const std::string& what);

// A mapping with its key handlers. Borrows the file's name.
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

}  // namespace memd::yaml
