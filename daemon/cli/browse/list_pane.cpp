#include "daemon/cli/browse/list_pane.hpp"

#include "daemon/cli/render/views.hpp"

#include <algorithm>
#include <utility>

namespace memd::cli::browse {

void ListPane::fail(ListQuestion question) {
  *this = ListPane();
  question_ = std::move(question);
}

void ListPane::begin(ListQuestion question, tools::ListSessionsAnswer page) {
  // Keep the chosen session.
  const std::string before = chosen() != nullptr ? chosen()->session : std::string();
  fail(std::move(question));
  add(std::move(page));
  const auto same = std::ranges::find(items_, before, &Item::session);
  if (!before.empty() && same != items_.end()) chosen_ = static_cast<std::size_t>(same - items_.begin());
}

void ListPane::begin(ListQuestion question, tools::SemanticSearchAnswer page) {
  fail(std::move(question));
  add(std::move(page));
}

void ListPane::add(tools::ListSessionsAnswer page) {
  for (const tools::SessionOut& s : page.sessions)
    items_.push_back({s.session_id, "", ""});
  next_ = page.next;
  total_ = page.total;
  sessions_.push_back(std::move(page));
}

void ListPane::add(tools::SemanticSearchAnswer page) {
  for (const tools::SearchResultOut& r : page.results)
    items_.push_back({r.session_id, r.exchange_id, r.memory ? r.memory->slug : ""});
  next_ = page.next;
  total_ = static_cast<std::int64_t>(items_.size());
  hits_.push_back(std::move(page));
}

std::optional<ListQuestion> ListPane::more() const {
  constexpr std::size_t kNear = 20;  // items
  if (!question_ || !next_ || chosen_ + kNear < items_.size()) return std::nullopt;
  ListQuestion out = *question_;
  out.cursor = *next_;
  return out;
}

void ListPane::render(const Look& look, std::size_t height) {
  kept_ = KeptLines();
  height_ = height;
  Screen screen(look, kept_);
  if (!hits_.empty()) {
    HitsView view(screen);
    for (const auto& page : hits_)
      view.page(page);
  } else {
    SessionsView view(screen);
    for (const auto& page : sessions_)
      view.page(page);
  }
  chosen_ = std::min(chosen_, items_.empty() ? 0 : items_.size() - 1);
  show_chosen();
}

std::size_t ListPane::end_of(std::size_t item) const {
  return item + 1 < kept_.items.size() ? kept_.items[item + 1] : kept_.lines.size();
}

void ListPane::show_chosen() {
  if (chosen_ == 0) top_ = 0;  // also show the lines above the list
  if (chosen_ >= kept_.items.size()) return;
  const std::size_t begin = kept_.items[chosen_];
  const std::size_t end = end_of(chosen_);
  if (end > top_ + height_) top_ = end - height_;
  top_ = std::min(top_, begin);
}

bool ListPane::move(const Key& key) {
  const std::size_t last = items_.empty() ? 0 : items_.size() - 1;
  const std::size_t lines_of_item =
      std::max<std::size_t>(kept_.lines.size() / std::max<std::size_t>(items_.size(), 1), 1);
  const std::size_t page = std::max<std::size_t>(height_ / lines_of_item, 1);
  switch (key.kind) {
    // A list that goes on has no end to go around.
    case Key::Kind::up: chosen_ = chosen_ > 0 ? chosen_ - 1 : next_ ? 0 : last; break;
    case Key::Kind::down: chosen_ = chosen_ < last ? chosen_ + 1 : next_ ? last : 0; break;
    case Key::Kind::page_up: chosen_ -= std::min(chosen_, page); break;
    case Key::Kind::page_down: chosen_ = std::min(chosen_ + page, last); break;
    case Key::Kind::home: chosen_ = 0; break;
    case Key::Kind::end: chosen_ = last; break;
    default: return false;
  }
  show_chosen();
  return true;
}

bool ListPane::choose_at(std::size_t row) {
  const auto behind = std::ranges::upper_bound(kept_.items, top_ + row);
  if (behind == kept_.items.begin() || top_ + row >= kept_.lines.size()) return false;
  const auto at = static_cast<std::size_t>(behind - kept_.items.begin()) - 1;
  return std::exchange(chosen_, at) == at;
}

std::vector<Row> ListPane::rows(std::size_t height) const {
  std::vector<Row> out;
  const bool any = chosen_ < kept_.items.size();
  const std::size_t begin = any ? kept_.items[chosen_] : 0;
  std::size_t end = any ? end_of(chosen_) : 0;
  while (end > begin && kept_.lines[end - 1].empty())
    --end;
  for (std::size_t i = top_; i < std::min(top_ + height, kept_.lines.size()); ++i) {
    const bool chosen = i >= begin && i < end;
    out.push_back({Line(i == begin && any ? "> " : "  ").append(kept_.lines[i]), chosen});
  }
  return out;
}

}  // namespace memd::cli::browse
