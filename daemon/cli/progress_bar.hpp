#pragma once

#include <string>
#include <string_view>

namespace memd::cli {

// Draws one line on stderr over and over; silent when stderr is no terminal. One thread.
class ProgressBar {
 public:
  struct Unit {
    const char* name;
    double size;
  };
  explicit ProgressBar(std::string label, Unit unit = {"MB", 1e6});
  ~ProgressBar();  // leaves the line empty
  void show(double done, double total, std::string_view what);

 private:
  std::string label_;
  Unit unit_;
  bool terminal_;
  bool drawn_ = false;
};

}  // namespace memd::cli
