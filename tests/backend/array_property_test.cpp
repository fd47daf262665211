/// Random chains of views against a model on the host. A failing case is printed as a program to be pasted.
#include "array_support.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

using namespace gemel;
using gemel::testing::counted;

namespace {

/// What a view is by definition: for each of its elements, in C order, which element of the first array it is.
struct Model {
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> positions;

    /// A new shape whose element at `index` is this model's element at `source(index)`.
    template <class Source>
    Model mapped(std::vector<std::int64_t> new_shape, const Source& source) const {
        Model result{std::move(new_shape), {}};
        const auto count =
            std::accumulate(result.shape.begin(), result.shape.end(), std::int64_t{1}, std::multiplies<>());
        for (std::int64_t i = 0; i < count; ++i) {
            std::vector<std::int64_t> index(result.shape.size());
            std::int64_t rest = i;
            for (std::size_t axis = index.size(); axis-- > 0;) {
                index[axis] = rest % result.shape[axis];
                rest /= result.shape[axis];
            }
            const std::vector<std::int64_t> from = source(index);
            std::int64_t position = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) position = position * shape[axis] + from[axis];
            result.positions.push_back(positions[static_cast<std::size_t>(position)]);
        }
        return result;
    }
};

class Chain {
   public:
    explicit Chain(unsigned seed) : random_(seed) {}

    void start() {
        Shape shape;
        const int rank = pick(0, 4);
        for (int k = 0; k < rank; ++k) shape.push_back(pick(0, 12) == 0 ? 0 : pick(1, 5));
        model_.shape.assign(shape.begin(), shape.end());
        model_.positions.resize(shape.count());
        std::iota(model_.positions.begin(), model_.positions.end(), 0);
        const Order order = pick(0, 1) ? Order::C : Order::F;
        base = view = counted(shape, order);
        program = "const auto a = counted({" + joined(model_.shape) + "}, Order::" + (order == Order::C ? "C" : "F") +
                  ");\n" + "const auto b = a";
    }

    void step() {
        switch (pick(0, 6)) {
            case 0:
            case 1: return index();
            case 2: return permute();
            case 3: return reshape();
            case 4: return repeat();
            case 5: return diagonal();
            default:
                program += ".squeeze()";
                view = view.squeeze();
                std::erase(model_.shape, 1);
        }
    }

    const Model& model() const { return model_; }
    int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

    GPUArray<std::int32_t> base, view;
    std::string program;

   private:
    static std::string joined(const std::vector<std::int64_t>& values) {
        std::string result;
        for (const auto value : values) result += (result.empty() ? "" : ", ") + std::to_string(value);
        return result;
    }

    /// The indices of one view as they are drawn: how they are written, and what a model does with them.
    struct Indexing {
        /// For an axis of the model the axis of the result and the numbers that lead from one to the other.
        struct Way {
            std::int64_t start, step;
            int axis;
        };
        std::vector<Index> indices;
        std::string text;
        std::vector<std::int64_t> shape;
        std::vector<Way> ways;

        void add(const Index& entry, const std::string& written) {
            indices.push_back(entry);
            text += (text.empty() ? "" : ", ") + written;
        }
        void keep_axis(std::int64_t start, std::int64_t step, std::int64_t extent) {
            ways.push_back({start, step, static_cast<int>(shape.size())});
            shape.push_back(extent);
        }
        /// The model's index of an element of the result.
        std::vector<std::int64_t> source(const std::vector<std::int64_t>& at) const {
            std::vector<std::int64_t> from;
            for (const Way& way : ways)
                from.push_back(way.start + (way.axis < 0 ? 0 : way.step * at[static_cast<std::size_t>(way.axis)]));
            return from;
        }
    };

    void add_position(Indexing& made, int n) {
        const int position = pick(-n, n - 1);
        made.add(position, std::to_string(position));
        made.ways.push_back({position < 0 ? position + n : position, 0, -1});
    }

    void add_slice(Indexing& made, int n) {
        const int step = pick(0, 1) ? 1 : (pick(0, 1) ? 1 : -1) * pick(1, 3);
        const int start = pick(-n - 1, n + 1), stop = pick(-n - 1, n + 1);
        const bool has_start = pick(0, 1), has_stop = pick(0, 1);
        made.add(slice(has_start ? SliceBound(start) : SliceBound(), has_stop ? SliceBound(stop) : SliceBound(), step),
                 gemel::text("slice(", has_start ? std::to_string(start) : "{}", ", ",
                             has_stop ? std::to_string(stop) : "{}", ", ", step, ")"));
        // Python's rule: bounds from the end, then moved inside, then walked along.
        const auto inside = [&](bool given, int bound, int otherwise) {
            if (!given) return otherwise;
            return std::clamp(bound < 0 ? bound + n : bound, step < 0 ? -1 : 0, step < 0 ? n - 1 : n);
        };
        const int first = inside(has_start, start, step < 0 ? n - 1 : 0);
        const int end = inside(has_stop, stop, step < 0 ? -1 : n);
        int count = 0;
        for (int i = first; step < 0 ? i > end : i < end; i += step) ++count;
        made.keep_axis(first, step, count);
    }

    void index() {
        Indexing made;
        const auto rank = static_cast<int>(model_.shape.size());
        const auto extent = [&](int axis) { return model_.shape[static_cast<std::size_t>(axis)]; };
        const int ellipsis_at = pick(0, 2) == 0 ? pick(0, rank) : -1;
        const int ellipsis_length = ellipsis_at < 0 ? 0 : pick(0, rank - ellipsis_at);
        for (int axis = 0; axis <= rank; ++axis) {
            if (pick(0, 7) == 0) {
                made.add(newaxis, "newaxis");
                made.shape.push_back(1);
            }
            if (axis == ellipsis_at) {
                made.add(ellipsis, "ellipsis");
                for (int k = 0; k < ellipsis_length; ++k) made.keep_axis(0, 1, extent(axis + k));
                axis += ellipsis_length;
            }
            if (axis >= rank) break;
            const auto n = static_cast<int>(extent(axis));
            if (n > 0 && pick(0, 3) == 0)
                add_position(made, n);
            else
                add_slice(made, n);
        }
        program += "(" + made.text + ")";
        view = view.view(made.indices);
        model_ = model_.mapped(made.shape, [&](const std::vector<std::int64_t>& at) { return made.source(at); });
    }

    void permute() {
        std::vector<std::int64_t> axes(model_.shape.size()), shape;
        std::iota(axes.begin(), axes.end(), 0);
        std::shuffle(axes.begin(), axes.end(), random_);
        for (const auto axis : axes) shape.push_back(model_.shape[static_cast<std::size_t>(axis)]);
        program += ".permute({" + joined(axes) + "})";
        view = view.permute(Axes(std::span<const std::int64_t>(axes)));
        model_ = model_.mapped(shape, [&](const std::vector<std::int64_t>& at) {
            std::vector<std::int64_t> from(at.size());
            for (std::size_t k = 0; k < at.size(); ++k) from[static_cast<std::size_t>(axes[k])] = at[k];
            return from;
        });
    }

    void reshape() {
        // Some way to write the number of elements as a product.
        auto rest = static_cast<std::int64_t>(model_.positions.size());
        std::vector<std::int64_t> shape;
        while (rest > 1) {
            std::int64_t part = pick(1, static_cast<int>(std::min<std::int64_t>(rest, 12)));
            while (rest % part != 0) --part;
            if (part == 1 && pick(0, 2) > 0) part = rest;
            shape.push_back(part);
            rest /= part;
        }
        if (model_.positions.empty()) shape = {3, 0};
        program += ".reshape({" + joined(shape) + "})";
        view = view.reshape(Shape(std::span<const std::int64_t>(shape)));
        model_.shape = shape;
    }

    void repeat() {
        if (model_.positions.size() > 300) return;
        std::vector<std::int64_t> shape = model_.shape;
        for (auto& extent : shape)
            if (extent == 1) extent = pick(1, 3);
        if (pick(0, 1)) shape.insert(shape.begin(), pick(1, 3));
        program += ".broadcast_to({" + joined(shape) + "})";
        view = view.broadcast_to(Shape(std::span<const std::int64_t>(shape)));
        const std::vector<std::int64_t> old = model_.shape;
        model_ = model_.mapped(shape, [&](const std::vector<std::int64_t>& at) {
            std::vector<std::int64_t> from(at.end() - static_cast<std::ptrdiff_t>(old.size()), at.end());
            for (std::size_t k = 0; k < old.size(); ++k)
                if (old[k] == 1) from[k] = 0;
            return from;
        });
    }

    void diagonal() {
        const auto rank = static_cast<int>(model_.shape.size());
        if (rank < 2) return;
        const int first = pick(0, rank - 1), second = (first + pick(1, rank - 1)) % rank, offset = pick(-3, 3);
        program += gemel::text(".diagonal(", offset, ", ", first, ", ", second, ")");
        view = view.diagonal(offset, first, second);
        const std::int64_t down = std::max(-offset, 0), right = std::max(offset, 0);
        std::int64_t count = 0;
        while (down + count < model_.shape[static_cast<std::size_t>(first)] &&
               right + count < model_.shape[static_cast<std::size_t>(second)])
            ++count;
        std::vector<std::int64_t> shape;
        for (int k = 0; k < rank; ++k)
            if (k != first && k != second) shape.push_back(model_.shape[static_cast<std::size_t>(k)]);
        shape.push_back(count);
        model_ = model_.mapped(shape, [&](const std::vector<std::int64_t>& at) {
            std::vector<std::int64_t> from;
            std::size_t next = 0;
            for (int k = 0; k < rank; ++k)
                from.push_back(k == first ? at.back() + down : k == second ? at.back() + right : at[next++]);
            return from;
        });
    }

    std::mt19937 random_;
    Model model_;
};

}  // namespace

TEST_SUITE_BEGIN("arrays");

TEST_CASE("random chains of views read and write what the model says") {
    int views = 0;
    for (unsigned seed = 1; seed <= 400; ++seed) {
        Chain chain(seed);
        chain.start();
        const int steps = chain.pick(1, 5);
        for (int k = 0; k < steps; ++k) chain.step();
        INFO("seed ", seed, ":\n", chain.program, ";\nCHECK(b.get() == model);");

        const Model& model = chain.model();
        REQUIRE(to_string(chain.view.shape()) == to_string(Shape(std::span<const std::int64_t>(model.shape))));
        const auto base = chain.base.get();
        std::vector<std::int32_t> expected;
        for (const std::int64_t position : model.positions)
            expected.push_back(base[static_cast<std::size_t>(position)]);
        REQUIRE(chain.view.get() == expected);
        REQUIRE(chain.view.copy().get() == expected);
        const auto wide = chain.view.astype<double>().get();
        REQUIRE(std::equal(wide.begin(), wide.end(), expected.begin(), expected.end()));

        if (!chain.view.is_view_of(chain.base) || chain.view.repeats()) continue;
        // Two diagonals of one array may meet as well: what repeats elements by such steps is not written to here.
        std::vector<std::int64_t> once = model.positions;
        std::sort(once.begin(), once.end());
        if (std::adjacent_find(once.begin(), once.end()) != once.end()) continue;
        ++views;
        std::vector<std::int32_t> written(expected.size()), whole = base;
        std::iota(written.begin(), written.end(), 1000);
        chain.view.set(written);
        for (std::size_t i = 0; i < written.size(); ++i)
            whole[static_cast<std::size_t>(model.positions[i])] = written[i];
        REQUIRE(chain.base.get() == whole);
        chain.view.fill(-5);
        for (const std::int64_t position : model.positions) whole[static_cast<std::size_t>(position)] = -5;
        REQUIRE(chain.base.get() == whole);
        chain.base.set(base);
        // Onto itself, backwards: through a temporary.
        const auto flat = chain.view.ravel();
        if (!flat.is_view_of(chain.base)) continue;
        flat.assign(flat(slice({}, {}, -1)));
        whole = base;
        for (std::size_t i = 0; i < expected.size(); ++i)
            whole[static_cast<std::size_t>(model.positions[i])] = expected[expected.size() - 1 - i];
        REQUIRE(chain.base.get() == whole);
    }
    CHECK(views > 100);  // or the test would prove little
}
