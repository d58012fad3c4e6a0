#include "store/enrich/identifier_rows.hpp"

#include "schemas/ascii.hpp"
#include "store/read/row_filter.hpp"
#include "store/search/words/full_text_index.hpp"
#include "store/search/words/index_tokenizer.hpp"
#include "store/text/identifiers.hpp"

#include <unordered_map>

namespace memd::enrichment {

void save_identifiers(sqlite::Database& db, const std::vector<std::string>& identifiers) {
  auto& insert = db.prepare("INSERT OR IGNORE INTO identifier_parts (part, identifier) VALUES (?, ?)");
  for (const std::string& identifier : identifiers) {
    const std::string name = ascii::lowered(identifier);
    for (const std::string_view part : identifier_parts(identifier)) {
      if (part.size() < 2) continue;
      insert.bind(ascii::lowered(part), name).run();
    }
  }
}

void prune_identifiers(sqlite::Database& db) {
  search::IndexTokenizer tokenizer(db.handle());
  search::FullTextIndex index(db, "exchanges_fts");
  index.refresh();
  struct Row {
    std::string part;
    std::string identifier;
  };
  std::vector<Row> gone;
  std::unordered_map<std::string, bool> found;
  std::vector<search::Token> tokens;
  auto& q = db.prepare("SELECT part, identifier FROM identifier_parts");
  while (q.step()) {
    const auto [known, fresh] = found.try_emplace(q.str(1), false);
    if (fresh) {
      tokens.clear();
      tokenizer.tokenize(known->first, tokens);
      known->second = tokens.size() == 1 && index.count(tokens[0].stem) > 0;
    }
    if (!known->second) gone.push_back({q.str(0), known->first});
  }
  q.reset();
  for (const Row& row : gone)
    db.prepare("DELETE FROM identifier_parts WHERE part = ? AND identifier = ?").bind(row.part, row.identifier).run();
}

}  // namespace memd::enrichment
