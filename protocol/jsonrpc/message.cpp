#include "protocol/jsonrpc/message.hpp"

#include "schemas/base/json_writer.hpp"
#include "schemas/base/utf8.hpp"

#include <boost/json/array.hpp>
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/parser.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace memd::jsonrpc {
namespace {

namespace bj = boost::json;

bj::parse_options parse_options() {
  bj::parse_options o;
  o.max_depth = kMaxDepth;
  return o;
}

constexpr std::size_t kEscape = 6;  // \uXXXX
constexpr std::string_view kReplacement = "\\ufffd";

// Returns the code unit of the \uXXXX that `text` begins with; 0 if it begins with none, or with NUL.
unsigned code_unit(std::string_view text) {
  unsigned out = 0;
  if (text.size() < kEscape || !text.starts_with("\\u")) return 0;
  const char* const end = text.data() + kEscape;
  return std::from_chars(text.data() + 2, end, out, 16).ptr == end ? out : 0;
}

// An escape sequence or character at the start of a text: whether it is valid Unicode, and its length in bytes.
struct Escape {
  bool sound = true;
  std::size_t length = 2;
};
Escape escape_at(std::string_view text) {
  const unsigned unit = code_unit(text);
  if (unit < 0xD800 || unit > 0xDFFF) return {true, std::min<std::size_t>(text.size(), 2)};
  const unsigned low = unit < 0xDC00 ? code_unit(text.substr(kEscape)) : 0;
  const bool pair = low >= 0xDC00 && low <= 0xDFFF;
  return {pair, pair ? 2 * kEscape : kEscape};
}

Invalid invalid(ErrorCode code, std::string message, std::optional<Id> id = std::nullopt) {
  return Invalid{std::move(id), code, std::move(message)};
}

std::optional<Id> read_id(const bj::value& v) {
  Id id = id_text(v);
  if (id.empty()) return std::nullopt;
  return id;
}

Response read_response(bj::object& object, std::optional<Id> id) {
  Response out;
  out.id = id.value_or("");
  const bj::value* failure = object.if_contains("error");
  if (bj::value* result = object.if_contains("result"); result != nullptr && failure == nullptr) {
    out.result = std::move(*result);
    return out;
  }
  out.is_error = true;  // with a result, too: it contradicts itself
  const bj::value& error = *failure;
  const bj::value* said = error.is_object() ? error.get_object().if_contains("message") : nullptr;
  if (said != nullptr && said->is_string()) out.error = std::string_view(said->get_string());
  return out;
}

Message read_message(bj::value&& v) {
  if (!v.is_object()) return invalid(kInvalidRequest, "a message is a JSON object");
  bj::object& object = v.get_object();

  std::optional<Id> id;
  const bj::value* id_value = object.if_contains("id");
  if (id_value != nullptr) id = read_id(*id_value);

  const bj::value* version = object.if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0")
    return invalid(kInvalidRequest, "jsonrpc has to be \"2.0\"", id);

  const bj::value* method = object.if_contains("method");
  if (method == nullptr) {
    if (object.contains("result") || object.contains("error")) return read_response(object, std::move(id));
    return invalid(kInvalidRequest, "method is missing", id);
  }
  if (!method->is_string()) return invalid(kInvalidRequest, "method has to be a string", id);
  if (id_value != nullptr && !id) return invalid(kInvalidRequest, "id has to be a string or an integer");

  bj::value params = bj::object(v.storage());
  if (bj::value* p = object.if_contains("params"); p != nullptr) {
    if (!p->is_object()) {
      if (!id) return Response{};  // a notification is never answered, not even a bad one
      return invalid(kInvalidParams, "params has to be an object", id);
    }
    params = std::move(*p);
  }
  std::string name(method->get_string().data(), method->get_string().size());
  if (!id) return Notification{std::move(name), std::move(params)};
  return Request{std::move(*id), std::move(name), std::move(params)};
}

const bj::value* find(const bj::value* v, std::string_view key) {
  return v != nullptr && v->is_object() ? v->get_object().if_contains(key) : nullptr;
}

std::string about(const bj::object& message) {
  const bj::value* params = message.if_contains("params");
  const bj::value* id = find(params, "requestId");
  if (id == nullptr) id = find(find(params, "_meta"), "io.modelcontextprotocol/subscriptionId");
  if (id == nullptr) id = find(params, "uri");
  return id == nullptr ? std::string() : id_text(*id);
}

std::optional<Envelope> read_one(const bj::value& v) {
  if (!v.is_object()) return std::nullopt;
  const bj::object& message = v.get_object();
  Envelope out;
  if (const bj::value* id = message.if_contains("id")) out.id = id_text(*id);
  const bj::value* method = message.if_contains("method");
  if (method == nullptr) {
    out.kind = Envelope::Kind::response;
    return out.id.empty() ? std::nullopt : std::optional(out);
  }
  if (!method->is_string()) return std::nullopt;
  out.method = std::string_view(method->get_string());
  out.kind = out.id.empty() ? Envelope::Kind::notification : Envelope::Kind::request;
  out.about_id = about(message);
  if (out.method == "tools/call")
    if (const bj::value* tool = find(message.if_contains("params"), "name"); tool != nullptr && tool->is_string())
      out.tool = std::string_view(tool->get_string());
  return out;
}

}  // namespace

std::optional<std::string> mended_text(std::string_view json) {
  std::string out;
  bool mended = false;
  out.reserve(json.size());
  while (!json.empty()) {
    const auto run =
        std::min(static_cast<std::size_t>(
                     std::find_if(json.begin(), json.end(),
                                  [](char c) { return c == '\\' || static_cast<unsigned char>(c) >= 0x80; }) -
                     json.begin()),
                 json.size());
    out.append(json.substr(0, run));
    json.remove_prefix(run);
    if (json.empty()) break;
    Escape piece;
    if (json.front() == '\\') {
      piece = escape_at(json);
    } else {
      const std::size_t length = utf8_length(json);
      piece = {length > 0, std::max<std::size_t>(length, 1)};
    }
    out.append(piece.sound ? json.substr(0, piece.length) : kReplacement);
    mended |= !piece.sound;
    json.remove_prefix(piece.length);
  }
  return mended ? std::optional(std::move(out)) : std::nullopt;
}

struct MessageParser::State {
  bj::parser parser{bj::storage_ptr(), parse_options()};
};

namespace {

// The scalar members of an object, read from one of its ends, as far as they are whole.
using Members = std::vector<std::pair<std::string, bj::value>>;

// Reads the JSON string or number that `text` begins with, and takes it away. nullopt: there is none, or it is cut.
std::optional<bj::value> take_scalar(std::string_view& text) {
  std::size_t end = 0;
  if (text.starts_with('"')) {
    for (end = 1; end < text.size() && text[end] != '"'; ++end)
      if (text[end] == '\\') ++end;
    ++end;
  } else {
    end = text.find_first_not_of("-0123456789");
  }
  if (end == 0 || end >= text.size()) return std::nullopt;
  boost::system::error_code ec;
  bj::value out = bj::parse(bj::string_view(text.data(), end), ec);
  if (ec) return std::nullopt;
  text.remove_prefix(end);
  return out;
}

bool take_sign(std::string_view& text, char sign) {
  const auto at = text.find_first_not_of(" \t");
  if (at == std::string_view::npos || text[at] != sign) return false;
  text.remove_prefix(std::min(text.find_first_not_of(" \t", at + 1), text.size()));
  return true;
}

// Reads `"key": scalar, …` up to the first member that is no whole string or number. `rest`: what follows.
Members take_members(std::string_view& rest) {
  Members out;
  do {
    const auto key = take_scalar(rest);
    if (!key || !key->is_string() || !take_sign(rest, ':')) return out;
    out.emplace_back(std::string_view(key->get_string()), nullptr);
    auto value = take_scalar(rest);
    if (!value) return out;
    out.back().second = std::move(*value);
  } while (take_sign(rest, ','));
  return out;
}

const bj::value* member_of(const Members& members, std::string_view name) {
  const auto it = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.first == name; });
  return it == members.end() ? nullptr : &it->second;
}

}  // namespace

std::optional<Id> id_of_cut_request(std::string_view beginning, std::string_view end) {
  if (!take_sign(beginning, '{')) return std::nullopt;
  const Members first = take_members(beginning);
  if (member_of(first, "result") != nullptr || member_of(first, "error") != nullptr) return std::nullopt;
  if (const bj::value* id = member_of(first, "id")) return read_id(*id);
  // The last members are those after the params: from the first of `"jsonrpc"` and `"id"` on, up to the end.
  for (const std::string_view key : {R"("jsonrpc")", R"("id")"}) {
    const auto at = end.rfind(key);
    std::string_view rest = at == std::string_view::npos ? std::string_view() : end.substr(at);
    const Members last = take_members(rest);
    const bj::value* id = member_of(last, "id");
    if (id != nullptr && take_sign(rest, '}') && rest.empty()) return read_id(*id);
  }
  return std::nullopt;
}

Id id_text(const bj::value& v) {
  Id out;
  if (v.is_int64()) json::append_number(out, v.get_int64());
  if (v.is_uint64()) json::append_number(out, v.get_uint64());
  if (v.is_string()) json::append_string(out, std::string_view(v.get_string()));
  return out;
}

MessageParser::MessageParser() : state_(std::make_unique<State>()) {}
MessageParser::~MessageParser() = default;
MessageParser::MessageParser(MessageParser&&) noexcept = default;

Incoming MessageParser::parse(std::string_view line) {
  if (line.size() > kMaxMessageBytes)
    return invalid(kInvalidRequest, "the message is longer than 10 MB", id_of_cut_request(line, line));
  bj::parser& parser = state_->parser;
  // One arena per message. Each value moved out of the message shares ownership, so params can move to a worker.
  parser.reset(bj::make_shared_resource<bj::monotonic_resource>());
  boost::system::error_code ec;
  parser.write(line.data(), line.size(), ec);
  if (ec) {
    parser.reset();
    if (const auto mended = mended_text(line)) return parse(*mended);  // valid now, so it recurses once
    return invalid(kParseError, "not JSON: " + ec.message());
  }
  bj::value root = parser.release();
  parser.reset();

  if (root.is_array()) {
    bj::array& items = root.get_array();
    if (items.empty()) return invalid(kInvalidRequest, "an empty batch");
    if (items.size() > kMaxBatch) return invalid(kInvalidRequest, "more than 100 messages in a batch");
    Batch batch;
    batch.messages.reserve(items.size());
    for (bj::value& item : items)
      batch.messages.push_back(read_message(std::move(item)));
    return batch;
  }
  return std::visit([](auto&& m) -> Incoming { return std::move(m); }, read_message(std::move(root)));
}

std::string result_line(std::string_view id, std::string_view result) {
  std::string out;
  out.reserve(id.size() + result.size() + 40);
  out.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":)").append(result).append("}");
  return out;
}

std::string error_line(const std::optional<Id>& id, int code, std::string_view message, std::string_view data) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("jsonrpc", "2.0");
  w.member_raw("id", id ? std::string_view(*id) : "null");
  w.key("error");
  w.begin_object();
  w.member_number("code", static_cast<std::int64_t>(code));
  w.member("message", message);
  if (!data.empty()) w.member_raw("data", data);
  w.end_object();
  w.end_object();
  return out;
}

std::string request_line(std::string_view id, std::string_view method, std::string_view params) {
  std::string out;
  json::Writer w(out);
  w.begin_object();
  w.member("jsonrpc", "2.0");
  if (!id.empty()) w.member_raw("id", id);
  w.member("method", method);
  w.member_raw("params", params);
  w.end_object();
  return out;
}

std::string notification_line(std::string_view method, std::string_view params) {
  return request_line({}, method, params);
}

struct EnvelopeReader::State {
  bj::parser parser{bj::storage_ptr(), parse_options()};
  std::vector<Envelope> found;
};

EnvelopeReader::EnvelopeReader() : state_(std::make_unique<State>()) {}
EnvelopeReader::~EnvelopeReader() = default;

const std::vector<Envelope>& EnvelopeReader::read(std::string_view line) {
  state_->found.clear();
  std::array<unsigned char, 16384> first_block;
  bj::monotonic_resource arena(first_block.data(), first_block.size());
  state_->parser.reset(&arena);
  boost::system::error_code ec;
  state_->parser.write(line.data(), line.size(), ec);
  if (ec) {
    state_->parser.reset();
    if (const auto mended = mended_text(line)) return read(*mended);  // valid now, so it recurses once
  } else {
    const bj::value root = state_->parser.release();
    const auto keep = [&](const bj::value& v) {
      if (auto one = read_one(v)) state_->found.push_back(std::move(*one));
    };
    if (root.is_array())
      for (const bj::value& item : root.get_array())
        keep(item);
    else
      keep(root);
  }
  state_->parser.reset();
  return state_->found;
}

}  // namespace memd::jsonrpc
