#include "daemon/report/prices.hpp"

#include "daemon/config/config_section.hpp"
#include "schemas/error.hpp"

#include <fstream>
#include <sstream>

namespace memd::report {
namespace {

using config::refuse;
using config::scalar;

Price read_price(const std::string& file, const YAML::Node& node, const std::string& model) {
  constexpr const char* kExpected = "dollars for a million tokens, 0 or more";
  Price out;
  int found = 0;
  config::Section section(file, model);
  const auto take = [&](const char* name, double& value) {
    section.key(name, [&](const YAML::Node& v, const std::string& key) {
      value = scalar<double>(file, v, key, kExpected);
      if (!(value >= 0 && value < 1e6)) refuse(file, v.Mark(), key + ": expected " + kExpected);
      ++found;
    });
  };
  take("input", out.input);
  take("output", out.output);
  take("cache_read", out.cache_read);
  take("cache_creation", out.cache_creation);
  section.read(node);
  if (found < 4) refuse(file, node.Mark(), model + ": expected input, output, cache_read and cache_creation");
  return out;
}

}  // namespace

Result<PriceList> PriceList::parse(std::string_view yaml, const std::string& file_name) {
  try {
    PriceList out;
    const YAML::Node document = YAML::Load(std::string(yaml));
    if (!document.IsMap() || document.size() == 0)
      refuse(file_name, document.Mark(), "expected names of models with their prices");
    for (const auto& entry : document) {
      const auto model = scalar<std::string>(file_name, entry.first, "a model", "a name");
      if (model.empty()) refuse(file_name, entry.first.Mark(), "expected the name of a model, or its beginning");
      out.prices_[model] = read_price(file_name, entry.second, model);
    }
    return out;
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file_name + ":" + std::to_string(e.mark.line + 1) + ": not valid YAML: " + e.msg);
  }
}

Result<PriceList> PriceList::load(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) return Error(Errc::bad_config, file.string() + ": cannot be read");
  return parse(text.str(), file.string());
}

std::optional<double> PriceList::cost(std::string_view model, const TokenUsage& tokens) const {
  const Price* price = nullptr;
  for (const auto& [name, p] : prices_)  // in order: a longer prefix comes after a shorter one
    if (model.starts_with(name)) price = &p;
  if (price == nullptr) return std::nullopt;
  const auto of = [](std::int64_t count, double each) { return static_cast<double>(count) * each / 1e6; };
  return of(tokens.input, price->input) + of(tokens.output, price->output) + of(tokens.cache_read, price->cache_read) +
         of(tokens.cache_creation, price->cache_creation);
}

}  // namespace memd::report
