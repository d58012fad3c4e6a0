// Replaces daemon/admin/grpc in a memd that is built without it.
#include "daemon/admin/admin_door.hpp"
#include "daemon/grpc_built_in.hpp"
#include "schemas/base/error.hpp"

namespace memd {

bool has_grpc_door() { return false; }

namespace admin {

Result<std::unique_ptr<AdminDoor>> make_grpc_door(AdminDoor::Parts) {
  return Error(Errc::unsupported, "this memd was built without gRPC (MEMD_WITH_GRPC)");
}

}  // namespace admin
}  // namespace memd
