#include "bench/synthetic/work_history.hpp"

#include "schemas/ids.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <unordered_set>

namespace memd::bench {

namespace {

// Roughly by frequency.
constexpr const char* kCommonWords =
    "the to and a of in is it that for this i we on with be are as not you if or from have can use file so but by was "
    "at do an will now code there need which error all test has when one run let check add then me what its they just "
    "should no up set new also would how out only fix some change into get line make more like see does first about "
    "same two using here function my your where why could because still than other after before these value call them "
    "used been any try did work right each way read write build default case path name type data same find look good "
    "return list start command update show before project server config key output version branch commit request "
    "test tests files failing fails failed wrong problem issue bug change changes class method string number null "
    "api database query table index user users session token login cache memory thread process time date log logs "
    "message messages response page module package install dependency import export option options flag argument "
    "parameter parse parser schema migration model view controller component render state event handler callback "
    "async await promise timeout retry connection socket port host client docker container image deploy pipeline "
    "release merge conflict rebase push pull review comment documentation readme example implement implementation "
    "refactor rename remove delete move copy create insert select update join column row field record object array "
    "map vector loop iterate recursive pointer reference leak crash segfault exception throw catch stack trace "
    "warning lint format style typescript python rust golang java javascript react node npm cargo cmake gcc clang "
    "compile compiler linker library header source target binary script shell bash terminal environment variable "
    "secret password permission access role admin auth oauth certificate encrypt hash signature validate validation "
    "input form button layout color theme css html json yaml toml xml csv regex pattern match replace split trim "
    "encode decode unicode utf byte buffer stream chunk batch queue worker job schedule cron trigger hook plugin "
    "feature toggle metric monitor alert dashboard latency throughput performance benchmark profile optimize slow "
    "fast limit quota rate backoff lock mutex deadlock race transaction rollback isolation replica shard partition "
    "backup restore snapshot archive compress storage disk bucket upload download sync mirror proxy router route "
    "endpoint header cookie redirect status code payload body webhook websocket grpc protocol packet network dns "
    "please okay sure great thanks actually maybe probably instead already again however therefore since while though "
    "think want know going done looks seems means makes sure every both between against through during without";

constexpr std::array kOnsets{"b",  "br", "c", "cl", "cr", "d", "dr", "f",  "fl", "fr", "g",  "gl", "gr", "h",
                             "j",  "k",  "l", "m",  "n",  "p", "pl", "pr", "qu", "r",  "s",  "sc", "sh", "sl",
                             "sp", "st", "t", "tr", "th", "v", "w",  "z",  "",   "ch", "ph", "sk"};
constexpr std::array kNuclei{"a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "oa", "ou", "au"};
constexpr std::array kCodas{"",  "b",  "ck", "d",  "ft", "g",  "l",  "ll", "m", "mp", "n", "nd", "ng", "nt", "p",
                            "r", "rd", "rk", "rt", "s",  "sk", "ss", "st", "t", "x",  "z", "",   "n",  "r",  "l"};
constexpr std::array kWordEndings{"s", "ed", "ing", "er", "ment", "able", "ly", "ation", "ness", "ize", "al", "ive"};

template <std::size_t N>
const char* any(Random& random, const std::array<const char*, N>& of) {
  return of[below(random, N)];
}

}  // namespace

Lexicon::Lexicon(std::uint64_t seed, std::size_t words) {
  Random random(seed);
  make_words(random, words);
  weigh();
}

void Lexicon::make_words(Random& random, std::size_t count) {
  std::unordered_set<std::string> known;
  const auto take = [&](const std::string& word) {
    if (words_.size() < count && word.size() > 1 && known.insert(word).second) words_.push_back(word);
  };
  std::istringstream common(kCommonWords);
  for (std::string word; common >> word;)
    take(word);
  while (words_.size() < count) {
    std::string stem;
    for (std::size_t n = 1 + below(random, 3); n > 0; --n)
      stem.append(any(random, kOnsets)).append(any(random, kNuclei)).append(any(random, kCodas));
    take(stem);
    for (std::size_t n = below(random, 4); n > 0; --n)
      take(stem + any(random, kWordEndings));
  }
}

// Vose's alias method.
void Lexicon::weigh() {
  const std::size_t n = words_.size();
  std::vector<double> share(n);
  double total = 0;
  for (std::size_t rank = 0; rank < n; ++rank)
    total += share[rank] = std::pow(static_cast<double>(rank) + 3.7, -1.05);
  slots_.resize(n);
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::size_t i = 0; i < n; ++i) {
    share[i] *= static_cast<double>(n) / total;
    (share[i] < 1 ? small : large).push_back(static_cast<std::uint32_t>(i));
  }
  while (!small.empty() && !large.empty()) {
    const std::uint32_t less = small.back();
    const std::uint32_t more = large.back();
    small.pop_back();
    slots_[less] = {share[less], more};
    share[more] -= 1 - share[less];
    if (share[more] >= 1) continue;
    large.pop_back();
    small.push_back(more);
  }
}

const std::string& Lexicon::draw(Random& random) const {
  const std::size_t at = below(random, slots_.size());
  return words_[uniform(random) < slots_[at].keep ? at : slots_[at].other];
}

const std::string& Lexicon::uncommon(Random& random, std::size_t ranks) const {
  const double low = std::log(static_cast<double>(ranks));
  const double high = std::log(static_cast<double>(words_.size()));
  const auto rank = static_cast<std::size_t>(std::exp(low + (high - low) * uniform(random)));
  return words_[std::min(rank, words_.size() - 1)];
}

namespace {

constexpr std::size_t kProjects = 60;
constexpr std::size_t kPlainWords = 400;  // the most frequent words, excluded from subjects
constexpr std::array kEndings{".cpp", ".hpp", ".ts", ".tsx", ".py", ".go", ".rs", ".md", ".sql", ".yaml"};
constexpr std::array kFolders{"src", "lib", "test", "tests", "docs", "api", "core", "internal", "web", "scripts"};
constexpr std::array kCommands{"git diff ", "ninja -C build ", "grep -rn ", "pytest -q ",
                               "npm test ", "cargo check ",    "ls -la "};
constexpr std::array kTools{"Bash", "Bash", "Bash", "Read", "Read", "Read", "Edit", "Edit", "Grep", "Write", "Task"};
constexpr std::array kPlatforms{Platform::claude_code, Platform::claude_code, Platform::claude_code,
                                Platform::codex,       Platform::cursor,      Platform::gemini};
constexpr std::array kErrors{"error: undefined reference to ",    "TypeError: cannot read property of ",
                             "panic: index out of range in ",     "AssertionError: expected ",
                             "error[E0382]: use of moved value ", "fatal: not a valid object name "};

template <class T, std::size_t N>
const T& any(Random& random, const std::array<T, N>& of) {
  return of[below(random, N)];
}

// Draws an index that favours the first ones: busy projects, favourite files.
std::size_t favourite(Random& random, std::size_t count) {
  const double u = uniform(random);
  return static_cast<std::size_t>(u * u * u * static_cast<double>(count));
}

}  // namespace

WorkHistory::WorkHistory(std::uint64_t seed) : random_(seed), lexicon_(seed + 1) {
  for (std::size_t i = 0; i < kProjects; ++i)
    make_project();
}

std::string WorkHistory::identifier() {
  const std::size_t style = below(random_, 10);
  std::string out;
  for (std::size_t n = 2 + below(random_, 2), i = 0; i < n; ++i) {
    std::string word =
        below(random_, 2) == 0 ? lexicon_.common(random_, kPlainWords) : lexicon_.uncommon(random_, kPlainWords);
    if (style < 4) {
      out.append(i == 0 ? "" : "_").append(word);
    } else if (style == 4) {
      out.append(i == 0 ? "" : "::").append(word);
    } else {
      if (i > 0 || style < 7) word[0] = static_cast<char>(word[0] - 'a' + 'A');
      out += word;
    }
  }
  return out;
}

void WorkHistory::make_project() {
  Project p;
  p.root = "/home/ada/work/" + lexicon_.uncommon(random_, kPlainWords) + "-" + lexicon_.common(random_, kPlainWords);
  for (int i = 0; i < 800; ++i)
    p.identifiers.push_back(identifier());
  for (int i = 0; i < 600; ++i)
    p.files.push_back(p.root + "/" + any(random_, kFolders) + "/" + lexicon_.uncommon(random_, 100) + "/" +
                      (below(random_, 2) == 0 ? identifier() : lexicon_.uncommon(random_, 100)) +
                      any(random_, kEndings));
  projects_.push_back(std::move(p));
}

std::size_t WorkHistory::length(double mean_log, double deviation, std::size_t most) {
  const double value = std::lognormal_distribution<double>(mean_log, deviation)(random_);
  return std::clamp<std::size_t>(static_cast<std::size_t>(value), 3, most);
}

std::size_t WorkHistory::usual_length() { return length(3.0, 0.9, 400); }

const std::string& WorkHistory::identifier_of(const Project& p, const Subject& s) {
  return p.identifiers[s.identifiers[favourite(random_, s.identifiers.size())]];
}

const std::string& WorkHistory::file_of(const Project& p, const Subject& s) {
  return p.files[s.files[favourite(random_, s.files.size())]];
}

std::string WorkHistory::prose(const Project& p, const Subject& s, std::size_t words) {
  std::string out;
  std::size_t to_end = 6 + below(random_, 12);
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t dice = below(random_, 1000);
    if (dice < 150)
      out += s.words[favourite(random_, s.words.size())];
    else if (dice < 175)
      out.append("`").append(identifier_of(p, s)).append("`");
    else if (dice < 183)
      out.append(file_of(p, s), p.root.size() + 1);
    else if (dice < 190)
      out += std::to_string(below(random_, 100'000));
    else
      out += lexicon_.draw(random_);
    if (--to_end == 0) {
      out += ".\n";
      to_end = 6 + below(random_, 12);
    } else {
      out += ' ';
    }
  }
  return out;
}

std::string WorkHistory::trace(const Project& p, const Subject& s) {
  std::string out = "Traceback (most recent call last):\n";
  for (std::size_t n = 3 + below(random_, 8); n > 0; --n)
    out += "  File \"" + file_of(p, s) + "\", line " + std::to_string(below(random_, 900)) + ", in " +
           identifier_of(p, s) + "\n";
  return out + any(random_, kErrors) + identifier_of(p, s) + "\n";
}

Event& WorkHistory::add(SourceSlice& slice, EventKind kind, Role role) {
  Event& e = slice.batch.events.emplace_back();
  e.session_uid = slice.source.session_uid;
  e.event_id = random_();
  e.time = time_ += static_cast<TimeMs>(500 + below(random_, 20'000));
  e.kind = kind;
  e.role = role;
  e.cwd = cwd_;
  e.git_branch = "main";
  e.raw = {slice.source.size, static_cast<std::uint32_t>(300 + below(random_, 2'000)), 0};
  slice.source.size += e.raw.length + 1;
  slice.batch.cover("record", Disposition::indexed, "", e.raw.length + 1);
  return e;
}

void WorkHistory::tool_use(SourceSlice& slice, const Project& p, const Subject& s) {
  const std::string tool = any(random_, kTools);
  const std::string call_id = "toolu_" + std::to_string(random_());
  const std::string& file = file_of(p, s);
  Event& call = add(slice, EventKind::tool_call, Role::assistant);
  call.tool = tool;
  call.call_id = call_id;
  call.input_hash = random_();
  if (tool == "Bash" || tool == "Grep") {
    call.summary = any(random_, kCommands) + (below(random_, 2) == 0 ? file : identifier_of(p, s));
  } else if (tool == "Task") {
    call.summary = prose(p, s, 6);
  } else {
    call.summary = file;
    const bool changes = tool != "Read";
    call.files.push_back({file, changes ? FileAccess::modified : FileAccess::read, changes ? 4 : 0, changes ? 2 : 0});
  }
  call.search_text = call.summary;
  call.response_key = random_();
  call.usage = {6, 135, 24'000, 1'200};

  Event& result = add(slice, EventKind::tool_result, Role::tool);
  result.tool = tool;
  result.call_id = call_id;
  result.is_error = below(random_, 12) == 0;
  result.text = result.is_error ? trace(p, s) : prose(p, s, length(2.5, 0.8, 60));
}

void WorkHistory::exchange(SourceSlice& slice, const Project& p, const Subject& s) {
  Event& prompt = add(slice, EventKind::user_msg, Role::user);
  prompt.origin = Origin::typed;
  prompt.starts_exchange = true;
  prompt.text = prose(p, s, length(2.9, 0.9, 600));
  if (below(random_, 30) == 0) prompt.text += "\n" + trace(p, s);
  constexpr std::array<std::size_t, 10> kCalls{0, 0, 0, 0, 1, 1, 1, 2, 3, 6};
  for (std::size_t n = any(random_, kCalls); n > 0; --n)
    tool_use(slice, p, s);
  Event& answer = add(slice, EventKind::assistant_msg, Role::assistant);
  answer.text = prose(p, s, length(4.1, 0.9, 1'200));
  answer.model = "claude-opus-4-6";
  answer.response_key = random_();
  answer.usage = {6, 240, 24'000, 1'200};
  time_ += static_cast<TimeMs>(20'000 + below(random_, 400'000));
}

SourceSlice WorkHistory::session(std::size_t exchanges) {
  const Project& p = projects_[favourite(random_, projects_.size())];
  Subject subject;
  for (int i = 0; i < 50; ++i)
    subject.words.push_back(lexicon_.uncommon(random_, kPlainWords));
  for (int i = 0; i < 25; ++i)
    subject.identifiers.push_back(favourite(random_, p.identifiers.size()));
  for (int i = 0; i < 15; ++i)
    subject.files.push_back(favourite(random_, p.files.size()));

  // A million exchanges take three years; sessions of several projects overlap.
  start_ += static_cast<TimeMs>(below(random_, 5'600'000));
  time_ = start_;
  cwd_ = p.root;
  SourceSlice slice;
  const std::string native = "made-up-" + std::to_string(++sessions_);
  Source& source = slice.source;
  source.platform = any(random_, kPlatforms);
  source.path = "/home/ada/.history/" + native + ".jsonl";
  source.session_uid = make_session_uid(source.platform, native);
  source.identity = {1, sessions_, random_(), kHeadBytes};
  slice.adapter_version = "synthetic/1";
  slice.caught_up = true;
  SessionUpdate& update = slice.batch.sessions.emplace_back();
  update.session_uid = source.session_uid;
  update.platform = source.platform;
  update.native_id = native;
  update.title = prose(p, subject, 5);
  std::replace(update.title.begin(), update.title.end(), '\n', ' ');
  update.title_rank = TitleRank::ai;
  update.time = start_;
  for (std::size_t i = 0; i < exchanges; ++i)
    exchange(slice, p, subject);
  source.cursor = source.size;
  source.mtime = time_;
  return slice;
}

}  // namespace memd::bench
