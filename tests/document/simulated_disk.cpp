#include "tests/document/simulated_disk.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>

namespace loopscope::session::test {

namespace fs = std::filesystem;

namespace {

using Kind = FileCall::Kind;

constexpr std::size_t kSector = 512; // bytes that are written whole or not at all

// A file's data, whatever its name is.
struct Data {
    std::string durable;
    std::vector<FileCall> pending; // writes and truncations that no sync came after
};
using DataPtr = std::shared_ptr<Data>;

void write_at(std::string& bytes, std::size_t offset, std::string_view part) {
    bytes.resize(std::max(bytes.size(), offset + part.size()));
    bytes.replace(offset, part.size(), part);
}

void apply(std::string& bytes, const FileCall& call) {
    if (call.kind == Kind::Truncate)
        bytes.resize(call.offset);
    else
        write_at(bytes, call.offset, call.bytes);
}

// Sector by sector, each there or not: writes may be torn and come in any order.
void apply_some(std::string& bytes, const FileCall& call, std::mt19937& random) {
    if (call.kind == Kind::Truncate) {
        if (random() % 2)
            bytes.resize(call.offset);
        return;
    }
    for (std::size_t at = 0; at < call.bytes.size();) {
        const auto size = std::min(kSector - (call.offset + at) % kSector, call.bytes.size() - at);
        if (random() % 2)
            write_at(bytes, call.offset + at, std::string_view(call.bytes).substr(at, size));
        at += size;
    }
}

class Disk {
public:
    void take(const FileCall& call) {
        switch (call.kind) {
        case Kind::Create: now_[call.path] = std::make_shared<Data>(); break;
        case Kind::Rename:
            now_[call.to] = now_[call.path];
            now_.erase(call.path);
            break;
        case Kind::Remove: now_.erase(call.path); break;
        case Kind::SyncFolder:
            names_.clear();
            durable_ = now_;
            return;
        case Kind::Sync:
            if (auto data = find(call.path)) {
                for (const auto& each : data->pending)
                    apply(data->durable, each);
                data->pending.clear();
            }
            return;
        default:
            if (auto data = find(call.path))
                data->pending.push_back(call);
            return;
        }
        names_.push_back(now_);
    }

    void leave(const std::string& from, const std::string& to, std::mt19937& random) const {
        const auto kept = random() % (names_.size() + 1); // so many changes of names arrived
        for (const auto& [path, data] : kept == 0 ? durable_ : names_[kept - 1]) {
            auto bytes = data->durable;
            for (const auto& each : data->pending)
                apply_some(bytes, each, random);
            const auto place = to + path.substr(from.size());
            fs::create_directories(fs::path(place).parent_path());
            std::ofstream(place, std::ios::binary) << bytes;
        }
    }

private:
    DataPtr find(const std::string& path) const {
        const auto found = now_.find(path);
        return found == now_.end() ? nullptr : found->second;
    }

    using Names = std::map<std::string, DataPtr>;
    Names durable_, now_;
    std::vector<Names> names_; // after each change since the folder was synced
};

} // namespace

void leave_after_cut(const std::vector<FileCall>& calls, std::size_t count, const std::string& from,
                     const std::string& to, std::mt19937& random) {
    Disk disk;
    for (std::size_t n = 0; n < count; ++n)
        disk.take(calls[n]);
    disk.leave(from, to, random);
}

} // namespace loopscope::session::test
