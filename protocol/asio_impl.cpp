// The one place where Asio's bodies are compiled; every other unit sees declarations (BOOST_ASIO_SEPARATE_COMPILATION).
#include <boost/asio/impl/src.hpp>
