#pragma once

#include "adapters/adapter.hpp"

// The adapters by name, one folder each; all_adapters() lists them. An adapter is made when it is first asked for and
// lives as long as the process.
namespace memd {

namespace claude_code {
const Adapter& adapter();
}
namespace cline {
const Adapter& adapter();
}
namespace codex {
const Adapter& adapter();
}
namespace cursor {
const Adapter& adapter();
}
namespace gemini {
const Adapter& adapter();
}
namespace grok {
const Adapter& adapter();
}
namespace opencode {
const Adapter& adapter();
}

// Two that read events.v1 files (docs/events-format.md). They differ in where such files stand.
namespace events_v1 {

// Events that other tools and other machines hand over: files given to `memd import`, and *.jsonl below the directories
// that the configuration names (platforms.imported.paths). Those are followed as they grow.
const Adapter& imported_adapter();

// Thunderus keeps an event log in each repository it works in: <repository>/.thunderus/**/events.jsonl. The
// configuration names the repositories (platforms.thunderus.paths): a repository, its .thunderus directory, or a log
// itself.
const Adapter& thunderus_adapter();

}  // namespace events_v1

}  // namespace memd
