#include "bench/retrieval/indexed_home.hpp"

#include "schemas/ids.hpp"
#include "store/db/database.hpp"

#include <stdexcept>

namespace memd::bench {

IndexedHome::IndexedHome(const std::filesystem::path& memd,
                         const std::function<void(const std::filesystem::path& home)>& write)
    : served_(memd, write), tool_(std::make_unique<SearchTool>(served_.socket())) {
  load();
}

void IndexedHome::load() {
  auto db = sqlite::Database::open(database(), sqlite::OpenMode::read_only);
  auto& q = db.prepare(
      "SELECT exchange_pk, uid, exchange_number, coalesce(user_message, ''), coalesce(interventions, ''),"
      " coalesce(assistant_response, ''), coalesce(tool_text, '') FROM exchanges JOIN sessions USING (session_pk)"
      " ORDER BY uid, exchange_number");
  while (q.step()) {
    std::string text;
    for (int column = 3; column < 7; ++column)
      if (!q.text(column).empty()) text += (text.empty() ? "" : "\n") + q.str(column);
    documents_.push_back({format_exchange_id(q.int64(0)), q.str(1), q.int64(2), std::move(text)});
  }
  q.reset();
}

std::vector<const Document*> IndexedHome::session(const std::string& uid) const {
  std::vector<const Document*> out;
  for (const Document& document : documents_)
    if (document.session_uid == uid) out.push_back(&document);
  if (out.empty()) throw std::runtime_error("no exchange of " + uid + " is in the store");
  return out;
}

}  // namespace memd::bench
