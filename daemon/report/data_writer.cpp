#include "daemon/report/data_writer.hpp"

#include "schemas/base/ascii.hpp"
#include "schemas/base/utf8.hpp"
#include "store/text/redaction/redactor.hpp"

namespace memd::report {

std::string shown(std::string_view text, std::size_t most) {
  std::string out = ascii::one_line(text);
  redact(out);
  if (out.size() <= most) return out;
  out.resize(utf8_prefix(out, most - 3).size());
  return out + "…";
}

}  // namespace memd::report
