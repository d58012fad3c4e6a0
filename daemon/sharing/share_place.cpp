#include "daemon/sharing/share_place.hpp"

#include "daemon/sharing/segment.hpp"
#include "protocol/mcp/described_json.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/harmless.hpp"

#include <algorithm>
#include <system_error>

namespace memd::sharing {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kEnding = ".memd";
constexpr const char* kShare = "share.json";
constexpr std::size_t kMostSegment = std::size_t{256} << 20;

// Ids and names of files come from other machines.
bool is_plain_name(std::string_view name) {
  return !name.empty() && name.front() != '.' && name.find_first_of(std::string_view("/\\\0", 3)) == name.npos;
}

}  // namespace

Result<SharePlace> SharePlace::of(const fs::path& place, std::string_view project) {
  if (!is_plain_name(project))
    return Error(Errc::invalid_argument, "\"" + harmless_line(project) + "\" cannot be the name of a share");
  return SharePlace(files::ScopeRoot(place, std::string(project) + std::string(kEnding)));
}

std::vector<std::string> SharePlace::projects_at(const fs::path& place) {
  std::vector<std::string> out = files::ScopeRoot(place).names({}, kEnding);
  for (auto& name : out)
    name.resize(name.size() - kEnding.size());
  return out;
}

Result<ShareFile> SharePlace::share() const {
  MEMD_TRY_ASSIGN(const std::string text, files_.read(kShare));
  return mcp::from_json<ShareFile>(text);
}

Result<void> SharePlace::make(const ShareFile& share) const {
  return files_.create(kShare, mcp::to_json(share, mcp::Texts::as_they_are) + "\n", files::OnDisk::now);
}

std::vector<Member> SharePlace::members() const {
  std::vector<Member> out;
  for (const std::string& name : files_.names("members", ".json")) {
    const auto text = files_.read("members/" + name);
    auto member = text ? mcp::from_json<Member>(*text) : Result<Member>(text.error());
    if (member && is_plain_name(member->machine) && member->machine + ".json" == name) out.push_back(*member);
  }
  return out;
}

Result<void> SharePlace::write(const Member& member) const {
  return files_.write("members/" + member.machine + ".json", mcp::to_json(member, mcp::Texts::as_they_are) + "\n",
                      files::OnDisk::now);
}

std::vector<std::string> SharePlace::keys(const std::string& machine) const { return files_.names("keys/" + machine); }

Result<std::string> SharePlace::read_key(const std::string& machine, const std::string& name) const {
  return files_.read("keys/" + machine + "/" + name);
}

Result<void> SharePlace::write_key(const std::string& machine, const std::string& name, std::string_view box) const {
  return files_.write("keys/" + machine + "/" + name, box, files::OnDisk::now);
}

std::vector<std::string> SharePlace::machines() const {
  std::vector<std::string> out = files_.names("segments");
  std::erase_if(out, [](const std::string& name) { return !is_plain_name(name); });
  return out;
}

std::vector<std::string> SharePlace::segments(const std::string& machine) const {
  std::vector<std::string> out = files_.names("segments/" + machine, kSegmentEnding);
  std::erase_if(out, [](const std::string& name) { return !is_plain_name(name); });
  return out;
}

Result<std::string> SharePlace::read_segment(const std::string& machine, const std::string& name) const {
  MEMD_TRY_ASSIGN(std::string file, files_.read("segments/" + machine + "/" + name, kMostSegment));
  if (name_of(file) != name)
    return Error(Errc::store_corrupt, "segments/" + machine + "/" + name + ": its content has another hash");
  return file;
}

Result<void> SharePlace::write_segment(const std::string& machine, const std::string& name,
                                       std::string_view file) const {
  return files_.write("segments/" + machine + "/" + name, file, files::OnDisk::now);
}

Result<void> SharePlace::remove_segment(const std::string& machine, const std::string& name) const {
  const auto removed = files_.remove("segments/" + machine + "/" + name);
  return removed || removed.error().is(Errc::not_found) ? Result<void>() : removed;
}

std::vector<fs::path> SharePlace::watched() const {
  std::vector<fs::path> out{directory() / "members", directory() / "keys", directory() / "segments"};
  for (const char* name : {"keys", "segments"})
    for (const auto& machine : files_.names(name))
      out.push_back(directory() / name / machine);
  return out;
}

}  // namespace memd::sharing
