#pragma once

#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"
#include "schemas/error.hpp"

#include <sys/types.h>

#include <string>
#include <string_view>

namespace memd::cli {

// Where the lines for a person go: standard output, or a pager as soon as there are more of them than the terminal has
// rows. A reader that goes away (the pager is left, the pipe is closed) is no failure: is_closed() says that nothing
// more is wanted. One thread.
class Screen {
 public:
  explicit Screen(Look look);
  ~Screen();  // finish()
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const Look& look() const { return look_; }

  Screen& line(const Line& line);  // as it is, however long
  Screen& blank() { return line(Line()); }
  // Wrapped behind `indent` blanks; the following lines begin there, too. At most `most` lines; 0: all.
  Screen& text(const Line& line, std::size_t indent = 0, std::size_t most = 0);
  // Text with its own lines, each wrapped.
  Screen& paragraphs(std::string_view text, std::size_t indent = 0, Style style = Style::plain);
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
  std::string waiting_;   // not written yet
  std::size_t rows_ = 0;  // of `waiting_` on the terminal
  int out_;               // where it goes
  pid_t pager_ = 0;       // 0: none
  bool closed_ = false;
  bool finished_ = false;
  int failure_ = 0;  // errno of a write
};

}  // namespace memd::cli
