#pragma once

#include <string>
#include <string_view>
#include <vector>

// Names of models as agents write them. Pure; any thread.
namespace memd::usage {

// Returns a name in the form that names are compared in: lower case, with - for each dot.
std::string plain_name(std::string_view name);

// A name that a written one may mean.
struct ModelName {
  std::string name;      // plain
  bool is_fast = false;  // "-fast" was taken off it
};

struct ModelReading {
  std::vector<ModelName> names;  // closest to what was written first
  bool is_free = false;          // a variant that costs nothing
};

// Reads the name that an agent recorded: without the provider ("anthropic/", "us.anthropic.", "openrouter/openai/"),
// then step by step without date, version, context size and effort ("-20250929", "-v1:0", "[1m]", "-thinking-high"). A
// provider that is no known seller of models at their maker's prices stays in the name, and so does a size
// ("qwen3:8b"): the model may run on the user's own machine.
ModelReading read_model_name(std::string_view written);

}  // namespace memd::usage
