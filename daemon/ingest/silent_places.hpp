#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace memd {

// The file system that a path is on.
struct FileSystem {
  std::uint64_t device = 0;  // 0: it cannot be told
  std::string silent;        // its name, if files on it may change without an event of inotify: "nfs"; else empty
};
using FindFileSystem = std::function<FileSystem(const std::filesystem::path&)>;
FileSystem file_system_of(const std::filesystem::path& path);

// The places below the agents' roots whose files may change without an event, and when each is to be looked at. A place
// is silent because of its file system, or because a look found a change that no event had told. A place that stays
// quiet is looked at ever more rarely. Without a silent place nothing is due. One thread.
class SilentPlaces {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::milliseconds;
  struct Pauses {
    Duration first{std::chrono::seconds(5)};    // after a change; doubles with each look that finds none
    Duration longest{std::chrono::minutes(2)};  // unless looks take long
    int times = 20;                             // a pause is at least so many times the look before it
    int quiet_looks = 720;                      // after which a place is no longer silent, if its file system is not
  };

  SilentPlaces(std::vector<std::filesystem::path> roots, FindFileSystem file_system, Pauses pauses)
      : roots_(std::move(roots)), file_system_(std::move(file_system)), pauses_(pauses) {}

  // Judges the file systems of the roots. Call at each look at everything.
  void look_at_roots(Time now);
  // Judges the file system of a source that was looked at. Cheap for a known device.
  void saw(const std::string& source, std::uint64_t device, Time now);
  // A look at the source found a change that no event had told.
  void found_untold(const std::string& source, Time now);
  // The same for a change of any age in a place that is silent already.
  void found(const std::string& source, Time now);

  std::vector<std::string> take_due(Time now);  // places to look at
  void looked_at(const std::string& place, Time now, std::chrono::nanoseconds took);
  std::optional<Time> next() const;

  struct Description {
    std::string place;
    std::string why;  // "nfs", "changes without events"
    std::chrono::seconds pause{0};
  };
  std::vector<Description> describe() const;

 private:
  struct Place {
    std::string why;
    bool by_experience = false;
    Duration pause{0};
    Time due{};
    int quiet_looks = 0;
  };
  const std::filesystem::path* root_of(const std::filesystem::path& path) const;
  Place* place_of(const std::filesystem::path& path);
  void add(const std::filesystem::path& place, std::string why, bool by_experience, Time now);

  const std::vector<std::filesystem::path> roots_;
  const FindFileSystem file_system_;
  const Pauses pauses_;
  std::map<std::uint64_t, std::string> devices_;  // device → FileSystem::silent
  std::map<std::string, Place> places_;
};

}  // namespace memd
