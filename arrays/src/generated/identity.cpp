/// The identity of an operation, given by either of its names.
#include "generated/identity.hpp"

#include <gemel/arrays/reduction_kernel.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

namespace gemel {

std::string chosen_identity(const char* kind, const std::string& name, const std::string& identity,
                            const std::string& neutral) {
    if (!identity.empty() && !neutral.empty())
        throw ArgumentError(text(kind, " '", name, "': got both .identity = \"", identity, "\" and .neutral = \"",
                                 neutral, "\", expected one of them: they are two names of one option"));
    return identity.empty() ? neutral : identity;
}

std::string detail::identity_of(const ReductionSpec& spec) {
    return chosen_identity("ReductionKernel", spec.name, spec.identity, spec.neutral);
}

}  // namespace gemel
