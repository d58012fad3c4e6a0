#include "store/completions/summaries_file.hpp"

#include "schemas/hash.hpp"
#include "store/db/migrate.hpp"

#include <random>
#include <utility>

namespace memd::completions {
namespace {

std::uint64_t random_number() {
  std::random_device device;
  return (static_cast<std::uint64_t>(device()) << 32U) ^ device();
}

}  // namespace

Result<std::shared_ptr<SummariesFile>> SummariesFile::open(const std::filesystem::path& file) {
  return sqlite::guard([&] {
    auto db = sqlite::Database::open(file, sqlite::OpenMode::read_write);
    sqlite::migrate(db, summaries_migrations(), file.filename().string());
    db.prepare("INSERT OR IGNORE INTO secrets (name, value) VALUES ('marks', ?)").bind(as_sql(random_number())).run();
    auto& q = db.prepare("SELECT value FROM secrets WHERE name = 'marks'");
    q.bind();
    q.step();
    const std::uint64_t secret = from_sql(q.int64(0));
    q.reset();
    std::shared_ptr<SummariesFile> out(new SummariesFile(std::move(db)));
    out->secret_ = secret;
    return out;
  });
}

}  // namespace memd::completions
