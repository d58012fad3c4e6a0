// Like asio_impl.cpp, for the part of Asio that needs OpenSSL.
#include <boost/asio/ssl/impl/src.hpp>
