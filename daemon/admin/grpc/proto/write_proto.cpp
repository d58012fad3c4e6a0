// write_proto FILE: writes the protocol of the gRPC door from AdminService and the descriptions of its structs. The
// number of a field is a hash of its name: it never changes, and no other field gets it.
#include "daemon/admin/admin_service.hpp"
#include "daemon/host/memory_host.hpp"
#include "schemas/base/hash.hpp"

#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace memd::admin {
namespace {

class ProtoText {
 public:
  std::string of(const AdminService& service) {
    std::string rpcs;
    service.each([&]<class Method>(const Method& method) {
      const bool streams = method.info.name == "events";
      const std::string params = message<typename Method::Params>();
      const std::string report = (streams ? "stream " : "") + message<typename Method::Report>();
      rpcs += "\n" + comment(method.info.description) + "  rpc " + std::string(method.rpc) + "(" + params +
              ") returns (" + report + ");\n";
    });
    std::string out =
        "// Administration of memd over gRPC: docs/admin.md. Written from daemon/admin/admin_service.hpp.\n"
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

  static std::string comment(std::string_view text) {
    return text.empty() ? std::string() : "  // " + std::string(text) + "\n";
  }

  // Above the numbers that protobuf reserves; a tag takes four bytes.
  static std::uint64_t number_of(std::string_view field) { return 20'000 + hash64(field) % 30'000'000; }

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
    // Fields of a request with a default are optional, so the protocol records whether they were sent.
    const bool is_request = name.ends_with("Params");
    std::string fields;
    mcp::kFieldsOf<T>.each([&](const auto& field) {
      using Member = std::remove_cvref_t<decltype(std::declval<T>().*(field.member))>;
      fields += comment(field.description) + "  " + member_type<Member>(is_request) + " " + std::string(field.name) +
                " = " + std::to_string(number_of(field.name)) + ";\n";
    });
    messages_[place] = "message " + name + " {\n" + fields + "}\n";
    return name;
  }

  template <class Member>
  std::string member_type(bool is_request) {
    if constexpr (mcp::detail::is_optional<Member>)
      return (mcp::Described<typename Member::value_type> ? "" : "optional ") + type_of<typename Member::value_type>();
    else if constexpr (mcp::detail::is_vector<Member>)
      return "repeated " + type_of<typename Member::value_type>();
    else
      return (is_request ? "optional " : "") + type_of<Member>();
  }

  std::vector<std::string> messages_;
  std::set<std::string> known_;
};

void write(const char* file) {
  const Settings settings{StoreLayout("nowhere"), false, "nowhere", {}, "", {}};
  MemoryHost host(settings, system_clock());  // opens nothing
  std::ofstream out(file);
  out << ProtoText().of(AdminService(host, {}));
  if (!out.flush()) throw std::runtime_error(std::string("cannot write ") + file);
}

}  // namespace
}  // namespace memd::admin

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("usage: write_proto FILE");
    memd::admin::write(argv[1]);
    return 0;
  } catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
  }
}
