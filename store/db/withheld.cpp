#include "store/db/withheld.hpp"

#include "schemas/forgotten.hpp"
#include "schemas/hash.hpp"
#include "store/files/whole_file.hpp"

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>
#include <system_error>
#include <utility>

namespace memd {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kFirstLine = "memd withheld 1";
constexpr std::size_t kTokenDigits = 32;
constexpr char kSession = 's';
constexpr char kSource = 'f';
constexpr char kRecord = 'r';

std::string drawn_key() {
  std::random_device device;
  std::string bytes;
  for (int i = 0; i < 8; ++i) {
    const std::uint32_t n = device();
    for (int shift = 0; shift < 32; shift += 8)
      bytes += static_cast<char>(n >> shift);
  }
  return hexadecimal(bytes);
}

}  // namespace

Result<std::shared_ptr<Withheld>> Withheld::open(const fs::path& file) {
  std::shared_ptr<Withheld> out(new Withheld(file));
  MEMD_TRY(out->load());
  return out;
}

Result<void> Withheld::load() {
  std::error_code ec;
  if (!fs::exists(file_, ec)) return ec ? Result<void>(Error(ec, file_.string())) : Result<void>();
  std::ifstream in(file_, std::ios::binary);
  std::string line;
  const auto damaged = [this] {
    return Error(Errc::store_corrupt, file_.string() +
                                          " cannot be read; without it, what was forgotten comes back. "
                                          "Delete it if that is meant");
  };
  if (!std::getline(in, line) || line != kFirstLine) return damaged();
  while (std::getline(in, line)) {
    std::istringstream words(line);
    std::string what;
    std::string token;
    CapturePause pause;
    words >> what;
    if (what == "key" && words >> token)
      content_.key = token;
    else if (what == "forgotten" && words >> token && token.size() == kTokenDigits)
      content_.tokens.insert(token);
    else if (what == "pause" && words >> pause.from >> pause.until)
      content_.pauses.push_back(pause);
    else if (what == "unfinished")
      content_.unfinished = true;
    else
      return damaged();
  }
  if (content_.key.empty()) return damaged();
  note_whether_empty();
  return {};
}

void Withheld::note_whether_empty() {
  is_empty_.store(content_.tokens.empty() && content_.pauses.empty(), std::memory_order_release);
}

Result<void> Withheld::save() const {
  std::ostringstream out;
  out << kFirstLine << "\nkey " << content_.key << '\n';
  for (const auto& token : content_.tokens)
    out << "forgotten " << token << '\n';
  for (const auto& pause : content_.pauses)
    out << "pause " << pause.from << ' ' << pause.until << '\n';
  if (content_.unfinished) out << "unfinished\n";
  return files::write_whole(file_, out.str(), files::OnDisk::now);
}

std::string Withheld::token(char kind, std::string_view name) const {
  return sha256_hex(content_.key + kind + std::string(name)).substr(0, kTokenDigits);
}

bool Withheld::has_session(std::string_view uid) const {
  const std::lock_guard lock(mutex_);
  if (content_.tokens.empty() || uid.empty()) return false;
  // "<platform>:<main session>/<subagent>"
  return content_.tokens.contains(token(kSession, uid)) ||
         (uid.find('/') != std::string_view::npos &&
          content_.tokens.contains(token(kSession, uid.substr(0, uid.find('/')))));
}

std::string Withheld::alias(std::string_view session_uid) const {
  const std::lock_guard lock(mutex_);
  const auto platform = session_uid.substr(0, session_uid.find(':'));
  return std::string(platform).append(":").append(kForgottenAlias).append(token(kSession, session_uid));
}

bool Withheld::has_source(std::string_view path) const {
  const std::lock_guard lock(mutex_);
  return !content_.tokens.empty() && content_.tokens.contains(token(kSource, path));
}

bool Withheld::has_record(std::uint64_t record_key) const {
  const std::lock_guard lock(mutex_);
  return !content_.tokens.empty() && content_.tokens.contains(token(kRecord, std::to_string(record_key)));
}

bool Withheld::forgot_something() const {
  const std::lock_guard lock(mutex_);
  return !content_.tokens.empty();
}

Result<void> Withheld::change(const std::function<void()>& change) {
  const std::lock_guard lock(mutex_);
  Content before = content_;
  if (content_.key.empty()) content_.key = drawn_key();
  change();
  auto saved = save();
  if (!saved) content_ = std::move(before);
  note_whether_empty();
  return saved;
}

Result<void> Withheld::forget(const std::vector<std::string>& session_uids,
                              const std::vector<std::string>& source_paths,
                              const std::vector<std::uint64_t>& record_keys) {
  return change([&] {
    for (const auto key : record_keys)
      content_.tokens.insert(token(kRecord, std::to_string(key)));
    for (const auto& uid : session_uids)
      content_.tokens.insert(token(kSession, uid));
    for (const auto& path : source_paths)
      content_.tokens.insert(token(kSource, path));
    content_.unfinished = true;
  });
}

bool Withheld::is_unfinished() const {
  const std::lock_guard lock(mutex_);
  return content_.unfinished;
}

Result<void> Withheld::finished() {
  return change([&] { content_.unfinished = false; });
}

Result<void> Withheld::pause(TimeMs now, TimeMs until) {
  return change([&] {
    for (auto& pause : content_.pauses)
      if (pause.contains(now)) {
        pause.until = until;
        return;
      }
    content_.pauses.push_back({now, until});
  });
}

Result<void> Withheld::resume(TimeMs now) {
  return change([&] {
    for (auto& pause : content_.pauses)
      if (pause.contains(now)) pause.until = now;
  });
}

std::vector<CapturePause> Withheld::pauses() const {
  const std::lock_guard lock(mutex_);
  return content_.pauses;
}

bool Withheld::was_paused(TimeMs time) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(content_.pauses.begin(), content_.pauses.end(),
                     [time](const CapturePause& pause) { return pause.contains(time); });
}

}  // namespace memd
