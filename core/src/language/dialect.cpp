/// The registered dialects: gemel's two, and those of plug-ins.
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <list>
#include <mutex>

namespace gemel {

namespace {

/// Leaked on purpose: static objects of a program may use a dialect at exit.
struct Added {
    std::mutex mutex;
    std::list<Dialect> dialects;  // a list, so that references stay valid

    static Added& instance() {
        static Added& added = *new Added;
        return added;
    }
};

}  // namespace

const Dialect& Dialect::find(std::string_view name) {
    std::vector<std::string> known;
    for (const Dialect* dialect : {&cuda(), &opencl()}) {
        if (dialect->name == name) return *dialect;
        known.push_back(dialect->name);
    }
    Added& added = Added::instance();
    std::lock_guard lock(added.mutex);
    for (const Dialect& dialect : added.dialects) {
        if (dialect.name == name) return dialect;
        known.push_back(dialect.name);
    }
    throw ArgumentError(text("Dialect::find: no dialect is called '", name, "'; known are ", join(known),
                             "; a plug-in adds its own with Dialect::add"));
}

void Dialect::add(Dialect dialect) {
    if (dialect.name.empty()) throw ArgumentError("Dialect::add: the dialect has no name; set .name");
    Added& added = Added::instance();
    std::lock_guard lock(added.mutex);
    bool taken = dialect.name == cuda().name || dialect.name == opencl().name;
    for (const Dialect& other : added.dialects) taken = taken || other.name == dialect.name;
    if (taken)
        throw ArgumentError(
            text("Dialect::add: there is already a dialect named '", dialect.name, "'; choose another name"));
    added.dialects.push_back(std::move(dialect));
}

std::string Dialect::indexed(const std::string& pattern, int axis) {
    if (axis < 0 || axis > 2) throw ArgumentError(text("Dialect::indexed: expected axis 0, 1 or 2, got ", axis));
    std::string result;
    for (const char c : pattern) {
        if (c == '#')
            result += static_cast<char>('0' + axis);
        else if (c == '@')
            result += "xyz"[axis];
        else
            result += c;
    }
    return result;
}

}  // namespace gemel
