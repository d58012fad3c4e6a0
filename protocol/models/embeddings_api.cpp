#include "protocol/models/embeddings_api.hpp"

#include "protocol/models/model_api.hpp"
#include "schemas/json_writer.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>

namespace memd::embeddings_api {
namespace {

using Vector = std::vector<float>;
using Vectors = std::vector<Vector>;
namespace bj = boost::json;

using model_api::nonsense;

Result<Vector> to_unit_vector(const bj::value& value) {
  const bj::array* numbers = value.if_array();
  if (numbers == nullptr || numbers->empty()) return nonsense("a vector of the answer is not a list of numbers");
  Vector out;
  out.reserve(numbers->size());
  double squares = 0;
  for (const bj::value& n : *numbers) {
    boost::system::error_code ec;
    const auto number = n.to_number<double>(ec);
    if (ec) return nonsense("a vector of the answer holds something that is not a number");
    if (!std::isfinite(number) || std::abs(number) > 1e18)
      return nonsense("a vector of the answer holds a number that is not finite");
    out.push_back(static_cast<float>(number));
    squares += number * number;
  }
  const double length = std::sqrt(squares);
  if (length < 1e-12) return nonsense("a vector of the answer is all zero");
  for (float& x : out)
    x = static_cast<float>(static_cast<double>(x) / length);
  return out;
}

Result<void> check_lengths(const Vectors& vectors) {
  for (const Vector& v : vectors)
    if (v.size() != vectors.front().size())
      return nonsense("the answer mixes vectors of " + std::to_string(vectors.front().size()) + " and of " +
                      std::to_string(v.size()) + " numbers");
  return {};
}

Error wrong_count(std::size_t got, std::size_t wanted) {
  return nonsense("the answer has " + std::to_string(got) + " vectors for " + std::to_string(wanted) + " texts");
}

Result<Vectors> parse_ollama(const bj::value& document, std::size_t texts) {
  const bj::object* object = document.if_object();
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("embeddings");
  const bj::array* rows = list == nullptr ? nullptr : list->if_array();
  if (rows == nullptr) return nonsense("the answer has no list \"embeddings\"");
  if (rows->size() != texts) return wrong_count(rows->size(), texts);
  Vectors out;
  for (const bj::value& row : *rows) {
    MEMD_TRY_ASSIGN(auto vector, to_unit_vector(row));
    out.push_back(std::move(vector));
  }
  return out;
}

Result<Vectors> parse_openai(const bj::value& document, std::size_t texts) {
  const bj::object* object = document.if_object();
  const bj::value* list = object == nullptr ? nullptr : object->if_contains("data");
  const bj::array* rows = list == nullptr ? nullptr : list->if_array();
  if (rows == nullptr) return nonsense("the answer has no list \"data\"");
  if (rows->size() != texts) return wrong_count(rows->size(), texts);
  Vectors out(texts);
  std::size_t place = 0;
  for (const bj::value& row : *rows) {
    const bj::object* entry = row.if_object();
    const bj::value* embedding = entry == nullptr ? nullptr : entry->if_contains("embedding");
    if (embedding == nullptr) return nonsense("an entry of \"data\" has no \"embedding\"");
    std::size_t index = place++;
    if (const bj::value* given = entry->if_contains("index")) {  // they may come in any order
      boost::system::error_code ec;
      index = given->to_number<std::size_t>(ec);
      if (ec || index >= texts) return nonsense("an entry of \"data\" has an \"index\" that was not asked for");
    }
    if (!out[index].empty()) return nonsense("the answer has two vectors for one text");
    MEMD_TRY_ASSIGN(out[index], to_unit_vector(*embedding));
  }
  return out;
}

}  // namespace

std::string_view path_of(Dialect dialect) { return dialect == Dialect::ollama ? "/api/embed" : "/embeddings"; }

std::string request_body(Dialect, std::string_view model, std::span<const std::string_view> texts,
                         std::optional<int> dimensions) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("model", model);
  w.key("input");
  w.begin_array();
  for (const std::string_view text : texts)
    w.string(text);
  w.end_array();
  if (dimensions) {
    w.key("dimensions");
    w.number(static_cast<std::int64_t>(*dimensions));
  }
  w.end_object();
  return out;
}

Result<Vectors> parse_answer(Dialect dialect, std::string_view body, std::size_t texts) {
  MEMD_TRY_ASSIGN(const bj::value document, model_api::parse_document(body));
  MEMD_TRY_ASSIGN(auto vectors,
                  dialect == Dialect::ollama ? parse_ollama(document, texts) : parse_openai(document, texts));
  MEMD_TRY(check_lengths(vectors));
  return vectors;
}

}  // namespace memd::embeddings_api
