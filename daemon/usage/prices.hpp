#pragma once

#include "schemas/base/result.hpp"
#include "schemas/usage.hpp"
#include "store/read/usage.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memd::usage {

// What is charged besides the standard price: a mode that answers sooner, or one that may wait. Priority counts as
// fast.
enum class PriceTier : std::uint8_t { standard, fast, flex, batch };
std::string_view to_string(PriceTier tier);
PriceTier price_tier(const ResponseFacts& facts);

// A price of a model, and what it is the price of. US dollars per million tokens.
struct Price {
  std::string from;                            // "2026-08-21", a day in UTC; empty: always
  std::optional<std::pair<int, int>> hours{};  // minutes of the day in UTC, the end excluded; may pass midnight
  PriceTier tier = PriceTier::standard;
  std::int64_t above = 0;  // for prompts of more tokens than this
  double input = 0;
  double output = 0;
  double cache_read = 0;
  double cache_creation = 0;     // kept for five minutes
  double cache_creation_1h = 0;  // kept for an hour
  double web_search = 0;         // for a thousand searches
};

// The prices of one model. The last one that fits a response is its price.
class ModelPrices {
 public:
  explicit ModelPrices(std::vector<Price> prices);
  const std::vector<Price>& all() const { return prices_; }
  bool has(PriceTier tier) const;
  // Returns the cost in US dollars; nullopt when no price fits, as before the first one. A tier without a price of its
  // own costs what the standard one does.
  std::optional<double> cost(TimeMs time, PriceTier tier, const TokenUsage& tokens, std::int64_t web_searches) const;

 private:
  std::vector<Price> prices_;
  std::vector<TimeMs> from_;  // of each price
};

// A model of a table, for showing it.
struct PricedModel {
  std::string name;
  ModelPrices prices;
  bool is_own = false;  // from the user's file
};

// What models cost: the built-in table (daemon/usage/prices.yaml), and the user's own prices before it. A model that
// neither lists has no price, rather than none to pay. Reads a model's prices when it is first asked for, and keeps
// them: one thread.
class PriceTable {
 public:
  PriceTable();  // the built-in table alone
  // Adds a file in the same form. Its names also stand for longer names: "claude-opus" for "claude-opus-4-6".
  // Errc::bad_config names file, line and key.
  Result<void> add_own(const std::filesystem::path& file);
  Result<void> add_own(std::string_view yaml, const std::string& file_name);

  // Returns the cost in US dollars; nullopt: the model has no known price.
  std::optional<double> cost(std::string_view model, TimeMs time, const ResponseFacts& facts,
                             const TokenUsage& tokens) const;

  std::vector<PricedModel> models() const;    // own ones first
  std::string date() const { return date_; }  // of the built-in table
  std::string source() const;                 // its origin, and the user's files

 private:
  struct Found {
    std::optional<ModelPrices> prices;  // nullopt: unknown
    bool is_fast = false;               // by the model's name
  };
  const Found& find(std::string_view model) const;
  Found search(std::string_view model) const;
  const ModelPrices* own_price(std::string_view name) const;
  std::optional<std::string_view> built_in(std::string_view name) const;
  std::optional<std::string_view> built_in_pattern(std::string_view name) const;

  std::map<std::string, ModelPrices, std::less<>> own_;  // by plain name
  std::vector<std::pair<std::string, ModelPrices>> own_as_written_;
  std::vector<std::string> own_files_;
  std::unordered_map<std::string, std::string_view> lines_;         // plain name to the line of the table
  std::vector<std::pair<std::string, std::string_view>> patterns_;  // beginnings of names
  std::string date_;
  std::string source_;
  mutable std::map<std::string, Found, std::less<>> found_;
};

// Prices single responses by their own time and size. Borrows the table.
Pricer pricer(const PriceTable& prices);

}  // namespace memd::usage
