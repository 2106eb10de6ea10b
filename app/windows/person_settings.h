#pragma once
// What a person's settings say: layout, theme, recent files. A window that is only drawn neither
// reads nor writes them.

#include <QString>
#include <QVariant>

namespace loopscope::app {

class PersonSettings {
public:
    enum class Use { Keep, Ignore };
    explicit PersonSettings(Use use) : use_(use) {}

    bool kept() const { return use_ == Use::Keep; }
    QVariant value(const QString& key, const QVariant& otherwise = {}) const;
    void set(const QString& key, const QVariant& value) const;

private:
    Use use_;
};

} // namespace loopscope::app
