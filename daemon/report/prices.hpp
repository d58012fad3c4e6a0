#pragma once

#include "schemas/error.hpp"
#include "schemas/event.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace memd::report {

// US dollars per million tokens.
struct Price {
  double input = 0;
  double output = 0;
  double cache_read = 0;
  double cache_creation = 0;
};

// The prices of models from a user's file. memd has no prices of its own. Immutable once read; owns what it holds.
class PriceList {
 public:
  // YAML: names of models or beginnings of them, each with all four prices. Errc::bad_config names file, line and key.
  static Result<PriceList> load(const std::filesystem::path& file);
  static Result<PriceList> parse(std::string_view yaml, const std::string& file_name);

  bool empty() const { return prices_.empty(); }
  // By the longest name in the list that the model's name begins with; nothing when there is none.
  std::optional<double> cost(std::string_view model, const TokenUsage& tokens) const;

 private:
  std::map<std::string, Price, std::less<>> prices_;
};

}  // namespace memd::report
