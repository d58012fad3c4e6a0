#pragma once

#include "daemon/cli/command.hpp"
#include "schemas/error.hpp"
#include "store/memory/memory_directory.hpp"
#include "store/memory/memory_places.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the commands of `memd memory` share. One thread.
namespace memd::cli {

struct MemoryOptions {
  std::string slug;
  std::string other;
  std::optional<std::string> label;
  std::optional<std::string> type;
  std::optional<std::string> title;
  std::optional<std::string> tags;
  std::optional<std::string> scope;
  std::optional<std::string> dialect;
  std::optional<std::string> from;
  std::string file;
  // Of those that make memories from history.
  bool dry_run = false;
  bool force = false;
  bool mark = false;
  bool ok = false;
  bool links = false;
  bool write = false;
  std::optional<std::int64_t> days;
  std::optional<std::int64_t> count;
  std::optional<std::string> accept;
};
using Options = std::shared_ptr<MemoryOptions>;
using MemoryRun = std::function<Result<int>(const MemoryOptions&, const Invocation&)>;

memory::MemoryPlaces places_of(const Settings& settings);
// Where a new memory goes.
Result<memory::MemoryPlace> place_for_new(const MemoryOptions& o, const Settings& s,
                                          const memory::MemoryPlaces& places);
// The memory of this slug with the highest precedence.
Result<std::pair<memory::MemoryPlace, memory::ReadMemory>> find(const MemoryOptions& o,
                                                                const memory::MemoryPlaces& places,
                                                                const std::string& slug);
// The same, in a place that memd may write to.
Result<std::pair<memory::MemoryPlace, memory::ReadMemory>> find_to_write(const MemoryOptions& o,
                                                                         const memory::MemoryPlaces& places,
                                                                         const std::string& slug);
void print_written(const Invocation& call, const Memory& m, std::string_view done, bool masked);
Command memory_subcommand(std::string name, std::string help, const Options& o, std::vector<Option> options,
                          MemoryRun run);

// promote, suggest, recap, verify.
std::vector<Command> memory_history_commands(const Options& o);

}  // namespace memd::cli
