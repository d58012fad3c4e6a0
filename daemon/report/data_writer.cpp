#include "daemon/report/data_writer.hpp"

#include "schemas/base/ascii.hpp"
#include "store/text/redaction/redactor.hpp"
#include "store/text/text_units.hpp"

namespace memd::report {

std::string shown(std::string_view text, std::size_t most) {
  std::string out = ascii::one_line(text);
  redact(out);
  if (out.size() <= most) return out;
  std::size_t end = most - 3;
  while (end > 0 && is_utf8_tail(out, end))
    --end;
  out.resize(end);
  return out + "…";
}

}  // namespace memd::report
