/// Reads the cases that numpy_dense.py wrote and compares what gemel makes of them.
#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Case {
    std::string name, kind, layouts, dtype, options;
};

/// What NumPy calls the inexact types, and the distance from 1 to the next number.
struct Inexact {
    gemel::DType dtype;
    double epsilon;
};
const std::map<std::string, Inexact> inexact_types{{"float16", {gemel::dtype_of<gemel::half>(), 0x1p-10}},
                                                   {"bfloat16", {gemel::dtype_of<gemel::bfloat16>(), 0x1p-7}},
                                                   {"float32", {gemel::dtype_of<float>(), 0x1p-23}},
                                                   {"complex64", {gemel::dtype_of<gemel::cfloat>(), 0x1p-23}},
                                                   {"float64", {gemel::dtype_of<double>(), 0x1p-52}},
                                                   {"complex128", {gemel::dtype_of<gemel::cdouble>(), 0x1p-52}}};

/// What an element may be off by: this much, and multiples of the sum of its terms' magnitudes and of itself.
struct Tolerance {
    double absolute = 0, of_magnitude = 0, of_result = 0;
};

bool has_tensor_cores() {
    const std::string& name = gemel::default_context().device().info().architecture;
    return name.starts_with("sm_") && std::stoi(name.substr(3)) >= 80;
}

class Comparison {
   public:
    explicit Comparison(std::string folder)
        : folder_(std::move(folder)), arrays_(gemel::load_npz(folder_ + "/arrays.npz")) {}

    int run() {
        std::ifstream list(folder_ + "/cases.txt");
        std::size_t cases = 0;
        for (std::string line; std::getline(list, line); ++cases) {
            std::istringstream in(line);
            in >> case_.name >> case_.kind >> case_.layouts >> case_.dtype;
            std::getline(in >> std::ws, case_.options);
            if (case_.layouts.empty()) continue;
            try {
                check(computed());
            } catch (const gemel::Error& error) {
                complain(std::string("throws: ") + error.what());
            }
        }
        std::printf("%zu cases, %zu wrong\n", cases, wrong_);
        return cases == 0 || wrong_ > 0;
    }

   private:
    void complain(const std::string& what) {
        ++wrong_;
        std::printf("%s %s %s %s %s: %s\n", case_.name.c_str(), case_.kind.c_str(), case_.layouts.c_str(),
                    case_.dtype.c_str(), case_.options.c_str(), what.c_str());
    }

    gemel::AnyArray operand(std::size_t k) const {
        gemel::AnyArray stored = arrays_.at(case_.name + "_" + std::to_string(k));
        if (case_.dtype == "bfloat16") stored = stored.astype(gemel::dtype_of<gemel::bfloat16>());
        switch (case_.layouts[k]) {
            case 'f': return stored.copy(gemel::Order::F);
            case 't': return with_last_axes_swapped(stored);
            case 's': return stored(gemel::ellipsis, gemel::slice({}, {}, 2));
            case 'n': return stored(gemel::slice({}, {}, -1));
            case 'm': return stored(gemel::ellipsis, gemel::slice({}, {}, -1));
            default: return stored;
        }
    }

    static gemel::AnyArray with_last_axes_swapped(const gemel::AnyArray& array) {
        gemel::Axes axes;
        for (std::size_t k = 0; k < array.rank(); ++k) axes.push_back(static_cast<std::int64_t>(k));
        std::swap(axes[axes.size() - 2], axes[axes.size() - 1]);
        return array.permute(axes);
    }

    gemel::AnyArray computed() {
        std::vector<gemel::AnyArray> operands;
        for (std::size_t k = 0; k < case_.layouts.size(); ++k) operands.push_back(operand(k));
        if (case_.kind == "einsum") return einsum(operands);
        if (case_.kind == "matmul") return gemel::matmul(operands[0], operands[1], {.precision = precision()});
        const gemel::ConvolveOptions options = convolve_options();
        if (case_.kind == "convolve") return gemel::convolve(operands[0], operands[1], options);
        if (case_.kind == "convolve2d") return gemel::convolve2d(operands[0], operands[1], options);
        if (case_.kind == "correlate2d") return gemel::correlate2d(operands[0], operands[1], options);
        return gemel::convolve_separable(operands[0], operands[1], operands[2], options);
    }

    gemel::ConvolveOptions convolve_options() {
        using gemel::Boundary, gemel::PadMode;
        static const std::map<std::string, Boundary> modes{
            {"full", Boundary::full}, {"same", Boundary::same}, {"valid", Boundary::valid}};
        static const std::map<std::string, PadMode> borders{{"constant", PadMode::constant},
                                                            {"edge", PadMode::edge},
                                                            {"reflect", PadMode::reflect},
                                                            {"symmetric", PadMode::symmetric},
                                                            {"wrap", PadMode::wrap}};
        std::istringstream in(case_.options);
        std::string mode, border;
        int fill = 0, rows = 1, columns = 1;
        gemel::ConvolveOptions options;
        in >> mode >> border >> fill >> rows >> columns >> options.tuning.serial >> options.axis;
        options.mode = modes.at(mode);
        options.border = borders.at(border);
        options.stride = {rows, columns};
        if (fill != 0) options.fill = fill;
        return options;
    }

    gemel::AnyArray einsum(const std::vector<gemel::AnyArray>& operands) {
        std::istringstream in(case_.options);
        std::string order, subscripts;
        in >> order;
        std::getline(in >> std::ws, subscripts);
        gemel::EinsumOptions options;
        if (order == "greedy") options.order = gemel::EinsumOrder::greedy;
        if (order == "left_to_right") options.order = gemel::EinsumOrder::left_to_right;
        return gemel::detail::einsum_of(subscripts, operands, {}, options);
    }

    gemel::Precision precision() const {
        if (case_.options.starts_with("split")) return gemel::Precision::split;
        return case_.options.starts_with("tensor") ? gemel::Precision::tensor : gemel::Precision::exact;
    }

    Tolerance tolerance(const gemel::AnyArray& found) const {
        const double epsilon = inexact_types.at(case_.dtype).epsilon;
        if (case_.kind != "matmul") return {16 * epsilon, 16 * epsilon};
        std::istringstream in(case_.options);
        std::string precision;
        double terms = 0;
        in >> precision >> terms;
        // n additions of products are rounded by half an epsilon each, and cut off by a whole one on tensor cores. A
        // part of a complex number is a sum of 2 n such products, and there are two parts: sqrt(2) n epsilon.
        const bool is_complex = found.dtype().kind() == gemel::DType::Kind::complex;
        Tolerance result{.of_magnitude = terms * epsilon * (is_complex ? std::sqrt(2.0) : 1)};
        // Accumulated in float and rounded once, of half also among the denormal numbers.
        if (found.dtype().size_bytes() == 2) result = {0x1p-25, terms * 0x1p-23, epsilon / 2};
        // Each factor has 11 bits and is off by 2^-10 at most.
        if (precision == "tensor" && has_tensor_cores()) result.of_magnitude += 0x1p-9 + 0x1p-20;
        return result;
    }

    void check(const gemel::AnyArray& found) {
        const gemel::AnyArray expected = arrays_.at(case_.name + "_r");
        if (!(found.shape() == expected.shape()))
            return complain("has the shape " + gemel::to_string(found.shape()) + ", not " +
                            gemel::to_string(expected.shape()));
        const auto type = inexact_types.find(case_.dtype);
        if (!(found.dtype() == (type == inexact_types.end() ? expected.dtype() : type->second.dtype)))
            return complain(std::string("is of ") + found.dtype().name());
        if (type == inexact_types.end())
            expect_equal(found, expected);
        else
            expect_near(found, expected, tolerance(found));
    }

    void expect_equal(const gemel::AnyArray& found, const gemel::AnyArray& expected) {
        const auto integers = [](const gemel::AnyArray& array) {
            return array.astype(gemel::dtype_of<std::int64_t>()).get<std::int64_t>();
        };
        const std::vector<std::int64_t> a = integers(found), b = integers(expected);
        for (std::size_t i = 0; i < a.size(); ++i)
            if (a[i] != b[i]) return complain_of(i, a, b);
    }

    void expect_near(const gemel::AnyArray& found, const gemel::AnyArray& expected, const Tolerance& tolerance) {
        const std::vector<gemel::cdouble> a = found.astype(gemel::dtype_of<gemel::cdouble>()).get<gemel::cdouble>(),
                                          b = expected.astype(gemel::dtype_of<gemel::cdouble>()).get<gemel::cdouble>();
        const std::vector<double> m = gemel::GPUArray<double>(arrays_.at(case_.name + "_m")).get();
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double most =
                tolerance.absolute + tolerance.of_magnitude * m[i] + tolerance.of_result * std::abs(b[i]);
            if (!(std::abs(a[i] - b[i]) <= most)) return complain_of(i, a, b);
        }
    }

    template <class T>
    void complain_of(std::size_t i, const std::vector<T>& found, const std::vector<T>& expected) {
        std::ostringstream out;
        out.precision(17);
        out << "element " << i << " of " << found.size() << " is " << found[i] << ", not " << expected[i];
        complain(out.str());
    }

    const std::string folder_;
    const std::map<std::string, gemel::AnyArray> arrays_;
    Case case_;
    std::size_t wrong_ = 0;
};

}  // namespace

int main(int, char** argv) try {
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    return Comparison(argv[1]).run();
} catch (...) {
    return gemel::grid::exit_code();
}
