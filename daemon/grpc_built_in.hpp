#pragma once

namespace memd {

// Whether this program has the gRPC door. The link decides: daemon/admin/grpc (MEMD_WITH_GRPC) or
// daemon/admin/no_grpc_door.cpp.
bool has_grpc_door();

}  // namespace memd
