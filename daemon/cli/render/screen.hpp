#pragma once

#include "daemon/cli/render/line.hpp"
#include "daemon/cli/render/look.hpp"
#include "schemas/base/result.hpp"

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace memd::cli {

// Lines collected instead of printed.
struct KeptLines {
  std::vector<Line> lines;         // none wider than Look::columns
  std::vector<std::size_t> items;  // index of the first line of each list item
};

// The output for a user: standard output, or a pager once there are more lines than the terminal has rows. If the
// reader goes away (the pager exits, the pipe is closed) that is not an error: is_closed() returns true and further
// output is dropped. One thread.
class Screen {
 public:
  explicit Screen(Look look);
  // Prints nothing: the lines are appended to `kept`, which must outlive the screen.
  Screen(Look look, KeptLines& kept) : look_(std::move(look)), kept_(&kept), out_(-1) {}
  ~Screen();  // finish()
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  const Look& look() const { return look_; }

  Screen& line(const Line& line);  // without wrapping, whatever its length
  Screen& blank() { return line(Line()); }
  // Wraps the line with an indent of `indent` blanks on every line. At most `most` lines; 0: all.
  Screen& text(const Line& line, std::size_t indent = 0, std::size_t most = 0);
  // Wraps each line of the text.
  Screen& paragraphs(std::string_view text, std::size_t indent = 0, Style style = Style::plain);
  // Marks the start of a list item, which a user can choose.
  void item();
  // Prints JSON or another text unchanged. The caller has made it harmless.
  Screen& as_it_is(std::string_view text);

  bool is_closed() const { return closed_; }
  // Writes the remaining output and waits for the pager. Errc::io: standard output cannot be written.
  Result<void> finish();

 private:
  void put(std::string_view text);
  void start_pager();
  void write_out();

  const Look look_;
  KeptLines* kept_ = nullptr;
  std::string waiting_;   // not written yet
  std::size_t rows_ = 0;  // terminal rows of `waiting_`
  int out_;               // output file descriptor
  pid_t pager_ = 0;       // 0: none
  bool closed_ = false;
  bool finished_ = false;
  int failure_ = 0;  // errno of a failed write
};

}  // namespace memd::cli
