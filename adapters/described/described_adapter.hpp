#pragma once

#include "adapters/adapter.hpp"
#include "adapters/described/description.hpp"
#include "schemas/platform.hpp"

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace memd::described {

// The adapter of an agent that a YAML file describes. Stateless, thread-safe. A path in the configuration is a folder
// below which the files of all sources are looked for.
class DescribedAdapter final : public Adapter {
 public:
  // Of a built-in agent: the embedded file <key>.yaml, which is parsed on first use.
  explicit DescribedAdapter(Platform platform) : platform_(platform), is_built_in_(true) {}
  // Of an agent that people describe.
  DescribedAdapter(Platform platform, Description description);

  // Throws ErrorException if an embedded description is bad, which a test sees to.
  const Description& description() const;

  const AdapterDescription& describe() const override { return description().adapter; }
  Platform platform() const override { return platform_; }
  std::string_view contract_version() const override { return kContractVersion; }
  std::vector<std::filesystem::path> roots(const HomeLayout& home) const override;
  std::optional<SourceCandidate> classify(const std::filesystem::path& root,
                                          const std::filesystem::path& file) const override;
  bool looks_into(const std::filesystem::path& root, const std::filesystem::path& directory) const override;
  std::string session_uid(const SourceCandidate& source, std::string_view head) const override;
  std::unique_ptr<RecordDecoder> open(const Source& source) const override;
  std::unique_ptr<SnapshotReader> open_snapshot(const Source& source, const FileView& files) const override;
  std::optional<std::string> event_text(std::string_view record, EventKind kind, std::uint16_t block) const override;

 private:
  std::vector<std::string> roots() const;  // as written

  const Platform platform_;
  const bool is_built_in_;
  mutable std::once_flag parsed_;
  mutable Description description_;
};

// Returns the adapter of a built-in agent.
const Adapter& built_in_adapter(Platform platform);

// Returns the agent's line among the platforms. It borrows the description's texts.
PlatformInfo platform_of(const Description& agent);

// Gives a description colours that its key decides, unless it has some.
void settle_colours(Description& agent);

}  // namespace memd::described
