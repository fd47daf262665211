/// Reads the cases that numpy_dense.py wrote and compares what gemel makes of them.
#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Case {
    std::string name, kind, layouts, options;
};

class Comparison {
   public:
    explicit Comparison(std::string folder)
        : folder_(std::move(folder)), arrays_(gemel::load_npz(folder_ + "/arrays.npz")) {}

    int run() {
        std::ifstream list(folder_ + "/cases.txt");
        std::size_t cases = 0;
        for (std::string line; std::getline(list, line); ++cases) {
            std::istringstream in(line);
            in >> case_.name >> case_.kind >> case_.layouts;
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
        std::printf("%s %s %s: %s\n", case_.name.c_str(), case_.kind.c_str(), case_.options.c_str(), what.c_str());
    }

    gemel::AnyArray operand(std::size_t k) const {
        const gemel::AnyArray stored = arrays_.at(case_.name + "_" + std::to_string(k));
        switch (case_.layouts[k]) {
            case 'f': return stored.copy(gemel::Order::F);
            case 's': return stored(gemel::ellipsis, gemel::slice({}, {}, 2));
            case 'n': return stored(gemel::slice({}, {}, -1));
            default: return stored;
        }
    }

    gemel::AnyArray computed() {
        std::vector<gemel::AnyArray> operands;
        for (std::size_t k = 0; k < case_.layouts.size(); ++k) operands.push_back(operand(k));
        if (case_.kind == "einsum") return einsum(operands);
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
        in >> dtype_ >> mode >> border >> fill >> rows >> columns >> options.tuning.serial >> options.axis;
        options.mode = modes.at(mode);
        options.border = borders.at(border);
        options.stride = {rows, columns};
        if (fill != 0) options.fill = fill;
        return options;
    }

    gemel::AnyArray einsum(const std::vector<gemel::AnyArray>& operands) {
        std::istringstream in(case_.options);
        std::string order, subscripts;
        in >> dtype_ >> order;
        std::getline(in >> std::ws, subscripts);
        gemel::EinsumOptions options;
        if (order == "greedy") options.order = gemel::EinsumOrder::greedy;
        if (order == "left_to_right") options.order = gemel::EinsumOrder::left_to_right;
        return gemel::detail::einsum_of(subscripts, operands, {}, options);
    }

    void check(const gemel::AnyArray& found) {
        const gemel::AnyArray expected = arrays_.at(case_.name + "_r");
        if (!(found.shape() == expected.shape()))
            return complain("has the shape " + gemel::to_string(found.shape()) + ", not " +
                            gemel::to_string(expected.shape()));
        using Kind = gemel::DType::Kind;
        static const std::map<std::string, double> roundings{
            {"float16", 1.0 / 1024}, {"float32", 1.2e-7}, {"complex64", 1.2e-7}};
        const auto rounding = roundings.find(dtype_);
        const double epsilon = rounding == roundings.end() ? 2.3e-16 : rounding->second;
        if (found.dtype().kind() != Kind::complex && found.dtype().kind() != Kind::floating) {
            if (!(found.dtype() == expected.dtype())) return complain(std::string("is of ") + found.dtype().name());
            return same(found, expected, 0);
        }
        same(found, expected, 16 * epsilon);
    }

    void same(const gemel::AnyArray& found, const gemel::AnyArray& expected, double tolerance) {
        const std::vector<gemel::cdouble> a = found.astype(gemel::dtype_of<gemel::cdouble>()).get<gemel::cdouble>(),
                                          b = expected.astype(gemel::dtype_of<gemel::cdouble>()).get<gemel::cdouble>();
        const std::vector<double> m = gemel::GPUArray<double>(arrays_.at(case_.name + "_m")).get();
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::abs(a[i] - b[i]) <= tolerance * (1 + m[i]))) {
                std::ostringstream out;
                out << "element " << i << " of " << a.size() << " is " << a[i] << ", not " << b[i];
                return complain(out.str());
            }
    }

    const std::string folder_;
    const std::map<std::string, gemel::AnyArray> arrays_;
    Case case_;
    std::string dtype_;
    std::size_t wrong_ = 0;
};

}  // namespace

int main(int, char** argv) try {
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    return Comparison(argv[1]).run();
} catch (...) {
    return gemel::grid::exit_code();
}
