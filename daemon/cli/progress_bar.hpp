#pragma once

#include <string>
#include <string_view>

namespace memd::cli {

// A progress line on stderr that is redrawn in place. Prints nothing when stderr is not a terminal. One thread.
class ProgressBar {
 public:
  struct Unit {
    const char* name;
    double size;
  };
  explicit ProgressBar(std::string label, Unit unit = {"MB", 1e6});
  ~ProgressBar();  // clears the line
  void show(double done, double total, std::string_view what);

 private:
  std::string label_;
  Unit unit_;
  bool terminal_;
  bool drawn_ = false;
};

}  // namespace memd::cli
