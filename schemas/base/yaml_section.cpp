#include "schemas/base/yaml_section.hpp"

#include "schemas/base/error.hpp"

#include <algorithm>

namespace memd::yaml {

void refuse(const std::string& file, const YAML::Mark& mark, const std::string& what) {
  throw ErrorException(Error(Errc::bad_config, file + ":" + std::to_string(mark.line + 1) + ": " + what));
}

Section& Section::key(std::string name, bool& out) {
  return key(std::move(name), [&file = file_, &out](const YAML::Node& value, const std::string& full) {
    out = scalar<bool>(file, value, full, "true or false");
  });
}

Section& Section::key(std::string name, const Section& inner) {
  return key(std::move(name), [&inner](const YAML::Node& value, const std::string&) { inner.read(value); });
}

void Section::read(const YAML::Node& node) const {
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

std::string Section::known_keys() const {
  std::string out;
  for (const auto& [name, handler] : handlers_)
    out += (out.empty() ? "" : ", ") + name;
  return out;
}

int whole_number(const std::string& file, const YAML::Node& node, const std::string& key, int low, int high) {
  const std::string expected = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
  const int value = scalar<int>(file, node, key, expected.c_str());
  if (value < low || value > high) refuse(file, node.Mark(), key + ": expected " + expected);
  return value;
}

}  // namespace memd::yaml
