/// Evaluates the expressions of numpy_rows.py and compares each with what NumPy found: element type, shape, values.
#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using gemel::AnyArray, gemel::AnyExpr, gemel::ReduceOptions;

struct Case {
    std::string number, state, form, operands, text, option;
};

std::vector<Case> read_cases(const std::string& path) {
    std::ifstream file(path);
    std::vector<Case> cases;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        Case next;
        for (std::string* word : {&next.number, &next.state, &next.form, &next.operands, &next.text, &next.option})
            std::getline(words, *word, '\t');
        cases.push_back(next);
    }
    return cases;
}

std::vector<double> values_of(const AnyArray& x) {
    return gemel::GPUArray<double>(x.astype(gemel::dtype_of<double>())).get();
}

/// What is wrong with a result, or nothing.
/// @param tolerance  by how much each element may differ; an empty handle: not at all
std::string difference(const AnyArray& found, const AnyArray& expected, const AnyArray& tolerance) {
    if (!(found.dtype() == expected.dtype()))
        return "is of " + found.dtype().name() + ", not " + expected.dtype().name();
    if (!(found.shape() == expected.shape()))
        return "has the shape " + gemel::to_string(found.shape()) + ", not " + gemel::to_string(expected.shape());
    if (tolerance.empty() && found.dtype().kind() != gemel::DType::Kind::floating) {  // 64 bits do not fit a double
        const AnyArray unequal = AnyExpr(found) != expected;
        return gemel::any(unequal).item<bool>() ? "differs" : "";
    }
    const std::vector<double> a = values_of(found), b = values_of(expected);
    const std::vector<double> distance = tolerance.empty() ? std::vector<double>(a.size()) : values_of(tolerance);
    for (std::size_t i = 0; i < a.size(); ++i) {
        const bool same =
            a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])) || std::abs(a[i] - b[i]) <= distance[i];
        if (same) continue;
        std::ostringstream out;
        out.precision(17);
        out << "element " << i << " of " << gemel::to_string(found.shape()) << " is " << a[i] << ", NumPy's " << b[i]
            << ", which may differ by " << distance[i];
        return out.str();
    }
    return {};
}

AnyArray reduced(const std::string& name, const AnyExpr& x, const ReduceOptions& options) {
    using Function = AnyArray (*)(const AnyExpr&, const ReduceOptions&);
#define GEMEL_ROW(function) \
    { \
        #function, \
            [](const AnyExpr& x, const ReduceOptions& options) -> AnyArray { return gemel::function(x, options); } \
    }
    static const std::map<std::string, Function> functions{
        GEMEL_ROW(sum), GEMEL_ROW(prod),   GEMEL_ROW(min),    GEMEL_ROW(max),           GEMEL_ROW(any),
        GEMEL_ROW(all), GEMEL_ROW(argmin), GEMEL_ROW(argmax), GEMEL_ROW(count_nonzero), GEMEL_ROW(mean),
        GEMEL_ROW(var), GEMEL_ROW(stddev), GEMEL_ROW(norm),
    };
#undef GEMEL_ROW
    return functions.at(name)(x, options);
}

class Comparison {
   public:
    explicit Comparison(const std::string& folder)
        : arrays_(gemel::load_npz(folder + "/arrays.npz")), expected_(gemel::load_npz(folder + "/expected.npz")) {}

    /// What is wrong with a case, or nothing.
    std::string run(const Case& one) const {
        try {
            const std::vector<AnyArray> found = computed(one);
            if (one.state == "refused") {  // of results without elements nothing is computed
                for (const AnyArray& each : found)
                    if (each.size() == 0) return {};
                return "is not refused";
            }
            std::string what;
            for (std::size_t k = 0; k < found.size() && what.empty(); ++k) {
                const std::string name = std::string(1, "ef"[k]) + one.number;
                const auto tolerance = expected_.find("tolerance_" + name);
                what = difference(found[k], expected_.at(name),
                                  tolerance == expected_.end() ? AnyArray() : tolerance->second);
            }
            return what;
        } catch (const gemel::ArgumentError& error) {
            return one.state == "refused" ? "" : std::string("throws: ") + error.what();
        } catch (const gemel::Error& error) {
            return std::string("throws: ") + error.what();
        }
    }

   private:
    AnyArray operand(const std::string& name) const {
        const std::size_t slash = name.find('/');
        const AnyArray& stored = arrays_.at(name.substr(0, slash));
        switch (name[slash + 1]) {
            case 'f': return stored.copy(gemel::Order::F);
            case 's': return stored(gemel::ellipsis, gemel::slice({}, {}, 2));
            case 'n': return stored(gemel::slice({}, {}, -1));
            default: return stored;
        }
    }

    /// An array of a layout as in operand(), within memory that is filled with ones.
    static std::pair<AnyArray, AnyArray> target(const AnyExpr& value, char layout) {
        gemel::Shape shape = value.shape();
        if (layout == 's') shape[shape.rank() - 1] *= 2;
        const AnyArray one = gemel::ones<std::uint8_t>(shape).astype(value.dtype());
        switch (layout) {
            case 'f': {
                const AnyArray turned = one.copy(gemel::Order::F);
                return {turned, turned};
            }
            case 's': return {one, one(gemel::ellipsis, gemel::slice({}, {}, 2))};
            case 'n': return {one, one(gemel::slice({}, {}, -1))};
            default: return {one, one};
        }
    }

    static AnyArray into(const AnyExpr& value, char layout) {
        const auto [memory, view] = target(value, layout);
        gemel::evaluate_into(view, value);
        if (layout == 's') {
            const AnyArray between = AnyExpr(memory(gemel::ellipsis, gemel::slice(1, {}, 2))) != 1;
            if (gemel::any(between).item<bool>()) throw gemel::Error("evaluate_into wrote beside its target");
        }
        return view;
    }

    std::vector<AnyArray> computed(const Case& one) const {
        std::vector<gemel::NamedOperand> operands;
        std::istringstream names(one.operands);
        for (std::string name; std::getline(names, name, ',');) {
            const std::size_t equals = name.find('=');
            operands.push_back({name.substr(0, equals), operand(name.substr(equals + 1))});
        }
        const AnyExpr value = gemel::expression(one.text, operands);
        if (one.form == "into") return {into(value, one.option.at(0))};
        if (one.form == "pair") {
            const auto [first, second] = gemel::evaluate(value, gemel::expression(one.option, operands));
            return {first, second};
        }
        if (one.form == "reduced") {
            std::istringstream words(one.option);
            std::string name, axes;
            ReduceOptions options;
            words >> name >> axes >> options.keepdims;
            std::vector<int> list;
            std::istringstream each(axes);
            for (std::string axis; axes != "all" && std::getline(each, axis, ',');) list.push_back(std::stoi(axis));
            if (list.size() == 1) options.axis = list.front();
            if (list.size() > 1) options.axis = list;
            return {reduced(name, value, options)};
        }
        return {value.eval()};
    }

    const std::map<std::string, AnyArray> arrays_, expected_;
};

}  // namespace

int main(int count, char** argv) try {
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    std::size_t cases = 0, wrong = 0;
    for (int k = 1; k < count; ++k) {
        const std::string folder = argv[k];
        const Comparison comparison(folder);
        for (const Case& one : read_cases(folder + "/cases.txt")) {
            ++cases;
            const std::string what = comparison.run(one);
            if (what.empty()) continue;
            ++wrong;
            std::printf("%s: case %s, %s: %s %s of %s %s\n", folder.c_str(), one.number.c_str(), one.form.c_str(),
                        one.text.c_str(), one.option.c_str(), one.operands.c_str(), what.c_str());
        }
    }
    std::printf("%zu cases, %zu wrong\n", cases, wrong);
    return cases == 0 || wrong > 0 ? 1 : 0;
} catch (...) {
    return gemel::grid::exit_code();
}
