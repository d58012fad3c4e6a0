#include "daemon/cli/render/screen.hpp"
#include "schemas/base/error.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

namespace memd::cli {
namespace {

// Returns the escape sequence of a style. Its colours are those of the terminal's palette, which the user has chosen to
// fit the background.
std::string_view code_of(Style style) {
  switch (style) {
    case Style::plain: return {};
    case Style::strong: return "\033[1m";
    case Style::faint: return "\033[2m";
    case Style::id: return "\033[36m";
    case Style::name: return "\033[34m";
    case Style::match: return "\033[1;33m";
    case Style::good: return "\033[32m";
    case Style::warning: return "\033[33m";
    case Style::bad: return "\033[1;31m";
  }
  return {};
}

constexpr std::string_view kReset = "\033[0m";
constexpr std::size_t kWriteAt = 64 * 1024;  // bytes

}  // namespace

Screen::Screen(Look look) : look_(std::move(look)), out_(STDOUT_FILENO) {
  std::signal(SIGPIPE, SIG_IGN);  // write() returns EPIPE instead
}

Screen::~Screen() {
  if (!finished_) (void)finish();
}

Screen& Screen::line(const Line& line) {
  if (closed_) return *this;
  if (kept_ != nullptr) {
    const bool fits = look_.columns == 0 || line.columns() <= look_.columns;
    for (Line& part : fits ? std::vector<Line>{line} : wrapped(line, look_.columns))
      kept_->lines.push_back(std::move(part));
    return *this;
  }
  std::string out;
  for (const Line::Piece& piece : line.pieces()) {
    const std::string_view code = look_.has_colour ? code_of(piece.style) : std::string_view();
    out += code;
    out += piece.text;
    if (!code.empty()) out += kReset;
  }
  out += '\n';
  const std::size_t columns = look_.is_terminal && look_.columns > 0 ? line.columns() : 0;
  rows_ += 1 + (columns > 0 ? (columns - 1) / look_.columns : 0);
  put(out);
  return *this;
}

Screen& Screen::text(const Line& line, std::size_t indent, std::size_t most) {
  const std::size_t columns = look_.columns > indent + 10 ? look_.columns - indent : look_.columns;
  for (const Line& part : wrapped(line, columns, most))
    this->line(Line(std::string(indent, ' ')).append(part));
  return *this;
}

Screen& Screen::paragraphs(std::string_view text, std::size_t indent, Style style) {
  while (text.ends_with('\n'))
    text.remove_suffix(1);
  while (!closed_) {
    const auto end = text.find('\n');
    const std::string_view one = text.substr(0, end);
    if (one.empty())
      blank();
    else
      this->text(Line(one, style), indent);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return *this;
}

void Screen::item() {
  if (kept_ != nullptr) kept_->items.push_back(kept_->lines.size());
}

Screen& Screen::as_it_is(std::string_view text) {
  rows_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  if (look_.is_terminal && look_.columns > 0) rows_ += text.size() / look_.columns;  // more than it takes, if anything
  put(text);
  return *this;
}

void Screen::put(std::string_view text) {
  if (closed_) return;
  waiting_ += text;
  if (pager_ == 0 && look_.is_terminal && !look_.pager.empty()) {
    if (rows_ < look_.rows) return;  // the output may still fit on the screen
    start_pager();
  }
  if (waiting_.size() >= kWriteAt) write_out();
}

void Screen::start_pager() {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  // The child shares the terminal and its signals, like a command of a shell pipeline.
  const pid_t child = ::fork();
  if (child < 0) {
    ::close(ends[0]);
    ::close(ends[1]);
    return;
  }
  if (child == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    std::signal(SIGPIPE, SIG_DFL);
    ::setenv("LESS", "FRX", 0);  // pass colours through, and leave output that fits on the screen there
    ::setenv("LESSCHARSET", "utf-8", 0);
    ::execl("/bin/sh", "sh", "-c", look_.pager.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(ends[0]);
  out_ = ends[1];
  pager_ = child;
  std::signal(SIGINT, SIG_IGN);  // ^C is for the pager
}

void Screen::write_out() {
  std::string_view rest = waiting_;
  while (!rest.empty() && !closed_) {
    const ssize_t n = ::write(out_, rest.data(), rest.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      closed_ = true;
      if (errno != EPIPE) failure_ = errno;
      break;
    }
    rest.remove_prefix(static_cast<std::size_t>(n));
  }
  waiting_.clear();
}

Result<void> Screen::finish() {
  if (finished_ || kept_ != nullptr) return {};
  finished_ = true;
  write_out();
  if (pager_ != 0) {
    ::close(out_);
    int status = 0;
    while (::waitpid(pager_, &status, 0) < 0 && errno == EINTR) {
    }
    std::signal(SIGINT, SIG_DFL);
    constexpr int kNoSuchProgram = 127;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNoSuchProgram)
      return Error(Errc::unavailable,
                   "the pager \"" + look_.pager + "\" cannot be started: set PAGER, or add --no-pager");
  }
  if (failure_ != 0) return Error::from_errno(failure_, "write", "standard output");
  return {};
}

}  // namespace memd::cli
