#include "store/reader.hpp"

#include "schemas/base/embedded.hpp"
#include "schemas/base/error.hpp"
#include "store/db/database.hpp"
#include "store/search/rank/hybrid_search.hpp"
#include "store/search/words/document_lengths.hpp"

#include <sys/stat.h>
#include <sys/types.h>

#include <algorithm>
#include <string>
#include <utility>

namespace memd {
namespace {

using FileIdentity = std::pair<dev_t, ino_t>;  // device and inode

// Returns nullopt when there is no such file.
std::optional<FileIdentity> identity_of(const std::filesystem::path& file) {
  struct stat st {};
  if (::stat(file.c_str(), &st) == 0) return FileIdentity{st.st_dev, st.st_ino};
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw ErrorException(Error::from_errno(errno, "stat", file.string()));
}

}  // namespace

Result<bool> store_is_behind(const std::filesystem::path& database) {
  return sqlite::guard([&] {
    if (!identity_of(database)) return false;
    auto db = sqlite::Database::open(database, sqlite::OpenMode::read_only);
    return db.pragma("user_version") < newest_schema_version();
  });
}

struct Reader::Connection {
  Connection(const std::filesystem::path& file, FileIdentity id, sqlite::OpenMode mode)
      : db(sqlite::Database::open(file, mode)), identity(id) {}

  sqlite::Database db;
  FileIdentity identity;
  std::unique_ptr<search::HybridSearch> search;  // created outside transactions, because it creates a temporary table
};

Reader::Reader(std::filesystem::path database, std::shared_ptr<search::SemanticIndex> semantic,
               std::shared_ptr<search::DocumentLengths> lengths)
    : database_(std::move(database)), semantic_(std::move(semantic)), lengths_(std::move(lengths)) {}
Reader Reader::in_background(std::filesystem::path database) {
  Reader out(std::move(database));
  out.in_background_ = true;
  return out;
}
Reader::~Reader() = default;
Reader::Reader(Reader&&) noexcept = default;
Reader& Reader::operator=(Reader&&) noexcept = default;

void Reader::watch(std::stop_token token) {
  stop_ = std::move(token);
  if (connection_) connection_->db.watch(stop_);
}

// Returns false if there is no store.
bool Reader::connect() {
  const auto identity = identity_of(database_);
  if (connection_ && identity != connection_->identity) {  // deleted or replaced since it was opened
    connection_.reset();
    if (lengths_) lengths_->clear();
  }
  if (connection_) return true;
  if (!identity) return false;
  const auto mode = in_background_ ? sqlite::OpenMode::read_only_in_background : sqlite::OpenMode::read_only;
  auto fresh = std::make_unique<Connection>(database_, *identity, mode);
  const auto version = fresh->db.pragma("user_version");
  if (version == 0) return false;  // the writer has created the file but not its tables yet
  sqlite::check_version(version, migrations(), "the store");
  if (version != newest_schema_version())
    throw ErrorException(Error(Errc::store_version, "the store has schema version " + std::to_string(version) +
                                                        ": start the daemon, it upgrades the store"));
  if (stop_.stop_possible()) fresh->db.watch(stop_);
  fresh->search = std::make_unique<search::HybridSearch>(fresh->db);
  connection_ = std::move(fresh);
  return true;
}

Result<void> Reader::in_snapshot(const std::function<void(Connection&)>& f) {
  return sqlite::guard([&] {
    if (stop_.stop_requested()) throw ErrorException(Error(Errc::cancelled, "cancelled"));
    if (!connect()) return;
    const sqlite::Snapshot snapshot(connection_->db);
    f(*connection_);
  });
}

Result<void> Reader::over_database(const std::function<void(sqlite::Database&)>& f) {
  return in_snapshot([&](Connection& c) { f(c.db); });
}

Result<search::SemanticState> Reader::semantic_state() {
  search::SemanticState state;
  MEMD_TRY(in_snapshot([&](Connection& c) {
    if (semantic_) state = semantic_->state(c.db);
  }));
  return state;
}

Result<search::SemanticQuestion> Reader::by_meaning(const SearchQuery& query, const std::string& text) {
  search::SemanticQuestion out;
  if (query.mode == SearchMode::lexical) return out;
  if (!semantic_) out.trouble = "no embedding model is at work here";
  if (!semantic_ || text.empty()) return out;
  auto vector = semantic_->embed(text, stop_);
  if (!vector && vector.error().code == Errc::cancelled) return std::move(vector).error();
  out.index = semantic_.get();
  if (!vector)
    out.trouble = vector.error().message();
  else if (vector->vector.empty())
    out.trouble = "the model knows none of these words";
  else
    out.vector = std::move(*vector);
  return out;
}

Result<SearchAnswer> Reader::search(const SearchQuery& query, const std::function<void()>& embedded) {
  // Embeds before the snapshot is opened, because a provider may be slow.
  std::vector<search::SemanticQuestion> questions;
  MEMD_TRY_ASSIGN(questions.emplace_back(), by_meaning(query, query.asked.meaning));
  for (const std::string& text : query.also) {
    MEMD_TRY_ASSIGN(questions.emplace_back(), by_meaning(query, text));
  }
  if (embedded) embedded();
  search::QueryLengths lengths(lengths_.get());
  SearchAnswer answer;
  MEMD_TRY(in_snapshot([&](Connection& c) {
    answer = c.search->search(query, questions, lengths);
    answer.left_out =
        static_cast<std::int64_t>(std::erase_if(answer.hits, [](const SearchHit& h) { return h.session_uid.empty(); }));
  }));
  return answer;
}

}  // namespace memd
