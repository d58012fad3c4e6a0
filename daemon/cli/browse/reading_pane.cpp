#include "daemon/cli/browse/reading_pane.hpp"

#include "daemon/cli/render/views.hpp"
#include "daemon/cli/render/words.hpp"
#include "schemas/base/ascii.hpp"

#include <algorithm>
#include <utility>

namespace memd::cli::browse {

ReadingPane::ReadingPane(Kind kind, std::string session, std::string id, const std::string& words)
    : kind_(kind), session_(std::move(session)), id_(std::move(id)), words_(words_to_mark(words)) {}

ReadingPane ReadingPane::exchange(const std::string& session, const std::string& id, const std::string& words) {
  return {Kind::exchange, session, id, words};
}

ReadingPane ReadingPane::session(const std::string& session, std::int64_t number, const std::string& words) {
  ReadingPane out(Kind::session, session, "", words);
  out.from_ = number;
  return out;
}

ReadingPane ReadingPane::memory(const std::string& slug, const std::string& words) {
  return {Kind::memory, "", slug, words};
}

std::optional<Question> ReadingPane::wanted() const {
  if (failed_) return std::nullopt;
  if (kind_ == Kind::memory) return blocks_.empty() ? std::optional<Question>(MemoryQuestion{id_}) : std::nullopt;
  if (kind_ == Kind::exchange)
    return blocks_.empty() ? std::optional<Question>(ExchangeQuestion{id_, tools_}) : std::nullopt;
  using Way = SessionQuestion::Way;
  if (blocks_.empty()) return SessionQuestion{from_end_ ? Way::last : Way::from, session_, from_, tools_};
  const std::int64_t last = blocks_.back().number;
  if (last < last_number_ && (seeking_ || stays_at_end_ || top_ + 2 * height_ >= size_))
    return SessionQuestion{Way::from, session_, last + 1, tools_};
  const std::int64_t first = blocks_.front().number;
  if (first > 0 && top_ < height_) return SessionQuestion{Way::before, session_, first, tools_};
  return std::nullopt;
}

SessionQuestion ReadingPane::newest() const {
  if (blocks_.empty()) return {SessionQuestion::Way::last, session_, 0, tools_};
  return {SessionQuestion::Way::from, session_, blocks_.back().number, tools_};
}

void ReadingPane::take(const tools::GetExchangeAnswer& answer) {
  if (answer.exchanges.empty()) return fail();
  const tools::ExchangeOut& e = answer.exchanges.front();
  session_ = e.session_id;
  title_ = e.session_name.value_or("");
  blocks_.clear();
  blocks_.push_back({answer, e.exchange_number});
  render_block(blocks_.back());
  put_together();
}

void ReadingPane::take(const tools::MemoryReadAnswer& answer) {
  if (answer.memories.empty()) return fail();
  const tools::MemoryOut& m = answer.memories.front();
  title_ = m.title;
  memory_ = m;
  blocks_.clear();
  blocks_.emplace_back();
  render_block(blocks_.back());
  put_together();
}

void ReadingPane::take(const SessionQuestion& asked, const SessionPart& part) {
  const bool was_at_end = stays_at_end_ && top_ >= bottom();
  const std::size_t lines_before = size_;
  title_ = part.title;
  last_number_ = part.last_number;
  const bool before = asked.way == SessionQuestion::Way::before;
  if (part.exchanges.exchanges.empty()) return fail();
  std::deque<Block> blocks;
  for (const tools::ExchangeOut& e : part.exchanges.exchanges) {
    Block block;
    block.answer.exchanges = {e};
    block.number = e.exchange_number;
    render_block(block);
    blocks.push_back(std::move(block));
  }
  if (asked.way == SessionQuestion::Way::last) blocks_.clear();
  if (before) {
    blocks_.insert(blocks_.begin(), std::make_move_iterator(blocks.begin()), std::make_move_iterator(blocks.end()));
  } else {
    while (!blocks_.empty() && blocks_.back().number >= blocks.front().number)
      blocks_.pop_back();
    blocks_.insert(blocks_.end(), std::make_move_iterator(blocks.begin()), std::make_move_iterator(blocks.end()));
  }
  put_together();
  if (before) top_ += size_ - lines_before;
  if (before && match_ != kNoMatch) match_ += size_ - lines_before;
  if (was_at_end || (from_end_ && asked.way == SessionQuestion::Way::last)) top_ = bottom();
  if (seeking_) next_match();
}

void ReadingPane::render_block(Block& block) const {
  KeptLines kept;
  Screen screen(look_, kept);
  if (kind_ == Kind::memory) {
    screen.text(Line(memory_->title, Style::strong));
    screen.text(Line(memory_->type + "  ·  " + memory_->scope + "  ·  " + short_path(memory_->path), Style::faint));
    screen.blank().paragraphs(memory_->text.value_or(""));
  } else {
    ExchangesView(screen).page(block.answer);
    if (kind_ == Kind::session) screen.blank().blank();
  }
  block.lines.clear();
  block.matches.clear();
  for (const Line& line : kept.lines) {
    bool found = false;
    block.lines.push_back(with_words(line, words_, found));
    if (found) block.matches.push_back(block.lines.size() - 1);
  }
}

void ReadingPane::put_together() {
  size_ = 0;
  matches_.clear();
  for (Block& block : blocks_) {
    block.first = size_;
    for (const std::size_t line : block.matches)
      matches_.push_back(size_ + line);
    size_ += block.lines.size();
  }
  top_ = std::min(top_, bottom());
}

void ReadingPane::render(const Look& look, std::size_t height) {
  height_ = height;
  const bool same = look.columns == look_.columns && !blocks_.empty();
  look_ = look;
  if (same) {
    top_ = std::min(top_, bottom());
    return;
  }
  // Keep the line at the top.
  const bool at_end = stays_at_end_ && top_ >= bottom();
  const Block* top = at_line(top_);
  const std::size_t within = top == nullptr ? 0 : top_ - top->first;
  for (Block& block : blocks_)
    render_block(block);
  put_together();
  match_ = kNoMatch;
  if (top != nullptr) top_ = std::min(top->first + std::min(within, top->lines.size()), bottom());
  if (at_end) top_ = bottom();
}

const ReadingPane::Block* ReadingPane::at_line(std::size_t line) const {
  const auto behind = std::ranges::upper_bound(blocks_, line, {}, &Block::first);
  return behind == blocks_.begin() ? nullptr : &*std::prev(behind);
}

std::size_t ReadingPane::bottom() const { return size_ > height_ ? size_ - height_ : 0; }

bool ReadingPane::move(const Key& key) {
  const std::size_t page = height_ > 2 ? height_ - 2 : 1;
  failed_ = failed_ && blocks_.empty();
  seeking_ = false;
  switch (key.kind) {
    case Key::Kind::up: top_ -= top_ > 0 ? 1 : 0; break;
    case Key::Kind::down: top_ = std::min(top_ + 1, bottom()); break;
    case Key::Kind::page_up: top_ -= std::min(top_, page); break;
    case Key::Kind::page_down: top_ = std::min(top_ + page, bottom()); break;
    case Key::Kind::home:
      if (is_session() && !blocks_.empty() && blocks_.front().number > 0) {
        from_ = 0;
        from_end_ = false;
        blocks_.clear();
        put_together();
      }
      top_ = 0;
      break;
    case Key::Kind::end: go_to_end(); return true;
    default: return false;
  }
  stays_at_end_ = stays_at_end_ && top_ >= bottom();
  return true;
}

void ReadingPane::go_to_end() {
  stays_at_end_ = is_session();
  if (is_session() && (blocks_.empty() || blocks_.back().number < last_number_)) {
    from_end_ = true;
    blocks_.clear();
    put_together();
  }
  top_ = bottom();
}

void ReadingPane::show_tools(bool on) {
  if (tools_ == on || kind_ == Kind::memory) return;
  from_ = number_here();
  from_end_ = stays_at_end_;
  tools_ = on;
  blocks_.clear();
  put_together();
}

void ReadingPane::stand_out(const std::string& phrase) {
  words_.clear();
  if (!phrase.empty()) words_.push_back(ascii::lowered(phrase));
  for (Block& block : blocks_)
    render_block(block);
  put_together();
  match_ = kNoMatch;
}

void ReadingPane::show_line(std::size_t line) {
  constexpr std::size_t kAbove = 2;  // lines above a match
  match_ = line;
  seeking_ = false;
  if (line < top_ || line >= top_ + height_) top_ = std::min(line - std::min(line, kAbove), bottom());
  stays_at_end_ = stays_at_end_ && top_ >= bottom();
}

bool ReadingPane::next_match() {
  const std::size_t from = match_ == kNoMatch || match_ < top_ || match_ >= top_ + height_ ? top_ : match_ + 1;
  const auto found = std::ranges::lower_bound(matches_, from);
  if (found != matches_.end()) {
    show_line(*found);
    return true;
  }
  seeking_ = is_session() && !words_.empty() && !failed_ && !blocks_.empty() && blocks_.back().number < last_number_;
  if (seeking_ || matches_.empty()) return false;
  show_line(matches_.front());
  return true;
}

bool ReadingPane::previous_match() {
  const std::size_t before = match_ == kNoMatch || match_ < top_ || match_ >= top_ + height_ ? top_ : match_;
  const auto found = std::ranges::lower_bound(matches_, before);
  if (matches_.empty()) return false;
  show_line(found == matches_.begin() ? matches_.back() : *std::prev(found));
  return true;
}

std::string ReadingPane::id_here() const {
  const Block* block = at_line(top_);
  if (kind_ != Kind::session || block == nullptr) return id_;
  return block->answer.exchanges.front().exchange_id;
}

std::int64_t ReadingPane::number_here() const {
  const Block* block = at_line(top_);
  return block == nullptr ? from_ : block->number;
}

std::string ReadingPane::position() const {
  if (size_ == 0) return {};
  std::string out =
      is_session() ? "turn " + std::to_string(number_here()) + " of " + std::to_string(last_number_) + "  " : "";
  out += std::to_string(size_ <= height_ ? 100 : (std::min(top_ + height_, size_) * 100 / size_)) + "%";
  if (const auto at = std::ranges::find(matches_, match_); at != matches_.end()) {
    const bool whole = !is_session() || (blocks_.front().number == 0 && blocks_.back().number >= last_number_);
    out += "  match " + std::to_string(at - matches_.begin() + 1) + " of " + std::to_string(matches_.size());
    if (!whole) out += " so far";
  }
  return out;
}

std::vector<Row> ReadingPane::rows(std::size_t height) const {
  std::vector<Row> out;
  for (std::size_t i = top_; i < std::min(top_ + height, size_); ++i) {
    const Block* block = at_line(i);
    out.push_back({block->lines[i - block->first], i == match_});
  }
  return out;
}

}  // namespace memd::cli::browse
