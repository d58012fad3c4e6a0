#pragma once

#include "daemon/admin/admin_service.hpp"

#include <google/protobuf/descriptor.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace memd::test {

// Generates schemas/proto/memd/admin/v1/admin.proto from AdminService and the descriptions of its structs. A field
// keeps its number from the compiled protocol, a new field gets the next number, and number and name of a removed field
// are reserved.
class ProtoText {
 public:
  std::string of(const admin::AdminService& service) {
    std::string rpcs;
    service.each([&]<class Method>(const Method& method) {
      const bool streams = method.info.name == "events";
      const std::string params = message<typename Method::Params>();
      const std::string report = (streams ? "stream " : "") + message<typename Method::Report>();
      rpcs += "\n" + comment(method.info.description, "  ") + "  rpc " + std::string(method.rpc) + "(" + params +
              ") returns (" + report + ");\n";
    });
    std::string out =
        "// Administration of memd over gRPC: docs/admin.md. The test AdminProto.IsThatOfTheService writes this file\n"
        "// (--update-golden) from daemon/admin/admin_service.hpp.\n"
        "syntax = \"proto3\";\n\npackage memd.admin.v1;\n\n"
        "// Each method is memd/<name> of the main socket, by the same function. WatchEvents sends a report at once "
        "and\n"
        "// one after each commit, until the client cancels.\n"
        "service Admin {" +
        rpcs + "}\n";
    for (const auto& text : messages_)
      out += "\n" + text;
    return out;
  }

 private:
  // Returns the name of a struct without its namespaces.
  template <class T>
  static std::string name_of() {
    std::string_view text = __PRETTY_FUNCTION__;  // "… [with T = memd::admin::Span; …" or "… [T = memd::admin::Span]"
    text.remove_prefix(text.find("T = ") + 4);
    text = text.substr(0, text.find_first_of(";]"));
    return std::string(text.substr(text.rfind(':') + 1));
  }

  static std::string comment(std::string_view text, std::string_view indent) {
    return std::string(indent) + "// " + std::string(text) + "\n";
  }

  template <class T>
  std::string type_of() {
    if constexpr (std::same_as<T, bool>)
      return "bool";
    else if constexpr (std::floating_point<T>)
      return "double";
    else if constexpr (std::unsigned_integral<T>)
      return "uint64";
    else if constexpr (std::integral<T>)
      return "int64";
    else if constexpr (mcp::Described<T>)
      return message<T>();
    else
      return "string";
  }

  template <class T>
  std::string message() {
    const std::string name = name_of<T>();
    if (!known_.insert(name).second) return name;
    const std::size_t place = messages_.size();
    messages_.emplace_back();
    std::string text = "message " + name + " {\n";
    const auto* now =
        google::protobuf::DescriptorPool::generated_pool()->FindMessageTypeByName("memd.admin.v1." + name);
    int next = 1;
    std::map<std::string, int> numbers;
    std::string reserved;
    if (now != nullptr) {
      for (int i = 0; i < now->field_count(); ++i)
        numbers[now->field(i)->name()] = now->field(i)->number();
      for (int i = 0; i < now->reserved_range_count(); ++i)
        for (int n = now->reserved_range(i)->start; n < now->reserved_range(i)->end; ++n)
          reserve(reserved, n, next);
      for (int i = 0; i < now->reserved_name_count(); ++i)
        reserved += "  reserved \"" + now->reserved_name(i) + "\";\n";
      for (const auto& [field, number] : numbers)
        next = std::max(next, number + 1);
    }
    // Fields of a request with a default are optional, so the protocol records whether they were sent.
    const bool is_request = name.ends_with("Params");
    std::string fields;
    mcp::Describe<T>::fields.each([&](const auto& field) {
      fields += field_text<std::remove_cvref_t<decltype(std::declval<T>().*(field.member))>>(field, is_request, numbers,
                                                                                             next);
    });
    for (const auto& [field, number] : numbers) {
      reserve(reserved, number, next);
      reserved += "  reserved \"" + field + "\";\n";
    }
    text += reserved + fields + "}\n";
    messages_[place] = text;
    return name;
  }

  static void reserve(std::string& out, int number, int& next) {
    out += "  reserved " + std::to_string(number) + ";\n";
    next = std::max(next, number + 1);
  }

  template <class Member, class F>
  std::string field_text(const F& field, bool is_request, std::map<std::string, int>& numbers, int& next) {
    const std::string name(field.name);
    std::string type;
    if constexpr (mcp::detail::is_optional<Member>)
      type = (mcp::Described<typename Member::value_type> ? "" : "optional ") + type_of<typename Member::value_type>();
    else if constexpr (mcp::detail::is_vector<Member>)
      type = "repeated " + type_of<typename Member::value_type>();
    else
      type = (is_request ? "optional " : "") + type_of<Member>();
    const auto known = numbers.find(name);
    const int number = known == numbers.end() ? next++ : known->second;
    if (known != numbers.end()) numbers.erase(known);
    return comment(field.description, "  ") + "  " + type + " " + name + " = " + std::to_string(number) + ";\n";
  }

  std::vector<std::string> messages_;
  std::set<std::string> known_;
};

}  // namespace memd::test
