// The only source that includes ncurses.
#include "daemon/cli/browse/terminal.hpp"
#include "schemas/base/error.hpp"
#include "schemas/base/utf8.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <clocale>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cwchar>
#include <string>
#include <utility>

#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS 1
#include <ncurses.h>
#include <term.h>
#undef columns  // names of ours
#undef lines

namespace memd::cli::browse {
namespace {

// Sets a UTF-8 locale: ncurses takes the width of a character from the locale, as columns.cpp does.
void use_utf8() {
  if (std::setlocale(LC_CTYPE, "C.UTF-8") == nullptr) std::setlocale(LC_CTYPE, "en_US.UTF-8");
}

constexpr short kCyan = 1;
constexpr short kBlue = 2;
constexpr short kYellow = 3;
constexpr short kGreen = 4;
constexpr short kRed = 5;

void begin_colours() {
  ::start_color();
  ::use_default_colors();
  constexpr short kDefault = -1;
  ::init_pair(kCyan, COLOR_CYAN, kDefault);
  ::init_pair(kBlue, COLOR_BLUE, kDefault);
  ::init_pair(kYellow, COLOR_YELLOW, kDefault);
  ::init_pair(kGreen, COLOR_GREEN, kDefault);
  ::init_pair(kRed, COLOR_RED, kDefault);
}

attr_t attribute_of(Style style, bool colour) {
  const auto in = [colour](short pair) { return colour ? static_cast<attr_t>(COLOR_PAIR(pair)) : A_NORMAL; };
  switch (style) {
    case Style::plain: return A_NORMAL;
    case Style::strong: return A_BOLD;
    case Style::faint: return A_DIM;
    case Style::id: return in(kCyan);
    case Style::name: return in(kBlue);
    case Style::match: return A_BOLD | (colour ? in(kYellow) : A_UNDERLINE);
    case Style::good: return in(kGreen);
    case Style::warning: return in(kYellow);
    case Style::bad: return A_BOLD | in(kRed);
  }
  return A_NORMAL;
}

std::optional<Key> key_of_code(wint_t code) {
  using Kind = Key::Kind;
  switch (code) {
    case KEY_UP: return Key{Kind::up};
    case KEY_DOWN: return Key{Kind::down};
    case KEY_LEFT: return Key{Kind::left};
    case KEY_RIGHT: return Key{Kind::right};
    case KEY_PPAGE: return Key{Kind::page_up};
    case KEY_NPAGE: return Key{Kind::page_down};
    case KEY_HOME: return Key{Kind::home};
    case KEY_END: return Key{Kind::end};
    case KEY_BACKSPACE: return Key{Kind::backspace};
    case KEY_ENTER: return Key{Kind::enter};
    default: return std::nullopt;  // including KEY_RESIZE: the size is read again for each frame
  }
}

std::optional<Key> key_of_character(wint_t c) {
  using Kind = Key::Kind;
  constexpr auto kControls = std::to_array<std::pair<wint_t, Kind>>({{'\n', Kind::enter},
                                                                     {'\r', Kind::enter},
                                                                     {0x1B, Kind::escape},
                                                                     {0x7F, Kind::backspace},
                                                                     {0x08, Kind::backspace},
                                                                     {0x17, Kind::erase_word},
                                                                     {0x15, Kind::erase_line},
                                                                     {0x03, Kind::quit}});
  for (const auto& [control, kind] : kControls)
    if (c == control) return Key{kind};
  constexpr wint_t kFirstPrinted = 0x20;
  if (c < kFirstPrinted) return std::nullopt;
  return Key{Kind::text, as_utf8(static_cast<std::uint32_t>(c))};
}

constexpr wint_t kSuspend = 0x1A;  // ^Z

// Adds the keys that a use of the mouse stands for.
void add_mouse(std::vector<Key>& out) {
  constexpr int kLinesOfWheel = 3;
  MEVENT event;
  if (::getmouse(&event) != OK) return;
  for (const auto& [wheel, kind] : {std::pair{BUTTON4_PRESSED, Key::Kind::up}, {BUTTON5_PRESSED, Key::Kind::down}})
    if ((event.bstate & wheel) != 0) out.insert(out.end(), kLinesOfWheel, Key{kind});
  if ((event.bstate & BUTTON1_PRESSED) != 0) out.push_back({Key::Kind::click, {}, static_cast<std::size_t>(event.y)});
}

std::string as_base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto at = [&](std::size_t n) { return i + n < bytes.size() ? static_cast<unsigned char>(bytes[i + n]) : 0U; };
    const unsigned bits = at(0) << 16U | at(1) << 8U | at(2);
    for (unsigned n = 0; n < 4; ++n)
      out += i + n > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * n) & 63U];
  }
  return out;
}

}  // namespace

struct Terminal::Curses {
  SCREEN* screen = nullptr;
  bool has_colour = false;
  int messages = -1;  // duplicate of the original standard error
};

Result<std::unique_ptr<Terminal>> Terminal::open(bool has_colour) {
  if (::isatty(STDIN_FILENO) != 1 || ::isatty(STDOUT_FILENO) != 1)
    return Error(Errc::unsupported,
                 "browse needs a terminal; `memd search` and `memd sessions` print where there is none");
  int failed = 0;
  if (::setupterm(nullptr, STDOUT_FILENO, &failed) != 0 || cursor_address == nullptr || clear_screen == nullptr) {
    const char* name = std::getenv("TERM");
    return Error(Errc::unsupported, std::string("browse cannot draw on a terminal of the kind \"") +
                                        (name == nullptr ? "" : name) + "\" (TERM)");
  }
  auto out = std::unique_ptr<Terminal>(new Terminal(has_colour));
  if (out->curses_->screen == nullptr) return Error(Errc::unsupported, "browse cannot use this terminal");
  const std::size_t columns = out->columns();
  const std::size_t rows = out->rows();
  if (columns < kLeastColumns || rows < kLeastRows) {
    out.reset();
    return Error(Errc::unsupported, "the terminal has " + std::to_string(columns) + " columns and " +
                                        std::to_string(rows) + " rows; browse needs " + std::to_string(kLeastColumns) +
                                        " and " + std::to_string(kLeastRows));
  }
  return out;
}

Terminal::Terminal(bool has_colour) : curses_(std::make_unique<Curses>()) {
  use_utf8();
  curses_->screen = ::newterm(nullptr, stdout, stdin);
  if (curses_->screen == nullptr) return;
  ::set_escdelay(25);  // ms to tell the Escape key from an escape sequence
  ::raw();             // delivers ^C as a key
  ::noecho();
  ::nonl();
  ::keypad(stdscr, true);
  ::nodelay(stdscr, true);
  ::mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, nullptr);
  ::mouseinterval(0);  // a press counts at once
  curses_->has_colour = has_colour && ::has_colors();
  if (curses_->has_colour) begin_colours();
  // Redirect stderr: messages would be drawn over the screen.
  std::fflush(stderr);
  curses_->messages = ::dup(STDERR_FILENO);
  if (const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0) {
    ::dup2(nowhere, STDERR_FILENO);
    ::close(nowhere);
  }
}

Terminal::~Terminal() {
  if (curses_->screen == nullptr) return;
  ::endwin();
  ::delscreen(curses_->screen);
  if (curses_->messages < 0) return;
  ::dup2(curses_->messages, STDERR_FILENO);
  ::close(curses_->messages);
}

std::size_t Terminal::columns() const { return static_cast<std::size_t>(getmaxx(stdscr)); }

std::size_t Terminal::rows() const { return static_cast<std::size_t>(getmaxy(stdscr)); }

bool Terminal::wait(int fd, std::optional<std::int64_t> milliseconds) {
  std::array<pollfd, 2> watched{{{STDIN_FILENO, POLLIN, 0}, {fd, POLLIN, 0}}};
  // a signal, such as SIGWINCH, ends the wait as well
  (void)::poll(watched.data(), watched.size(), milliseconds ? static_cast<int>(*milliseconds) : -1);
  return (watched[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
}

std::vector<Key> Terminal::keys() {
  std::vector<Key> out;
  for (;;) {
    wint_t code = 0;
    const int got = ::get_wch(&code);
    if (got == ERR) return out;
    if (got == OK && code == kSuspend) {
      (void)std::raise(SIGTSTP);  // ncurses restores the terminal meanwhile
      continue;
    }
    if (got == KEY_CODE_YES && code == KEY_MOUSE) {
      add_mouse(out);
      continue;
    }
    if (auto key = got == KEY_CODE_YES ? key_of_code(code) : key_of_character(code)) out.push_back(std::move(*key));
  }
}

void Terminal::copy(std::string_view text) {
  const std::string sequence = "\033]52;c;" + as_base64(text) + "\a";
  (void)std::fwrite(sequence.data(), 1, sequence.size(), stdout);
  (void)std::fflush(stdout);
}

void Terminal::show(const ScreenContent& content) {
  ::erase();
  int y = 0;
  for (const Row& row : content.rows) {
    ::move(y++, 0);
    for (const Line::Piece& piece : row.line.pieces()) {
      ::attr_set(A_NORMAL, 0, nullptr);
      ::attron(static_cast<int>(attribute_of(piece.style, curses_->has_colour) | (row.chosen ? A_REVERSE : A_NORMAL)));
      ::addnstr(piece.text.data(), static_cast<int>(piece.text.size()));
    }
  }
  ::attr_set(A_NORMAL, 0, nullptr);
  ::curs_set(content.cursor ? 1 : 0);
  if (content.cursor) ::move(content.cursor_is_below ? y - 1 : 0, static_cast<int>(*content.cursor));
  ::refresh();
}

}  // namespace memd::cli::browse
