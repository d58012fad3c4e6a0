#pragma once

#include "protocol/mcp/describe.hpp"
#include "schemas/base/result.hpp"
#include "schemas/share.hpp"
#include "store/files/scope_root.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace memd::sharing {

// The file share.json.
struct ShareFile {
  std::int64_t v = 1;
  std::string share;  // its id
  std::string project;
  bool sealed = false;
};

// A file in members/.
struct Member {
  std::int64_t v = 1;
  std::string machine;  // its id
  std::string person;
  std::string host;
  std::string public_key;
  std::string proof;  // a hash of the other fields, keyed with the invitation; empty where a share is not sealed
  bool left = false;

  // What the proof is about.
  std::string said() const {
    return machine + "\n" + person + "\n" + host + "\n" + public_key + (left ? "\nleft" : "");
  }
  // "ada@laptop"
  std::string name() const { return person + "@" + host; }
};

// The directory of a share: PLACE/PROJECT.memd. Each machine writes only files of its own name, and none changes its
// content, except for its member's file: conflicts cannot arise. Trusts nothing that it reads. A value; thread-safe.
//   share.json                  ShareFile
//   members/MACHINE.json        Member
//   keys/MACHINE/KEY.MEMBER     the key KEY of the machine's segments, in a box for the member
//   segments/MACHINE/SHA256.segment
class SharePlace {
 public:
  // Errc::invalid_argument: the project's name cannot be that of a directory.
  static Result<SharePlace> of(const std::filesystem::path& place, std::string_view project);
  // Returns the projects that are shared at a place.
  static std::vector<std::string> projects_at(const std::filesystem::path& place);

  const std::filesystem::path& directory() const { return files_.directory(); }
  // Errc::not_found: there is none, or the place is not there.
  Result<ShareFile> share() const;
  Result<void> make(const ShareFile& share) const;

  std::vector<Member> members() const;  // by id; leaves out what cannot be read
  Result<void> write(const Member& member) const;

  std::vector<std::string> keys(const std::string& machine) const;  // names: KEY.MEMBER
  Result<std::string> read_key(const std::string& machine, const std::string& name) const;
  Result<void> write_key(const std::string& machine, const std::string& name, std::string_view box) const;

  std::vector<std::string> machines() const;  // those with segments
  std::vector<std::string> segments(const std::string& machine) const;
  // Errc::store_corrupt: the content does not have this name, or not yet.
  Result<std::string> read_segment(const std::string& machine, const std::string& name) const;
  // Whether the file is there, of the size that it had.
  bool has_segment(const SharedSegmentRow& segment) const;
  Result<void> write_segment(const std::string& machine, const std::string& name, std::string_view file) const;
  Result<void> remove_segment(const std::string& machine, const std::string& name) const;

  static std::string path_of_segment(const std::string& machine, const std::string& name);

  // All files by their paths below the directory, in the order of the layout above. read() and write() refuse others.
  std::vector<std::string> paths() const;
  Result<std::string> read(const std::string& path) const;
  Result<void> write(const std::string& path, std::string_view file) const;
  Result<void> remove(const std::string& path) const;
  // Returns the machine that writes the file; empty: none, or it is no path of a share.
  static std::string machine_of(std::string_view path);
  static bool is_head(std::string_view path);  // share.json

  // The directories whose changes tell of other machines.
  std::vector<std::filesystem::path> watched() const;

 private:
  explicit SharePlace(files::ScopeRoot files) : files_(std::move(files)) {}
  files::ScopeRoot files_;
};

}  // namespace memd::sharing

MEMD_DESCRIBE(memd::sharing::ShareFile, plain<&T::v, &T::share, &T::project, &T::sealed>());
MEMD_DESCRIBE(memd::sharing::Member, plain<&T::v, &T::machine, &T::person, &T::host, &T::public_key, &T::proof>(),
              field<&T::left>());
