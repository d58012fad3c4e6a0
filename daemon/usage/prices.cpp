#include "daemon/usage/prices.hpp"

#include "daemon/usage/model_name.hpp"
#include "schemas/base/ascii.hpp"
#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/time.hpp"
#include "schemas/base/yaml_section.hpp"
#include "store/files/whole_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace memd::usage {
namespace {

using yaml::refuse;
using yaml::scalar;

constexpr std::array<std::string_view, 4> kTiers{"standard", "fast", "flex", "batch"};

Price read_price(const std::string& file, const YAML::Node& node, const std::string& model) {
  constexpr const char* kDollars = "dollars for a million tokens, 0 or more";
  constexpr const char* kHours = "hours of the day in UTC, \"01:00-04:00\"";
  Price out;
  int found = 0;
  std::optional<double> for_an_hour;
  yaml::Section section(file, model);
  const auto number = [&](const YAML::Node& v, const std::string& key) {
    const auto value = scalar<double>(file, v, key, kDollars);
    if (!(value >= 0 && value < 1e6)) refuse(file, v.Mark(), key + ": expected " + kDollars);
    return value;
  };
  const auto take = [&](const char* name, double& value) {
    section.key(name, [&](const YAML::Node& v, const std::string& key) {
      value = number(v, key);
      ++found;
    });
  };
  take("input", out.input);
  take("output", out.output);
  take("cache_read", out.cache_read);
  take("cache_creation", out.cache_creation);
  section.key("cache_creation_1h", [&](const YAML::Node& v, const std::string& key) { for_an_hour = number(v, key); })
      .key("web_search", [&](const YAML::Node& v, const std::string& key) { out.web_search = number(v, key); })
      .key("from",
           [&](const YAML::Node& v, const std::string& key) {
             out.from = scalar<std::string>(file, v, key, "a day");
             if (out.from.size() != 10 || !parse_rfc3339(out.from))
               refuse(file, v.Mark(), key + ": expected a day, 2026-08-21");
           })
      .key("hours",
           [&](const YAML::Node& v, const std::string& key) {
             const auto text = scalar<std::string>(file, v, key, kHours);
             int from = 0, from_minute = 0, to = 0, to_minute = 0, end = 0;
             if (std::sscanf(text.c_str(), "%2d:%2d-%2d:%2d%n", &from, &from_minute, &to, &to_minute, &end) != 4 ||
                 static_cast<std::size_t>(end) != text.size() || from > 23 || to > 24 || from_minute > 59 ||
                 to_minute > 59 || from < 0 || to < 0 || from_minute < 0 || to_minute < 0)
               refuse(file, v.Mark(), key + ": expected " + kHours);
             out.hours.emplace(from * 60 + from_minute, to * 60 + to_minute);
           })
      .key("tier",
           [&](const YAML::Node& v, const std::string& key) {
             const auto tier = scalar<std::string>(file, v, key, "a tier");
             const auto at = std::find(kTiers.begin(), kTiers.end(), tier);
             if (at == kTiers.end()) refuse(file, v.Mark(), key + ": expected one of standard, fast, flex, batch");
             out.tier = static_cast<PriceTier>(at - kTiers.begin());
           })
      .key("above", out.above, 0, 1'000'000'000)
      .read(node);
  if (found < 4) refuse(file, node.Mark(), model + ": expected input, output, cache_read and cache_creation");
  // Anthropic, which alone has this kind of cache, charges twice the input for it.
  out.cache_creation_1h = for_an_hour.value_or(2 * out.input);
  return out;
}

ModelPrices read_prices(const std::string& file, const YAML::Node& node, const std::string& model) {
  std::vector<Price> prices;
  if (node.IsSequence())
    for (const YAML::Node& one : node)
      prices.push_back(read_price(file, one, model));
  else
    prices.push_back(read_price(file, node, model));
  if (prices.empty()) refuse(file, node.Mark(), model + ": expected a price, or a list of prices");
  return ModelPrices(std::move(prices));
}

std::vector<std::string_view> names_of(std::string_view key) {
  std::vector<std::string_view> out;
  while (!key.empty())
    if (const auto name = ascii::trimmed(ascii::take_until(key, ',')); !name.empty()) out.push_back(name);
  return out;
}

std::string_view file_of_prices() { return embedded::price_files().front().text; }

// Calls take(key, line) for each model of the built-in table, which has one on each line, and note(name, value) for
// each "# name: value".
template <class Take, class Note>
void each_line(const Take& take, const Note& note) {
  std::string_view rest = file_of_prices();
  while (!rest.empty()) {
    const std::string_view line = ascii::take_until(rest, '\n');
    const auto colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    if (line.starts_with("# "))
      note(line.substr(2, colon - 2), line.substr(colon + 2));
    else
      take(line.substr(0, colon), line);
  }
}

ModelPrices prices_on(std::string_view line) {
  const YAML::Node document = YAML::Load(std::string(line));
  const auto entry = document.begin();
  return read_prices("prices.yaml", entry->second, entry->first.as<std::string>());
}

// Returns whether `name` is `listed` or continues it with another word.
bool begins_with(std::string_view name, std::string_view listed) {
  return name.starts_with(listed) &&
         (name.size() == listed.size() || listed.ends_with('-') || !ascii::is_alnum(name[listed.size()]));
}

}  // namespace

std::string_view to_string(PriceTier tier) { return kTiers[static_cast<std::size_t>(tier)]; }

PriceTier price_tier(const ResponseFacts& facts) {
  if (facts.is_fast || facts.tier == ServiceTier::priority) return PriceTier::fast;
  if (facts.tier == ServiceTier::flex) return PriceTier::flex;
  return facts.tier == ServiceTier::batch ? PriceTier::batch : PriceTier::standard;
}

ModelPrices::ModelPrices(std::vector<Price> prices) : prices_(std::move(prices)) {
  for (const Price& price : prices_)
    from_.push_back(price.from.empty() ? 0 : parse_rfc3339(price.from).value_or(0));
}

bool ModelPrices::has(PriceTier tier) const {
  return std::any_of(prices_.begin(), prices_.end(), [&](const Price& p) { return p.tier == tier; });
}

std::optional<double> ModelPrices::cost(TimeMs time, PriceTier tier, const TokenUsage& tokens,
                                        std::int64_t web_searches) const {
  const std::int64_t prompt = tokens.prompt();
  const auto minute = static_cast<int>((time % kMsPerDay + kMsPerDay) % kMsPerDay / 60'000);
  const auto fits = [&](std::size_t i, PriceTier wanted) {
    const Price& p = prices_[i];
    if (p.tier != wanted || (p.above > 0 && prompt <= p.above) || time < from_[i]) return false;
    if (!p.hours) return true;
    const auto [begin, end] = *p.hours;
    return begin <= end ? minute >= begin && minute < end : minute >= begin || minute < end;
  };
  const Price* price = nullptr;
  for (const PriceTier wanted : {tier, PriceTier::standard}) {
    for (std::size_t i = 0; i < prices_.size(); ++i)
      if (fits(i, wanted)) price = &prices_[i];
    if (price != nullptr) break;
  }
  if (price == nullptr) return std::nullopt;
  const auto of = [](std::int64_t count, double each) { return static_cast<double>(count) * each; };
  const double million = of(tokens.input, price->input) + of(tokens.output, price->output) +
                         of(tokens.cache_read, price->cache_read) +
                         of(tokens.cache_creation - tokens.cache_creation_1h, price->cache_creation) +
                         of(tokens.cache_creation_1h, price->cache_creation_1h);
  return million / 1e6 + of(web_searches, price->web_search) / 1e3;
}

PriceTable::PriceTable() {
  each_line(
      [&](std::string_view key, std::string_view line) {
        for (const std::string_view name : names_of(key)) {
          if (name.ends_with('*'))
            patterns_.emplace_back(plain_name(name.substr(0, name.size() - 1)), line);
          else
            lines_.emplace(plain_name(name), line);
        }
      },
      [&](std::string_view name, std::string_view value) {
        if (name == "date") date_ = value;
        if (name == "source") source_ = value;
      });
}

Result<void> PriceTable::add_own(std::string_view yaml, const std::string& file_name) {
  try {
    const YAML::Node document = YAML::Load(std::string(yaml));
    if (!document.IsMap() || document.size() == 0)
      refuse(file_name, document.Mark(), "expected names of models with their prices");
    for (const auto& entry : document) {
      const auto key = scalar<std::string>(file_name, entry.first, "a model", "a name");
      const auto names = names_of(key);
      if (names.empty()) refuse(file_name, entry.first.Mark(), "expected the name of a model, or its beginning");
      const ModelPrices prices = read_prices(file_name, entry.second, key);
      own_as_written_.emplace_back(key, prices);
      for (std::string_view name : names) {
        if (name.ends_with('*')) name.remove_suffix(1);
        own_.insert_or_assign(plain_name(name), prices);
      }
    }
    own_files_.push_back(file_name);
    found_.clear();
    return {};
  } catch (const ErrorException& e) {
    return e.error();
  } catch (const YAML::Exception& e) {
    return Error(Errc::bad_config, file_name + ":" + std::to_string(e.mark.line + 1) + ": not valid YAML: " + e.msg);
  }
}

Result<void> PriceTable::add_own(const std::filesystem::path& file) {
  constexpr std::size_t kMostBytes = std::size_t{4} << 20;
  const auto text = files::read_named(file, kMostBytes);
  if (!text) return Error(Errc::bad_config, file.string() + ": cannot be read: " + text.error().message());
  return add_own(*text, file.string());
}

const ModelPrices* PriceTable::own_price(std::string_view name) const {
  const ModelPrices* out = nullptr;
  for (const auto& [listed, prices] : own_)  // in order: a longer beginning comes after a shorter one
    if (begins_with(name, listed)) out = &prices;
  return out;
}

std::optional<std::string_view> PriceTable::built_in(std::string_view name) const {
  const auto at = lines_.find(std::string(name));
  return at == lines_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::string_view> PriceTable::built_in_pattern(std::string_view name) const {
  const std::pair<std::string, std::string_view>* longest = nullptr;
  for (const auto& pattern : patterns_)
    if (name.starts_with(pattern.first) && (longest == nullptr || longest->first.size() < pattern.first.size()))
      longest = &pattern;
  return longest == nullptr ? std::nullopt : std::optional(longest->second);
}

PriceTable::Found PriceTable::search(std::string_view model) const {
  const ModelReading reading = read_model_name(model);
  for (const ModelName& name : reading.names)
    if (const ModelPrices* own = own_price(name.name)) return {*own, name.is_fast};
  if (reading.names.empty()) return {};
  if (reading.is_free) return {ModelPrices({Price()}), false};
  for (const ModelName& name : reading.names) {
    const auto line = built_in(name.name);
    if (!line) continue;
    ModelPrices prices = prices_on(*line);
    if (name.is_fast && !prices.has(PriceTier::fast)) return {};
    return {std::move(prices), name.is_fast};
  }
  // The shortest name is the one with the least that may mean another price.
  for (auto name = reading.names.rbegin(); name != reading.names.rend(); ++name)
    if (const auto line = built_in_pattern(name->name)) return {prices_on(*line), name->is_fast};
  return {};
}

const PriceTable::Found& PriceTable::find(std::string_view model) const {
  const auto at = found_.find(model);
  return at != found_.end() ? at->second : found_.emplace(std::string(model), search(model)).first->second;
}

std::optional<double> PriceTable::cost(std::string_view model, TimeMs time, const ResponseFacts& facts,
                                       const TokenUsage& tokens) const {
  const Found& found = find(model);
  if (!found.prices) return std::nullopt;
  const PriceTier tier = found.is_fast ? PriceTier::fast : price_tier(facts);
  return found.prices->cost(time, tier, tokens, facts.web_searches);
}

Pricer pricer(const PriceTable& prices) {
  return [&prices](const ResponseRow& row) { return prices.cost(row.model, row.time, row.facts, row.tokens); };
}

std::vector<PricedModel> PriceTable::models() const {
  std::vector<PricedModel> out;
  for (const auto& [name, prices] : own_as_written_)
    out.push_back({name, prices, true});
  each_line(
      [&](std::string_view key, std::string_view line) {
        out.push_back({std::string(names_of(key).front()), prices_on(line)});
      },
      [](std::string_view, std::string_view) {});
  return out;
}

std::string PriceTable::source() const {
  std::string out = source_;
  for (const std::string& file : own_files_)
    out += "; " + file;
  return out;
}

}  // namespace memd::usage
