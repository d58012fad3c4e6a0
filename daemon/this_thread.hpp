#pragma once

#include <string>

// Settings of the calling thread.
namespace memd::this_thread {

void set_name(const std::string& name);  // as debuggers and `top -H` show it; Linux takes 15 bytes
void lower_priority();                   // to the lowest priority that still gets some of a busy processor

}  // namespace memd::this_thread
