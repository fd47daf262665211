/// Sparse matrices in files: round trips, what Matrix Market's kinds mean, damaged files.
/// tests/numpy_grid/scipy_sparse.sh asks SciPy itself.
#include "sparse_support.hpp"

using namespace gemel;
using namespace gemel::testing;
using sparse::Format;

namespace {

template <class T>
void check_round_trips(const std::filesystem::path& folder) {
    HostMatrix<T> host = scattered<T>(40, 30, 200, 61);
    for (T& value : host.values) value /= T(3);  // all digits matter
    const sparse::Matrix<T> a = host.on_device();
    const std::vector<T> dense = a.to_dense().get();
    sparse::save_mtx(folder / "a.mtx", a);
    CHECK_SAME(dense, sparse::load_mtx<T>(folder / "a.mtx").to_dense().get(), dtype_of<T>().name(), " as text");
    for (const Format format : {Format::csr, Format::coo, Format::dia}) {
        sparse::save_npz(folder / "a.npz", a.to(format));
        const sparse::Matrix<T> back = sparse::load_npz<T>(folder / "a.npz");
        CHECK_SAME(dense, back.to_dense().get(), dtype_of<T>().name(), " as ", sparse::to_string(format));
        CHECK(back.format() == (format == Format::dia ? Format::dia : Format::csr));
        CHECK(NpzFile(folder / "a.npz").load_word("format") == sparse::to_string(format));
    }
}

class MarketFile {
   public:
    template <class T = float>
    std::vector<T> dense(const std::string& content) const {
        return load<T>(content).to_dense().get();
    }
    template <class T = float>
    sparse::Matrix<T> load(const std::string& content) const {
        write_file(folder_ / "m.mtx", content);
        return sparse::load_mtx<T>(folder_ / "m.mtx");
    }

   private:
    ScratchFolder folder_;
};

const std::string banner = "%%MatrixMarket matrix coordinate ";

}  // namespace

TEST_SUITE_BEGIN("algorithms");

TEST_CASE("sparse matrices come back from files with the same bits") {
    const ScratchFolder folder;
    check_round_trips<float>(folder.path());
    check_round_trips<cfloat>(folder.path());
    if (lacks_double()) return;
    check_round_trips<double>(folder.path());
    check_round_trips<cdouble>(folder.path());
    const sparse::Matrix<double> none =
        sparse::coo<double>({0, 7}, std::vector<int>{}, std::vector<int>{}, std::vector<double>{});
    sparse::save_mtx(folder / "none.mtx", none);
    CHECK(sparse::load_mtx<double>(folder / "none.mtx").shape() == Shape{0, 7});
    sparse::save_npz(folder / "none.npz", none);
    CHECK(sparse::load_npz<float>(folder / "none.npz").shape() == Shape{0, 7});
}

TEST_CASE("Matrix Market's kinds of symmetry are filled in") {
    const MarketFile file;
    const std::string lower = "% a comment\n\n2 2 2\n1 1 3\n2 1 -1.5e0\n";
    CHECK(file.dense(banner + "real general\n" + lower) == std::vector<float>{3, 0, -1.5f, 0});
    CHECK(file.dense(banner + "real symmetric\r\n2 2 2\r\n1 1 3\r\n2 1 -1.5\r\n") ==
          std::vector<float>{3, -1.5f, -1.5f, 0});
    CHECK(file.dense(banner + "integer skew-symmetric\n2 2 1\n2 1 +4\n") == std::vector<float>{0, -4, 4, 0});
    CHECK(file.dense(banner + "pattern general\n2 2 2\n1 2\n1 2\n") == std::vector<float>{0, 2, 0, 0});
    CHECK(file.dense<cfloat>(banner + "complex hermitian\n2 2 2\n1 1 5 0\n2 1 1 2\n") ==
          std::vector<cfloat>{{5, 0}, {1, -2}, {1, 2}, {0, 0}});
    CHECK_THROWS_MENTIONING(Error, file.dense(banner + "real skew-symmetric\n2 2 1\n1 1 4\n"), "diagonal");
    CHECK_THROWS_MENTIONING(Error, file.dense(banner + "real hermitian\n2 2 1\n1 1 4\n"), "hermitian");
    CHECK_THROWS_MENTIONING(Error, file.dense(banner + "integer general\n2 2 1\n1 1 5.5\n"), "5.5");
    // Too small for a double: 0, as strtod() gives.
    CHECK(file.dense(banner + "real general\n2 2 2\n1 1 1e-400\n2 2 -0.5e-399\n") == std::vector<float>{0, 0, 0, 0});
    CHECK(file.dense("%%matrixmarket MATRIX array real general\n2 2\n1\n2\n3\n4\n") == std::vector<float>{1, 3, 2, 4});
    CHECK(file.dense("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3") == std::vector<float>{1, 2, 2, 3});
}

TEST_CASE("damaged Matrix Market files are refused with their line") {
    const MarketFile file;
    const auto refused = [&](const std::string& content, std::initializer_list<std::string_view> words) {
        const std::string message = message_of<Error>([&] { (void)file.load(content); });
        CHECK_MESSAGE(mentions(message, words), message);
    };
    refused("", {"sparse::load_mtx", "m.mtx", "%%MatrixMarket"});
    refused(banner + "real general\n3 9223372036854775807 1\n1 9223372036854775807 2\n",
            {"sparse::load_mtx", "m.mtx", "more than 2^63"});
    refused("%%MatrixMarket vector coordinate real general\n", {"'vector'", "expected a matrix"});
    refused(banner + "real\n", {"line 1", "symmetry is ''"});
    refused(banner + "quaternion general\n", {"'quaternion'"});
    refused("%%MatrixMarket matrix array pattern general\n", {"field pattern, got array"});
    refused(banner + "real general\n", {"size"});
    refused(banner + "real general\n2 2\n", {"line 2", "number of entries is missing"});
    refused(banner + "real general\n2 -2 0\n", {"line 2", "at least 0"});
    refused(banner + "real symmetric\n2 3 0\n", {"2 rows and 3 columns"});
    refused(banner + "real general\n2 2 2\n1 1 1\n", {"after 1 of 2 entries"});
    refused(banner + "real general\n2 2 1\n1 1 1\n2 2 2\n", {"line 4", "no more entries"});
    refused(banner + "real general\n2 2 1\n3 1 1\n", {"line 3", "row 3 and column 1", "1 to 2"});
    refused(banner + "real general\n2 2 1\n0 1 1\n", {"row 0"});
    refused(banner + "real general\n2 2 1\n1 1 one\n", {"line 3", "'one'", "value"});
    refused(banner + "real general\n2 2 1\n1 1 1e400\n", {"line 3", "'1e400'", "value"});
    refused(banner + "real general\n2 2 1\n1 1 1 1\n", {"'1' follows the last number"});
    refused(banner + "complex general\n2 2 1\n1 1 1 1\n", {"complex", "float"});
    CHECK_THROWS_MENTIONING(Error, sparse::load_mtx<float>("/nowhere/m.mtx"), "sparse::load_mtx", "/nowhere/m.mtx");
}

TEST_CASE("npz files that are no sparse matrix are refused") {
    const ScratchFolder folder;
    const auto path = folder / "x.npz";
    const AnyArray shape = to_gpu(std::vector<std::int64_t>{2, 2}), starts = to_gpu(std::vector<int>{0, 1, 2}),
                   numbers = to_gpu(std::vector<int>{0, 1}), data = to_gpu(std::vector<float>{1, 2});
    using Arrays = std::map<std::string, AnyArray>;
    const Arrays right{{"shape", shape}, {"indptr", starts}, {"indices", numbers}, {"data", data}};
    const auto refused = [&](const Arrays& arrays, const std::string& format,
                             std::initializer_list<std::string_view> words) {
        save_npz(path, arrays, {{"format", format}});
        const std::string message = message_of<Error>([&] { (void)sparse::load_npz<float>(path); });
        CHECK_MESSAGE(mentions(message, words), message);
    };
    const auto with = [&](const std::string& name, const AnyArray& array) {
        Arrays arrays = right;
        arrays[name] = array;
        return arrays;
    };
    save_npz(path, right);
    CHECK_THROWS_MENTIONING(Error, sparse::load_npz<float>(path), "sparse::load_npz", "x.npz", "'format'");
    refused(right, "bsr", {"'bsr'", "csr, csc, coo or dia"});
    refused({{"shape", shape}}, "csr", {"load_npz", "'data'"});
    refused(with("shape", data), "csr", {"'shape'", "two integers"});
    refused(with("indices", data), "csr", {"'indices'", "float"});
    refused(with("indices", to_gpu(std::vector<int>{0, 2})), "csr", {"x.npz", "entry 1", "number 2"});
    refused(with("indptr", numbers), "csr", {"3 starts for 2 rows", "got 2"});
    refused(with("data", data.astype(dtype_of<cfloat>())), "csr", {"cfloat", "float cannot hold"});
    refused(with("data", data.reshape({1, 2})), "csr", {"'data'", "1 axis"});
    refused({{"shape", shape}, {"data", data.reshape({1, 2})}, {"offsets", numbers}}, "dia", {"2 offsets for 1"});
    Arrays words = right;
    words["format"] = data;
    save_npz(path, words);
    CHECK_THROWS_MENTIONING(Error, sparse::load_npz<float>(path), "'format'", "not a string");
}

TEST_SUITE_END();
