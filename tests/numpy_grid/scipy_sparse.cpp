/// Reads the matrices that scipy_sparse.py wrote, compares what they give in every format with SciPy's results, and
/// writes them for SciPy to read.
#include "../left_out.hpp"

#include <gemel/gemel.hpp>

#include "exit_code.hpp"

#include <cmath>
#include <complex>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sparse = gemel::sparse;

namespace {

struct Case {
    std::string name, file, dtype;
};

class Comparison {
   public:
    explicit Comparison(std::string folder)
        : folder_(std::move(folder)), arrays_(gemel::load_npz(folder_ + "/arrays.npz")) {}

    int run() {
        std::ifstream list(folder_ + "/cases.txt");
        std::size_t cases = 0;
        for (Case one; list >> one.name >> one.file >> one.dtype; ++cases) {
            case_ = one;
            try {
                if (one.dtype == "float32") compare<float>();
                if (one.dtype == "float64") compare<double>();
                if (one.dtype == "complex64") compare<gemel::cfloat>();
                if (one.dtype == "complex128") compare<gemel::cdouble>();
            } catch (const gemel::Error& error) {
                complain(std::string("throws: ") + error.what());
            }
        }
        std::printf("%zu cases, %zu comparisons, %zu wrong\n", cases, comparisons_, wrong_);
        return cases == 0 || wrong_ > 0;
    }

   private:
    void complain(const std::string& what) {
        ++wrong_;
        std::printf("%s (%s of %s): %s\n", case_.name.c_str(), case_.file.c_str(), case_.dtype.c_str(), what.c_str());
    }

    template <class T>
    gemel::GPUArray<T> array(const std::string& what) const {
        return gemel::GPUArray<T>(arrays_.at(case_.name + "_" + what));
    }

    /// Values are quarters below 3, sums of at most some hundred of their products: floats differ by rounding only in
    /// complex products.
    template <class T>
    void same(const std::string& what, const gemel::AnyArray& found) {
        ++comparisons_;
        const gemel::GPUArray<T> expected = array<T>(what);
        if (!(found.shape() == expected.shape()))
            return complain(what + " has the shape " + gemel::to_string(found.shape()));
        const std::vector<T> a = found.get<T>(), b = expected.get();
        for (std::size_t i = 0; i < a.size(); ++i)
            if (!(std::abs(a[i] - b[i]) <=
                  64 * std::numeric_limits<gemel::RealOf<T>>::epsilon() * (1 + std::abs(b[i]))))
                return complain(what + " differs at element " + std::to_string(i));
    }

    template <class T>
    void compare() {
        const std::string path = folder_ + "/" + case_.file, out = folder_ + "/out_" + case_.name;
        const sparse::Matrix<T> read = path.ends_with(".npz") ? sparse::load_npz<T>(path) : sparse::load_mtx<T>(path);
        const gemel::GPUArray<T> x = array<T>("x");
        std::size_t turn = formats_++;
        for (const sparse::Format format :
             {sparse::Format::csr, sparse::Format::coo, sparse::Format::ell, sparse::Format::sell, sparse::Format::dia,
              sparse::Format::packeted, sparse::Format::automatic})
            if (!gemel::testing::is_left_out(4, turn++)) same<T>("y", read.to(format) * x);
        same<T>("dense", read.to_dense());
        same<T>("blocks", read * array<T>("block"));
        same<T>("turned", read.transpose() * array<T>("back"));
        const sparse::Matrix<T> right = sparse::dense(array<T>("right"));
        same<T>("sum", (read + right).to_dense());
        same<T>("product", (read * right.transpose()).to_dense());
        sparse::save_npz(out + "_csr.npz", read.to(sparse::Format::csr));
        sparse::save_npz(out + "_coo.npz", read.to(sparse::Format::coo));
        sparse::save_npz(out + "_dia.npz", read.to(sparse::Format::dia));
        sparse::save_mtx(out + "_text.mtx", read);
        same<T>("dense", sparse::load_npz<T>(out + "_dia.npz").to_dense());
        same<T>("dense", sparse::load_npz<T>(out + "_coo.npz").to_dense());
        same<T>("dense", sparse::load_mtx<T>(out + "_text.mtx").to_dense());
    }

    const std::string folder_;
    const std::map<std::string, gemel::AnyArray> arrays_;
    Case case_;
    std::size_t comparisons_ = 0, wrong_ = 0, formats_ = 0;
};

}  // namespace

int main(int, char** argv) try {
    std::printf("on %s\n", gemel::default_context().device().name().c_str());
    return Comparison(argv[1]).run();
} catch (...) {
    return gemel::grid::exit_code();
}
