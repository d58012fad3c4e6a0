#include "daemon/serve/newest_program.hpp"

#include "daemon/version.hpp"
#include "store/files/own_executable.hpp"
#include "store/files/whole_file.hpp"

#include <fmt/format.h>

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

namespace memd {
namespace {

constexpr const char* kProgramFile = "memd.program";

bool is_trusted_program(const std::filesystem::path& program) {
  struct stat st {};
  return program.is_absolute() && ::stat(program.c_str(), &st) == 0 && S_ISREG(st.st_mode) &&
         (st.st_uid == ::geteuid() || st.st_uid == 0) && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
         ::access(program.c_str(), X_OK) == 0;
}

}  // namespace

NewestProgram newer_program(const std::filesystem::path& data_dir) {
  const auto text = files::read_whole(data_dir / kProgramFile);
  if (!text) return {};
  const auto line = text->find('\n');
  if (line == std::string::npos || !text->ends_with('\n')) return {};
  NewestProgram out{text->substr(0, line), text->substr(line + 1, text->size() - line - 2)};
  if (!is_older(version(), out.version) || !is_trusted_program(out.program)) return {};
  std::error_code ec;
  if (std::filesystem::equivalent(files::own_executable(), out.program, ec)) return {};  // since replaced by this one
  return out;
}

void note_program(const std::filesystem::path& data_dir, const std::filesystem::path& program) {
  if (!program.is_absolute() || !newer_program(data_dir).version.empty()) return;
  const std::filesystem::path file = data_dir / kProgramFile;
  const std::string text = fmt::format("{}\n{}\n", version(), program.native());
  if (const auto there = files::read_whole(file); there && *there == text) return;
  (void)files::write_whole(file, text, files::OnDisk::later);
}

}  // namespace memd
