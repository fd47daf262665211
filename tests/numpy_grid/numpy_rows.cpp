/// Evaluates the expressions of numpy_rows.py and compares each with what NumPy found: element type, shape, values.
#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

struct Case {
    std::string number, operands, text;
    double distance = 0;
};

std::vector<Case> read_cases(const std::string& path) {
    std::ifstream file(path);
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Case next;
        std::string distance;
        std::getline(words, next.number, '\t');
        std::getline(words, distance, '\t');
        std::getline(words, next.operands, '\t');
        std::getline(words, next.text);
        next.distance = std::stod(distance);
        cases.push_back(next);
    }
    return cases;
}

/// What is wrong with a result, or nothing.
std::string difference(const gemel::AnyArray& found, const gemel::AnyArray& expected, double distance) {
    if (!(found.dtype() == expected.dtype()))
        return "is of " + found.dtype().name() + ", not " + expected.dtype().name();
    if (!(found.shape() == expected.shape()))
        return "has the shape " + gemel::to_string(found.shape()) + ", not " + gemel::to_string(expected.shape());
    const auto values = [](const gemel::AnyArray& x) {
        return gemel::GPUArray<double>(x.astype(gemel::dtype_of<double>())).get();
    };
    const std::vector<double> a = values(found), b = values(expected);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) || std::abs(a[i] - b[i]) <= distance;
        if (!same)
            return "element " + std::to_string(i) + " is " + std::to_string(a[i]) + ", NumPy's " +
                   std::to_string(b[i]) + ", which may differ by " + std::to_string(distance);
    }
    return {};
}

}  // namespace

int main(int, char** argv) try {
    const std::string folder = argv[1];
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    const auto arrays = gemel::load_npz(folder + "/arrays.npz"), expected = gemel::load_npz(folder + "/expected.npz");
    const std::vector<Case> cases = read_cases(folder + "/cases.txt");
    std::size_t wrong = 0;
    for (const Case& one : cases) {
        std::vector<gemel::NamedOperand> operands;
        std::istringstream names(one.operands);
        for (std::string name; std::getline(names, name, ',');) {
            const std::size_t equals = name.find('=');
            operands.push_back({name.substr(0, equals), arrays.at(name.substr(equals + 1))});
        }
        std::string what;
        try {
            what =
                difference(gemel::expression(one.text, operands).eval(), expected.at("e" + one.number), one.distance);
        } catch (const gemel::Error& error) {
            what = std::string("throws: ") + error.what();
        }
        if (what.empty()) continue;
        ++wrong;
        std::printf("case %s: %s of %s %s\n", one.number.c_str(), one.text.c_str(), one.operands.c_str(), what.c_str());
    }
    std::printf("%zu cases, %zu wrong\n", cases.size(), wrong);
    return cases.empty() || wrong > 0 ? 1 : 0;
} catch (...) {
    return gemel::grid::exit_code();
}
