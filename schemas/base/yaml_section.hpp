#pragma once

#include "schemas/base/result.hpp"

#include <yaml-cpp/yaml.h>

#include <concepts>
#include <functional>
#include <string>
#include <utility>
#include <vector>

// Reads mappings of YAML files that people write. Each key has a handler; a key without one is refused. Errors name
// file and line. One thread.
namespace memd::yaml {

// Throws an ErrorException of Errc::bad_config. Whoever loads the document converts it to a Result.
[[noreturn]] void refuse(const std::string& file, const YAML::Mark& mark, const std::string& what);

int whole_number(const std::string& file, const YAML::Node& node, const std::string& key, int low, int high);

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
  Section& key(std::string name, bool& out);
  template <class Number>
  requires std::assignable_from<Number&, int> Section& key(std::string name, Number& out, int low, int high) {
    return key(std::move(name), [&file = file_, &out, low, high](const YAML::Node& value, const std::string& full) {
      out = whole_number(file, value, full, low, high);
    });
  }
  Section& key(std::string name, const Section& inner);  // which has to outlive read()
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

}  // namespace memd::yaml
