#pragma once

#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"
#include "schemas/error.hpp"

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::cli {

// Lines that are kept instead of printed.
struct KeptLines {
  std::vector<Line> lines;         // none wider than Look::columns
  std::vector<std::size_t> items;  // where each item of a list begins
};

// Where the lines for a person go: standard output, or a pager as soon as there are more of them than the terminal has
// rows. A reader that goes away (the pager is left, the pipe is closed) is no failure: is_closed() says that nothing
// more is wanted. One thread.
class Screen {
 public:
  explicit Screen(Look look);
  // Prints nothing: the lines go to `kept`, which must outlive the screen.
  Screen(Look look, KeptLines& kept) : look_(std::move(look)), kept_(&kept), out_(-1) {}
  ~Screen();  // finish()
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const Look& look() const { return look_; }

  Screen& line(const Line& line);  // without wrapping, at any length
  Screen& blank() { return line(Line()); }
  // Wrapped behind `indent` blanks; the following lines begin there, too. At most `most` lines; 0: all.
  Screen& text(const Line& line, std::size_t indent = 0, std::size_t most = 0);
  // Text with its own lines, each wrapped.
  Screen& paragraphs(std::string_view text, std::size_t indent = 0, Style style = Style::plain);
  // An item of a list begins: what a reader may choose.
  void item();
  // JSON or another text that is printed as it is. Its caller has made it harmless.
  Screen& as_it_is(std::string_view text);

  bool is_closed() const { return closed_; }
  // Writes what is left and waits for the pager. Errc::io: standard output cannot be written to.
  Result<void> finish();

 private:
  void put(std::string_view text);
  void start_pager();
  void write_out();

  const Look look_;
  KeptLines* kept_ = nullptr;
  std::string waiting_;   // not written yet
  std::size_t rows_ = 0;  // of `waiting_` on the terminal
  int out_;               // where it goes
  pid_t pager_ = 0;       // 0: none
  bool closed_ = false;
  bool finished_ = false;
  int failure_ = 0;  // errno of a write
};

}  // namespace memd::cli
