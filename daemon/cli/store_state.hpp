#pragma once

#include <array>
#include <cstdint>
#include <filesystem>

namespace memd::cli {

// The size and time of the store's files: other ones after each commit, whoever makes it. Any thread.
using StoreState = std::array<std::int64_t, 4>;
StoreState store_state(const std::filesystem::path& database);

}  // namespace memd::cli
