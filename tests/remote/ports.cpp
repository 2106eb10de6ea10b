#include "tests/remote/ports.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::test {

int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* general = reinterpret_cast<sockaddr*>(&address);
    const bool bound =
        ::bind(socket, general, size) == 0 && ::getsockname(socket, general, &size) == 0;
    ::close(socket);
    return bound ? ntohs(address.sin_port) : 0;
}

} // namespace loopscope::test
