// Boost.JSON is compiled here, once, through the library; this unit keeps the folder's target from being empty.
#include <boost/json/value.hpp>
