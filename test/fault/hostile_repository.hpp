#pragma once

#include "test/support/temp_dir.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// Stands in every file outside of the repository; nothing may show it.
inline constexpr std::string_view kOutsideMarker = "outsidemarkerzebra";
// Each stands in a memory that the repository has before it turns hostile; nothing may lose them.
inline constexpr std::array<std::string_view, 3> kGoodTexts{"goodtextgiraffe", "goodtextheron", "goodtextlynx"};

// A user's home, a directory that is none of memd's business, and a repository with memories of both dialects and one
// commit.
class HostileWorld {
 public:
  HostileWorld();

  const std::filesystem::path& path() const { return dir_.path(); }
  std::filesystem::path home() const { return dir_ / "home"; }
  std::filesystem::path data() const { return dir_ / "data"; }
  std::filesystem::path repo() const { return dir_ / "repo"; }
  std::filesystem::path outside() const { return dir_ / "outside"; }
  std::filesystem::path config() const { return dir_ / "config.yaml"; }

  // Replaces what is at a path of the repository.
  void link(const std::string& path, const std::filesystem::path& target) const;
  void fifo(const std::string& path) const;
  void socket(const std::string& path) const;
  void huge(const std::string& path, std::string_view begin) const;  // 3 GiB without blocks
  void file(const std::string& path, std::string_view text) const;
  void directory(const std::string& path) const;

  // Returns the files outside of the repository and of memd's own directories, with their contents.
  std::map<std::string, std::string> outside_files() const;
  // Returns which of kGoodTexts no file of the repository has any more. Follows no link.
  std::vector<std::string_view> lost() const;
  // Returns whether a file of memd's data directory has the text.
  bool store_has(std::string_view text) const;

 private:
  struct Peaceful {};  // the world that all others are copies of
  explicit HostileWorld(Peaceful);

  std::filesystem::path fresh(const std::string& path) const;

  TempDir dir_;
};

// What a repository may do, besides holding memories.
struct HostileVariant {
  const char* name;
  void (*apply)(const HostileWorld& world);
};
const std::vector<HostileVariant>& hostile_variants();

// Lets git run a program in every way that its configuration, attributes and hooks offer. Each leaves a file
// `ran-<which>` in the directory of the world.
void make_git_hostile(const HostileWorld& world);

}  // namespace memd::test
