/// Compares operators with what NumPy wrote: `numpy_grid FOLDER TYPE`, the type being the left operand's.
#include "numpy_grid.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include "exit_code.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <limits>
#include <map>
#include <vector>

namespace gemel::grid {

std::map<std::string, Function>& left_types() {
    static std::map<std::string, Function> all;
    return all;
}

namespace {

/// As complex double, which has every value but large 64-bit integers.
std::vector<cdouble> widened(const AnyArray& array) {
    return GPUArray<cdouble>(array.astype(dtype_of<cdouble>())).get();
}

double unit(DType dtype) {
    const std::uint32_t bytes = dtype.kind() == DType::Kind::complex ? dtype.size_bytes() / 2 : dtype.size_bytes();
    return bytes == 2   ? 1.0 / 1024
           : bytes == 4 ? std::numeric_limits<float>::epsilon()
                        : std::numeric_limits<double>::epsilon();
}

bool is_near(double a, double b, double tolerance) {
    return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance;
}

}  // namespace

int add_left_type(const std::string& name, Function function) {
    left_types()[name] = function;
    return 0;
}

void Report::compare(const std::string& name, const AnyArray& found, const AnyArray& expected, double ulps) {
    ++cases;
    if (!(found.dtype() == expected.dtype()) || !(found.shape() == expected.shape())) {
        ++differences;
        std::printf("%s: %s %s, NumPy %s %s\n", name.c_str(), found.dtype().name().c_str(),
                    to_string(found.shape()).c_str(), expected.dtype().name().c_str(),
                    to_string(expected.shape()).c_str());
        return;
    }
    std::vector<std::byte> a(found.size_bytes()), b(found.size_bytes());
    found.get_bytes(a.data());
    expected.get_bytes(b.data());
    if (a == b) return;
    const DType dtype = found.dtype();
    const auto p = widened(found), q = widened(expected);
    const bool is_exact = dtype.is_integer() || dtype.kind() == DType::Kind::boolean;
    for (std::size_t i = 0; i < p.size(); ++i) {
        const std::size_t bytes = dtype.size_bytes();
        const bool same = std::equal(a.begin() + i * bytes, a.begin() + (i + 1) * bytes, b.begin() + i * bytes);
        const double tolerance = ulps * unit(dtype) * (std::isfinite(std::abs(q[i])) ? std::abs(q[i]) : 0);
        if (same ||
            (!is_exact && is_near(p[i].real(), q[i].real(), tolerance) && is_near(p[i].imag(), q[i].imag(), tolerance)))
            continue;
        ++differences;
        std::printf("%s: element %zu is (%.17g, %.17g), NumPy has (%.17g, %.17g), type %s\n", name.c_str(), i,
                    p[i].real(), p[i].imag(), q[i].real(), q[i].imag(), dtype.name().c_str());
        return;
    }
}

void Report::missing(const std::string& name, bool numpy_has_it, bool is_stated) {
    if (!numpy_has_it || is_stated) {
        ++refused;
        return;
    }
    ++cases, ++differences;
    std::printf("%s: NumPy has this operation, gemel has not\n", name.c_str());
}

}  // namespace gemel::grid

int main(int, char** argv) try {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    const gemel::Context context = gemel::default_context();
    std::printf("on %s\n", context.device().name().c_str());
    gemel::grid::Report report;
    gemel::grid::left_types().at(argv[2])(argv[1], report);
    std::printf("%zu cases, %zu differ; %zu that neither or only NumPy defines\n", report.cases, report.differences,
                report.refused);
    return report.differences || report.cases == 0 ? 1 : 0;
} catch (...) {
    return gemel::grid::exit_code();
}
