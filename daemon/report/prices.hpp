#pragma once

#include "schemas/event.hpp"
#include "schemas/result.hpp"

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

// The model prices from a user's file; memd has no prices of its own. Immutable after loading; owns its data. Any
// thread.
class PriceList {
 public:
  // Parses YAML: names of models or prefixes of them, each with all four prices. Errc::bad_config names file, line and
  // key.
  static Result<PriceList> load(const std::filesystem::path& file);
  static Result<PriceList> parse(std::string_view yaml, const std::string& file_name);

  bool empty() const { return prices_.empty(); }
  // Returns the cost in US dollars by the longest listed prefix of the model's name; nullopt if there is none.
  std::optional<double> cost(std::string_view model, const TokenUsage& tokens) const;

 private:
  std::map<std::string, Price, std::less<>> prices_;
};

}  // namespace memd::report
