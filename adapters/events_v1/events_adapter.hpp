#pragma once

#include "adapters/adapter.hpp"

// The two adapters that read events.v1 files (docs/events-format.md). They differ in where such files stand.
namespace memd::events_v1 {

// Events that other tools and other machines hand over: files given to `memd import`, and *.jsonl below the directories
// that the configuration names (platforms.imported.paths). Those are followed as they grow.
const Adapter& imported_adapter();

// Thunderus keeps an event log in each repository it works in: <repository>/.thunderus/**/events.jsonl. The
// configuration names the repositories (platforms.thunderus.paths): a repository, its .thunderus directory, or a log
// itself.
const Adapter& thunderus_adapter();

}  // namespace memd::events_v1
