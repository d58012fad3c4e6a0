#pragma once

#include <string>
#include <string_view>
#include <vector>

// Sentences in which a person says what is to be used, kept or left out. In view of their session they tell how it goes
// on; by themselves they are a decision in half the cases (docs/benchmarks.md#decisions), so nothing calls them that.
// Pure; thread-safe.
namespace memd {

bool is_direction(std::string_view sentence);

// Returns the directions of a message, each on one line. A long message is a paste and has none.
std::vector<std::string> find_directions(std::string_view message);

}  // namespace memd
