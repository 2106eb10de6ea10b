#pragma once

namespace loopscope::test {

int free_port(); // of the loopback, for a server that is started at once

} // namespace loopscope::test
