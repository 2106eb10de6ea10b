#pragma once
// Numbers as people read them: three significant digits and the unit that fits.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::cli {

std::string significant(double value,
                        int digits = 3);  // "3.21", "128", "0.0123"; never an exponent below 1e15
std::string seconds_text(double seconds); // "3.21 ms"
std::string rate_text(double per_second, const char* unit); // 1.23e10, "FLOP/s" -> "12.3 GFLOP/s"
std::string amount_text(double amount,
                        const char* unit);   // decimal prefixes: "48.2 MB", "17.2 GFLOP"
std::string memory_text(std::int64_t bytes); // binary prefixes: "32 KiB", "1.5 MiB"
std::string grouped(std::int64_t value);     // "6 291 456" with thin groups of three digits
std::string extents_text(const std::vector<std::int64_t>& extents); // "[3, 1024, 1920]"

} // namespace loopscope::cli
