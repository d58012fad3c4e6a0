#include "store/db/withheld.hpp"

#include "schemas/base/error.hpp"
#include "schemas/base/hash.hpp"
#include "schemas/forgotten.hpp"
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

// The file, 0600, one fact a line (hexadecimal, decimal), replaced as a whole by each change:
//   memd withheld 1
//   key HEX                    256 random bits, drawn with the file
//   forgotten HEX              128 bits of SHA-256 over the key, a letter below and a name
//   exchange N                 exchange_pk of a forgotten exchange, which no other one gets
//   text BYTES START HEX       a forgotten text: its length, 16 bits of a keyed hash of its first eight bytes, 128 bits
//   of
//                              SHA-256 over the key, `w` and the text
//   pause FROM UNTIL           records written in this time are not ingested (kOpenEnd: no end yet)
//   unfinished                 forgotten data may still be in the store: the next start removes it
constexpr std::string_view kFirstLine = "memd withheld 1";
constexpr std::size_t kTokenDigits = 32;
constexpr char kSession = 's';   // its uid
constexpr char kSource = 'f';    // its path
constexpr char kRecord = 'r';    // its key
constexpr char kExchange = 'x';  // session and number
constexpr char kEvent = 'e';     // its key
constexpr char kPrompt = 'p';    // hash and time of its text
constexpr char kTyped = 't';     // a prompt in a list of prompts

constexpr TimeMs kAMinute = 60'000;

std::string exchange_name(std::string_view session_uid, std::int64_t number) {
  return std::string(session_uid).append("#").append(std::to_string(number));
}

std::string prompt_name(std::uint64_t text_hash, TimeMs time, std::string_view session_uid = {}) {
  return std::string(session_uid) + '/' + std::to_string(text_hash) + '@' + std::to_string(time);
}

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
    std::int64_t number = 0;
    redaction::TextToken text;
    CapturePause pause;
    words >> what;
    if (what == "key" && words >> token)
      content_.key = token;
    else if (what == "forgotten" && words >> token && token.size() == kTokenDigits)
      content_.tokens.insert(token);
    else if (what == "exchange" && words >> number)
      content_.exchange_keys.insert(number);
    else if (what == "text" && words >> text.length >> text.start >> text.digest)
      content_.texts.push_back(text);
    else if (what == "pause" && words >> pause.from >> pause.until)
      content_.pauses.push_back(pause);
    else if (what == "unfinished")
      content_.unfinished = true;
    else
      return damaged();
  }
  if (content_.key.empty()) return damaged();
  note_what_there_is();
  return {};
}

void Withheld::note_what_there_is() {
  is_empty_.store(content_.tokens.empty() && content_.pauses.empty(), std::memory_order_release);
  texts_ = std::make_shared<const redaction::ForgottenTexts>(content_.key, content_.texts);
  has_exchanges_.store(content_.tokens.contains(token(kExchange, {})), std::memory_order_release);
}

Result<void> Withheld::save() const {
  std::ostringstream out;
  out << kFirstLine << "\nkey " << content_.key << '\n';
  for (const auto& token : content_.tokens)
    out << "forgotten " << token << '\n';
  for (const auto key : content_.exchange_keys)
    out << "exchange " << key << '\n';
  for (const auto& text : content_.texts)
    out << "text " << text.length << ' ' << text.start << ' ' << text.digest << '\n';
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

bool Withheld::has(char kind, std::string_view name) const {
  const std::lock_guard lock(mutex_);
  return content_.tokens.contains(token(kind, name));
}

bool Withheld::has_exchange(std::string_view session_uid, std::int64_t number) const {
  return forgot_exchanges() && has(kExchange, exchange_name(session_uid, number));
}

bool Withheld::has_exchange_of(std::string_view session_uid) const {
  return forgot_exchanges() && has(kExchange, session_uid);
}

bool Withheld::has_event(std::uint64_t event_id) const {
  return forgot_exchanges() && has(kEvent, std::to_string(event_id));
}

std::vector<std::int64_t> Withheld::exchange_keys() const {
  const std::lock_guard lock(mutex_);
  return {content_.exchange_keys.begin(), content_.exchange_keys.end()};
}

bool Withheld::has_prompt(const ForgottenExchange::Prompt& prompt, std::string_view session_uid) const {
  if (!forgot_exchanges()) return false;
  if (session_uid.empty()) return has(kPrompt, prompt_name(prompt.text_hash, prompt.time));
  for (const TimeMs minute : {0, -1, 1})
    if (has(kTyped, prompt_name(prompt.text_hash, prompt.time / kAMinute + minute, session_uid))) return true;
  return false;
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
  note_what_there_is();
  return saved;
}

Result<void> Withheld::forget(const std::vector<std::string>& session_uids,
                              const std::vector<std::string>& source_paths,
                              const std::vector<std::uint64_t>& record_keys,
                              const std::vector<ForgottenExchange>& exchanges) {
  return change([&] {
    for (const auto& exchange : exchanges) {
      content_.exchange_keys.insert(exchange.key);
      for (const std::string& name :
           {std::string(), exchange.session_uid, exchange_name(exchange.session_uid, exchange.number)})
        content_.tokens.insert(token(kExchange, name));
      for (const auto id : exchange.event_ids)
        content_.tokens.insert(token(kEvent, std::to_string(id)));
      for (const auto& prompt : exchange.prompts) {
        content_.tokens.insert(token(kPrompt, prompt_name(prompt.text_hash, prompt.time)));
        content_.tokens.insert(
            token(kTyped, prompt_name(prompt.text_hash, prompt.time / kAMinute, exchange.session_uid)));
      }
    }
    for (const auto key : record_keys)
      content_.tokens.insert(token(kRecord, std::to_string(key)));
    for (const auto& uid : session_uids)
      content_.tokens.insert(token(kSession, uid));
    for (const auto& path : source_paths)
      content_.tokens.insert(token(kSource, path));
    content_.unfinished = true;
  });
}

std::shared_ptr<const redaction::ForgottenTexts> Withheld::texts() const {
  const std::lock_guard lock(mutex_);
  return texts_;
}

Result<void> Withheld::forget_text(std::string_view text) {
  return change([&] {
    const auto token = redaction::ForgottenTexts(content_.key).token_of(text);
    if (std::find(content_.texts.begin(), content_.texts.end(), token) == content_.texts.end())
      content_.texts.push_back(token);
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

std::shared_ptr<const redaction::ForgottenTexts> WithheldTexts::now() {
  const std::lock_guard lock(mutex_);
  std::error_code ec;
  const auto changed = fs::last_write_time(file_, ec);
  const auto bytes = ec ? 0 : fs::file_size(file_, ec);
  if (ec || (changed == changed_ && bytes == bytes_)) return texts_;
  if (const auto withheld = Withheld::open(file_)) {
    texts_ = (*withheld)->texts();
    changed_ = changed;
    bytes_ = bytes;
  }
  return texts_;
}

}  // namespace memd
