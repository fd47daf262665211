/// Selects, of the user's native sources, the one for a context's dialect.
#include <gemel/core/dialect.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/text.hpp>

#include <string>
#include <vector>

namespace gemel {

const std::string& NativeSource::text(const Dialect& dialect) const {
    const std::string& name = dialect.native.empty() ? dialect.name : dialect.native;
    const std::string* found = name == "cuda" ? &cuda : name == "opencl" ? &opencl : nullptr;
    if (!found)
        if (const auto at = other.find(name); at != other.end()) found = &at->second;
    if (found && !found->empty()) return *found;
    std::vector<std::string> given;
    if (!cuda.empty()) given.push_back("cuda");
    if (!opencl.empty()) given.push_back("opencl");
    for (const auto& [other_name, unused] : other) given.push_back(other_name);
    throw ArgumentError(gemel::text("NativeSource: there is no text for the dialect '", name, "' of the context",
                                    given.empty() ? "" : "; it has " + join(given)));
}

}  // namespace gemel
