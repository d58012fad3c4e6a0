#pragma once

#include "daemon/cli/browse/prompt.hpp"
#include "daemon/cli/browse/questions.hpp"
#include "daemon/cli/render/screen.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace memd::cli::browse {

// A screen row and whether it is the chosen one.
struct Row {
  Line line;
  bool chosen = false;
};

// The list of sessions or hits, one of them chosen. Renders the lines of `memd sessions` and `memd search`. A value.
class ListPane {
 public:
  // Replaces the list with the first page of `question`.
  void begin(ListQuestion question, tools::ListSessionsAnswer page);
  void begin(ListQuestion question, tools::SemanticSearchAnswer page);
  void add(tools::ListSessionsAnswer page);
  void add(tools::SemanticSearchAnswer page);
  // Empties the list because this question could not be answered.
  void fail(ListQuestion question);
  // Marks the list as complete, without a further page.
  void end_here() { next_.reset(); }
  // Clears the question so that it is asked again.
  void forget() { question_.reset(); }

  // Chooses the item in this row of the pane, if there is one. Returns whether it was chosen before.
  bool choose_at(std::size_t row);
  bool has_more() const { return next_.has_value(); }
  bool is_one_page() const { return sessions_.size() + hits_.size() <= 1; }
  bool answers(const ListQuestion& question) const { return question_ == question; }
  // Returns the question for the next page when the chosen item is near the end.
  std::optional<ListQuestion> more() const;

  void render(const Look& look, std::size_t height);
  bool move(const Key& key);  // false: the key does not move in a list
  std::vector<Row> rows(std::size_t height) const;

  struct Item {
    std::string session;   // empty: a memory
    std::string exchange;  // id, if the item is a hit
    std::string memory;    // slug
  };
  const Item* chosen() const { return chosen_ < items_.size() ? &items_[chosen_] : nullptr; }
  std::size_t size() const { return items_.size(); }
  std::int64_t total() const { return total_; }

 private:
  void take(const tools::ListSessionsAnswer& page);
  void take(const tools::SemanticSearchAnswer& page);
  std::size_t end_of(std::size_t item) const;
  void show_chosen();

  std::optional<ListQuestion> question_;  // the question that the first page answers
  std::vector<tools::ListSessionsAnswer> sessions_;
  std::vector<tools::SemanticSearchAnswer> hits_;
  std::vector<Item> items_;
  std::optional<std::string> next_;
  std::int64_t total_ = 0;
  std::size_t chosen_ = 0;
  KeptLines kept_;
  std::size_t height_ = 1;
  std::size_t top_ = 0;  // index of the first visible line
};

}  // namespace memd::cli::browse
