#include "views/widgets/whole_file.h"

#include <QSaveFile>

namespace loopscope::views {

Status write_whole(const QString& path, const QByteArray& bytes) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size() || !file.commit())
        return error("cannot write " + path.toStdString() + ": " + file.errorString().toStdString(),
                     "choose another folder");
    return success();
}

} // namespace loopscope::views
