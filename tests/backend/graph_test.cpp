/// Graphs: work recorded once and launched many times, beside direct calls of the same kernels.
#include "support.hpp"

#include <gemel/gemel.hpp>

#include <cmath>
#include <thread>

using namespace gemel;
using gemel::testing::common_kernel;
using gemel::testing::downloaded;
using gemel::testing::mentions;
using gemel::testing::message_of;

namespace {

constexpr int n = 1000;

const ElementwiseKernel& add_k() {
    static const ElementwiseKernel kernel("const float *from, float *to, float k", "to[i] = from[i] + k", "add_k");
    return kernel;
}

std::vector<float> ramp(int count, float start = 0) {
    std::vector<float> values(static_cast<std::size_t>(count));
    std::iota(values.begin(), values.end(), start);
    return values;
}

GPUArray<float> whole_numbers(std::size_t count, int seed) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i)
        values[i] = static_cast<float>((i * 7919 + static_cast<std::size_t>(seed)) % 11);
    return to_gpu(values);
}

}  // namespace

TEST_SUITE_BEGIN("core");

TEST_CASE("a graph runs what was recorded, as often as it is launched") {
    const Stream stream = current_context().create_stream(), other = current_context().create_stream();
    const GPUArray<float> x = to_gpu(ramp(n)), y = zeros<float>({n});
    const Graph graph = capture(stream, [&] {
        for (int k = 0; k < 5; ++k) {
            add_k()(x, y, 1.0f);
            add_k()(y, x, 2.0f);
        }
    });
    CHECK(graph.nodes() == 10);
    CHECK(x.get() == ramp(n));  // nothing ran
    CHECK(recorded_stream().empty());
    graph.launch();
    graph.launch(other);  // after the first, though on another stream
    CHECK(x.get() == ramp(n, 30));
    CHECK(y.get() == ramp(n, 28));
    add_k()(x, x, 1.0f);
    graph.launch(stream);
    CHECK(x.get() == ramp(n, 46));
    CHECK(mentions(graph.to_string(), {"graph of 10 nodes", "  9  add_k", "4000 bytes of memory", "float k = 2"}));
    const Graph same = graph;
    CHECK(same.nodes() == 10);
    const Graph nothing = capture(stream, [] {});
    CHECK(nothing.nodes() == 0);
    nothing.launch();
}

TEST_CASE("kernels that keep states from launch to launch are right in graphs and beside them") {
    using Strategy = codegen::ScanStrategy;
    const Stream stream = current_context().create_stream();
    const std::size_t count = 20000;
    const InclusiveScanKernel<float> scan("a+b", "graph_scan");
    const ScanOptions look_back{
        .tuning = {.block = 64, .access_bytes = 16, .items_per_thread = 8, .strategy = Strategy::look_back}};
    const SortOptions one_sweep{.tuning = {.strategy = codegen::SortStrategy::one_sweep}},
        one_launch{.tuning = {.strategy = codegen::SortStrategy::one_launch}};
    GPUArray<float> x = whole_numbers(count, 1), scanned = zeros<float>({count}), sorted = zeros<float>({count});
    GPUArray<float> rows = whole_numbers(140002, 2).reshape({2, 70001}), weights = zeros<float>({2, 70001});
    GPUArray<float> total = zeros<float>(Shape{});
    const auto run = [&] {
        scan(x, scanned, look_back);
        sorted.assign(gemel::sort(gemel::sort(gemel::sort(-x, one_launch), one_sweep) * -1.0f, one_launch));
        weights.assign(softmax(rows, 1));
        total.assign(sum(x * 2.0f));
    };
    run();  // direct calls have states of their own before
    const auto scanned_first = scanned.get(), sorted_first = sorted.get(), weights_first = weights.get();
    const auto totals = total.get();
    const Graph graph = capture(stream, [&] {
        run();
        scan(x, scanned, look_back);
    });
    const Graph second = capture(stream, run);
    const int launches = testing::is_check() ? 3 : 20;
    for (int k = 0; k < launches; ++k) {
        CAPTURE(k);
        scanned.fill(0);
        sorted.fill(0);
        weights.fill(0);
        total.fill(0);
        stream.context().synchronize();
        (k % 3 == 2 ? second : graph).launch();
        bool same = scanned.get() == scanned_first && sorted.get() == sorted_first && weights.get() == weights_first &&
                    total.get() == totals;
        scanned.fill(0);
        run();
        same = same && scanned.get() == scanned_first && sorted.get() == sorted_first &&
               weights.get() == weights_first && total.get() == totals;
        REQUIRE(same);
        if (k % 5 == 0) graph.launch(), graph.launch(), second.launch();
    }
}

TEST_CASE("arrays made while a graph is recorded belong to it") {
    const Context context(current_context().device());
    const ContextScope scope(context);
    const Stream stream = context.create_stream();
    const std::size_t count = 100000, bytes = count * sizeof(float);
    const GPUArray<float> x = whole_numbers(count, 3), y = zeros<float>({count});
    const std::vector<float> host = x.get();
    const std::size_t active = context.pool().statistics().active_bytes;
    GPUArray<float> kept;
    {
        const Graph graph = capture(stream, [&] {
            for (int k = 0; k < 10; ++k) {  // each temporary array takes the place of the one before
                const GPUArray<float> part = x + static_cast<float>(k);
                y.assign(part * 2.0f);
            }
            kept = y + 1.0f;
        });
        CHECK(graph.own_bytes() >= bytes);
        CHECK(graph.own_bytes() < 2 * bytes);
        std::vector<GPUArray<float>> others;  // nobody else gets the graph's memory
        for (int k = 0; k < 12; ++k) others.push_back(full<float>({count}, -1));
        graph.launch();
        for (const GPUArray<float>& other : others) CHECK(other(12345).item() == -1);
        CHECK(y(17).item() == (host[17] + 9) * 2);
        CHECK(kept(17).item() == (host[17] + 9) * 2 + 1);
    }
    CHECK(kept(18).item() == (host[18] + 9) * 2 + 1);  // a handle keeps its memory
    kept = {};
    stream.synchronize();
    CHECK(context.pool().statistics().active_bytes == active);
}

TEST_CASE("a graph keeps the memory and the kernels that it uses") {
    const Stream stream = current_context().create_stream();
    const GPUArray<float> out = zeros<float>({n});
    Graph graph;
    {
        const ElementwiseKernel local("const float *a, float *b", "b[i] = 3 * a[i]", "local_kernel");
        const GPUArray<float> in = to_gpu(ramp(n));
        graph = capture(stream, [&] { local(in, out); });
    }
    const GPUArray<float> other = full<float>({n}, 5);
    graph.launch();
    CHECK(out(7).item() == 21);
    CHECK(other(7).item() == 5);
}

TEST_CASE("what cannot be recorded names itself, and leaves stream and context usable") {
    const Context context = current_context();
    const Stream stream = context.create_stream(), elsewhere = context.create_stream();
    const GPUArray<float> x = to_gpu(ramp(n));
    const Event event = stream.record();
    const auto refused = [&](const std::function<void()>& function) {
        return message_of<Error>([&] { (void)capture(stream, function); });
    };
    CHECK(mentions(refused([&] { (void)x.get(); }), {"download", "get", "cannot be recorded", "HostBuffer"}));
    CHECK(mentions(refused([&] { (void)sum(x).item(); }), {"download", "item"}));
    CHECK(mentions(refused([&] { (void)unique(x); }), {"cannot be recorded"}));
    CHECK(mentions(refused([&] { stream.synchronize(); }), {"Stream::synchronize", "cannot be recorded"}));
    CHECK(mentions(refused([&] { (void)stream.idle(); }), {"Stream::idle"}));
    CHECK(mentions(refused([&] { context.synchronize(); }), {"Context::synchronize"}));
    CHECK(mentions(refused([&] { context.reset(); }), {"Context::reset"}));
    CHECK(mentions(refused([&] { (void)stream.record(); }), {"Stream::record"}));
    CHECK(mentions(refused([&] { stream.wait(event); }), {"Stream::wait"}));
    CHECK(mentions(refused([&] { event.wait(); }), {"Event::wait"}));
    CHECK(mentions(refused([&] { stream.call([] {}); }), {"Stream::call"}));
    CHECK(mentions(refused([&] { elsewhere.fill(x.buffer(), 0.0f); }), {"fill", "another stream"}));
    CHECK(mentions(refused([&] { (void)capture(stream, [] {}); }), {"capture", "records already"}));
    CHECK(mentions(refused([&] { (void)capture(elsewhere, [] {}); }), {"capture", "records already"}));
    const Kernel add = common_kernel(context, "add");
    std::vector<int> numbers(64);
    const Buffer out = context.allocate(256);
    CHECK(mentions(refused([&] { add({.grid = {1}, .block = {64}, .stream = stream}, out, In(numbers), 1, 64); }),
                   {"add", "host range", "upload it first"}));
    CHECK(mentions(refused([&] { add.time({.grid = {1}, .block = {64}}, out, out, 1, 64); }), {"Kernel::time"}));
    CHECK(mentions(refused([&] { add({.grid = {1}, .block = {64}, .stream = elsewhere}, out, out, 1, 64); }),
                   {"add", "another stream"}));
    const Context second(context.device());
    CHECK(mentions(refused([&] { second.allocate(64).fill(1); }), {"another stream"}));
    const Graph graph = capture(stream, [&] { add_k()(x, x, 1.0f); });
    CHECK(mentions(refused([&] { graph.launch(); }), {"Graph::launch", "cannot be recorded"}));
    CHECK(mentions(refused([&] { graph.update(0, "k", 1.0f); }), {"Graph::update"}));
    CHECK(message_of<std::runtime_error>([&] {
              (void)capture(stream, [&] {
                  add_k()(x, x, 1.0f);
                  throw std::runtime_error("own");
              });
          }) == "own");
    CHECK(x.get() == ramp(n));
    CHECK(recorded_stream().empty());
    graph.launch();
    stream.synchronize();
    CHECK(x.get() == ramp(n, 1));
    CHECK(mentions(message_of<ArgumentError>([&] { (void)capture({}, [] {}); }), {"capture", "stream is empty"}));
    CHECK(mentions(message_of<ArgumentError>([&] { (void)capture(stream, nullptr); }), {"capture", "function"}));
}

TEST_CASE("threads record at the same time, each on a stream of its own") {
    const Context context = current_context();
    const Stream first = context.create_stream(), second = context.create_stream();
    const GPUArray<float> x = to_gpu(ramp(n)), y = to_gpu(ramp(n)), z = to_gpu(ramp(n));
    Graph of_other;
    std::string same_stream, launched_there;
    const Graph graph = capture(first, [&] {
        add_k()(x, x, 1.0f);
        std::thread([&] {
            of_other = capture(second, [&] { add_k()(y, y, 2.0f); });
            same_stream = message_of<Error>([&] { (void)capture(first, [] {}); });
            launched_there = message_of<Error>([&] { first.fill(y.buffer(), 0.0f); });
            add_k()(z, z, 5.0f);  // a thread that does not record goes on
            z.context().synchronize();
        }).join();
        add_k()(x, x, 1.0f);
    });
    CHECK(mentions(same_stream, {"capture", "another thread"}));
    CHECK(mentions(launched_there, {"fill", "another thread"}));
    CHECK(z.get() == ramp(n, 5));
    CHECK(graph.nodes() == 2);
    CHECK(of_other.nodes() == 1);
    std::thread([&] { of_other.launch(); }).join();
    graph.launch();
    CHECK(x.get() == ramp(n, 2));
    CHECK(y.get() == ramp(n, 2));
}

TEST_CASE("values and buffers of a graph change between launches") {
    const Context context = current_context();
    const Stream stream = context.create_stream();
    const Kernel add = common_kernel(context, "add");
    const Buffer in = context.allocate(256), out = context.allocate(256), other = context.allocate(256);
    in.fill(1);
    out.fill(0);
    other.fill(100);
    const LaunchConfig config{.grid = {1}, .block = {64}};
    const Graph graph = capture(stream, [&] {
        add(config, out, in, 1, 64);
        add(config, out, out, 10, 64);
        out.view(0, 128).fill(7);
    });
    REQUIRE(graph.nodes() == 3);
    const auto last = [&](const Buffer& buffer) { return downloaded<int>(buffer)[63]; };
    graph.launch();
    CHECK(last(out) == 12);
    graph.update(0, "value", 5);
    graph.launch();
    CHECK(last(out) == 16);
    graph.update(0, 2, 6);
    CHECK(graph.update("add", "value", 20) == 2);
    graph.launch();
    CHECK(last(out) == 41);
    graph.update(0, "in", other);
    graph.launch();
    CHECK(last(out) == 140);
    const Buffer result = context.allocate(256);
    CHECK(graph.replace(out, result) == 3);
    graph.launch();
    CHECK(last(result) == 140);
    CHECK(downloaded<int>(result)[0] == 7);
    graph.update(0, "in", result);
    graph.launch();
    CHECK(last(result) == 180);

    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(3, "value", 1); }),
                   {"Graph::update", "no node 3", "3 nodes"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(2, "value", 1); }),
                   {"Graph::update", "fill", "replace"}));
    CHECK(
        mentions(message_of<ArgumentError>([&] { graph.update(0, "valu", 1); }), {"no parameter 'valu'", "int value"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(0, 4, 1); }), {"no argument 4", "it has 4"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(0, "value", 1.5); }), {"Graph::update", "add", "int"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(0, "in", 1); }), {"Graph::update", "add"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update("sub", "value", 1); }), {"no node", "'sub'"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.update(0, "in", context.allocate(128)); }),
                   {"128 bytes", "256"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.replace(other, in); }), {"Graph::replace", "no node uses"}));
    CHECK(
        mentions(message_of<ArgumentError>([&] { graph.replace(result, context.allocate(64)); }), {"256 bytes", "64"}));
    const Context second(context.device());
    CHECK(
        mentions(message_of<ArgumentError>([&] { graph.replace(result, second.allocate(256)); }), {"another context"}));
    CHECK(
        mentions(message_of<ArgumentError>([&] { graph.update(0, "in", second.allocate(256)); }), {"another context"}));
    graph.launch();
    CHECK(last(result) == 220);  // no refused change has changed it
}

TEST_CASE("arrays of generated kernels are replaced in graphs") {
    const Stream stream = current_context().create_stream();
    const GPUArray<float> x = to_gpu(ramp(n)), y = zeros<float>({n}), other = to_gpu(ramp(n, 100)),
                          longer = to_gpu(ramp(n + 1));
    const Graph graph = capture(stream, [&] { add_k()(x, y, 1.0f); });
    CHECK(graph.replace(x, other) == 1);
    CHECK(graph.update("add_k", "k", 3.0f) == 1);
    graph.launch();
    CHECK(y.get() == ramp(n, 103));
    const Buffer shifted = longer.buffer().view(4, n * sizeof(float));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.replace(other.buffer(), shifted); }),
                   {"Graph::replace", "4 bytes past"}));
    graph.launch();
    CHECK(y.get() == ramp(n, 103));
}

TEST_CASE("copies, fills, uploads and downloads are recorded") {
    const Context context = current_context();
    const Stream stream = context.create_stream();
    const GPUArray<float> x = to_gpu(ramp(n)), y = zeros<float>({n}), z = zeros<float>({n});
    const HostBuffer<float> in(context, n), out(context, n);
    const GPUArray<double> pairs = zeros<double>({n});
    std::vector<float> bytes = ramp(n, 50);
    const Graph graph = capture(stream, [&] {
        stream.copy(x.buffer(), in);  // read anew by every launch
        y.buffer().upload(bytes);     // copied now
        z.assign(x + y);
        stream.copy(out, z.buffer());
        stream.fill(pairs.buffer(), 1.25);  // by a kernel where no driver has such a fill
        stream.copy_rectangle(y.buffer(), {.x_bytes = 40, .row_pitch_bytes = 80}, x.buffer(), {.row_pitch_bytes = 80},
                              {.width_bytes = 40, .rows = 5});
        y(slice(200, 300)).fill(-1);
    });
    bytes.assign(n, 0);
    for (int round = 0; round < 3; ++round) {
        CAPTURE(round);
        const std::vector<float> now = ramp(n, static_cast<float>(round * 7));
        std::copy(now.begin(), now.end(), in.begin());
        y.fill(0);
        pairs.fill(0);
        graph.launch();
        stream.synchronize();
        std::vector<float> sums = now, expected = ramp(n, 50);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += expected[i];
        CHECK(std::vector<float>(out.begin(), out.end()) == sums);
        for (int row = 0; row < 5; ++row)
            for (int i = 0; i < 10; ++i)
                expected[static_cast<std::size_t>(row * 20 + 10 + i)] = now[static_cast<std::size_t>(row * 20 + i)];
        std::fill(expected.begin() + 200, expected.begin() + 300, -1.0f);
        CHECK(y.get() == expected);
        CHECK(pairs(n - 1).item() == 1.25);
    }
}

TEST_CASE("a graph draws the same random numbers at every launch") {
    const Stream stream = current_context().create_stream();
    const random::Philox philox(7), direct(7);
    const GPUArray<float> drawn = zeros<float>({n});
    const Graph graph = capture(stream, [&] {
        philox.fill(drawn);
        drawn.assign(drawn + philox.normal<float>({n}));
    });
    graph.launch();
    const auto first = drawn.get();
    const GPUArray<float> after = philox.uniform<float>({n});  // goes on behind what was recorded
    graph.launch();
    CHECK(drawn.get() == first);
    GPUArray<float> expected = zeros<float>({n});
    direct.fill(expected);
    expected = expected + direct.normal<float>({n});
    CHECK(expected.get() == first);
    CHECK(direct.uniform<float>({n}).get() == after.get());
    const random::Sobol sobol(3);
    const GPUArray<float> points = zeros<float>({64, 3});
    const Graph of_points = capture(stream, [&] { sobol.fill(points); });  // its tables are uploaded at once
    const GPUArray<float> next = zeros<float>({64, 3});
    sobol.fill(next);
    of_points.launch();
    const random::Sobol fresh(3);
    const GPUArray<float> same = zeros<float>({64, 3}), second = zeros<float>({64, 3});
    fresh.fill(same);
    fresh.fill(second);
    CHECK(points.get() == same.get());
    CHECK(next.get() == second.get());
}

TEST_CASE("prepared launches are recorded with the arguments that they have then") {
    const Context context = current_context();
    const Stream stream = context.create_stream();
    const Buffer buffer = context.allocate(256);
    buffer.fill(1);
    const PreparedLaunch prepared =
        common_kernel(context, "add").prepare({.grid = {1}, .block = {64}}, buffer, buffer, 3, 64);
    const Graph graph = capture(stream, [&] {
        prepared(stream);
        common_kernel(context, "set_all")({.grid = {1}, .block = {32}}, buffer.view(0, 128), 40, 32);
    });
    prepared.set(2, 100);  // the graph has its own
    graph.launch();
    CHECK(downloaded<int>(buffer)[0] == 40);
    CHECK(downloaded<int>(buffer)[63] == 4);
    prepared();
    graph.launch();
    CHECK(downloaded<int>(buffer)[63] == 107);
}

TEST_CASE("kernels with an arena are recorded") {
    const Context context = current_context();
    const Stream stream = context.create_stream();
    const Buffer buffer = context.allocate(256);
    common_kernel(context, "set_all")({.grid = {1}, .block = {64}}, buffer, 0, 64);
    const Kernel reverse = context
                               .compile(R"(KERNEL void reverse(GLOBAL_MEM int *a, int n, SHARED_ARENA, int plus)
{
    LOCAL_MEM_ARG int *all = (LOCAL_MEM_ARG int *)shared_arena;
    all[LID_0] = a[LID_0];
    local_barrier();
    a[LID_0] = all[n - 1 - LID_0] + plus;
})")
                               .kernel("reverse");
    const Graph graph =
        capture(stream, [&] { reverse({.grid = {1}, .block = {64}, .shared_bytes = 256}, buffer, 64, 1000); });
    graph.launch();
    CHECK(downloaded<int>(buffer)[0] == 1063);
    CHECK(graph.update("reverse", "plus", 2000) == 1);
    graph.update(0, 2, 3000);  // positions are those of a call, which does not give the arena
    graph.launch();
    CHECK(downloaded<int>(buffer)[0] == 4000);
}

TEST_CASE("graphs that cannot be launched say why") {
    const Context context(current_context().device()), other(current_context().device());
    const Stream stream = context.create_stream();
    Buffer buffer = context.allocate(256);
    buffer.fill(1);
    const Kernel add = common_kernel(context, "add");
    const Graph graph = capture(stream, [&] { add({.grid = {1}, .block = {64}}, buffer, buffer, 1, 64); });
    CHECK(mentions(message_of<ArgumentError>([] { Graph().launch(); }), {"Graph::launch", "empty", "capture()"}));
    CHECK(Graph().nodes() == 0);
    CHECK(mentions(message_of<ArgumentError>([&] { graph.launch(Stream()); }), {"Graph::launch", "stream is empty"}));
    CHECK(mentions(message_of<ArgumentError>([&] { graph.launch(other.create_stream()); }),
                   {"Graph::launch", "another context"}));
    graph.launch();
    CHECK(downloaded<int>(buffer)[0] == 2);
    const auto launches = context.statistics().launches;
    graph.launch();
    CHECK(context.statistics().launches == launches + 1);
    Buffer second = buffer;
    second.release();
    CHECK(mentions(message_of<ArgumentError>([&] { graph.launch(); }), {"Graph::launch", "256 bytes", "released"}));
    context.reset();
    CHECK(mentions(message_of<DeviceLost>([&] { graph.launch(); }), {"reset"}));
    CHECK(mentions(message_of<DeviceLost>([&] { (void)capture(stream, [] {}); }), {"reset"}));
    const Stream fresh = context.create_stream();
    CHECK(message_of<Error>([&] { graph.launch(fresh); }) != "");
    const GPUArray<float> x = zeros<float>(context, {n});
    const Graph again = capture(fresh, [&] { add_k()(x, x, 1.0f); });
    again.launch();
    CHECK(x(5).item() == 1);
}

TEST_SUITE_END();
