#include "core/schedule/tree_hash.h"

#include "core/schedule/tree_fields.h"

namespace loopscope {

Hash own_hash(const TreeNode& node) { return hash_value(node, kHashSeed); }

} // namespace loopscope
