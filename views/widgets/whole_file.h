#pragma once
// Files that a person asked for.

#include "core/base/result.h"

#include <QByteArray>
#include <QString>

namespace loopscope::views {

// Whole, or not at all: what was there stays where it fails. Errors: it cannot be written, and why.
Status write_whole(const QString& path, const QByteArray& bytes);

} // namespace loopscope::views
