/// Boost.Compute on PoCL, for the workloads of bench_elementwise, _reduction and _scan on CPU devices: one JSON line
/// each, median wall time of a call with its result complete. With a number of elements as argument for that alone.
#include <boost/compute/algorithm/accumulate.hpp>
#include <boost/compute/algorithm/inclusive_scan.hpp>
#include <boost/compute/algorithm/inner_product.hpp>
#include <boost/compute/algorithm/max_element.hpp>
#include <boost/compute/algorithm/transform.hpp>
#include <boost/compute/algorithm/transform_reduce.hpp>
#include <boost/compute/container/vector.hpp>
#include <boost/compute/lambda.hpp>
#include <boost/compute/system.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

namespace compute = boost::compute;

int main(int count, char** words) try {
    const std::size_t given = count > 1 ? std::stoul(words[1]) : 0;
    using compute::lambda::_1;
    using compute::lambda::_2;
    for (const compute::device& device : compute::system::devices()) {
        if (device.platform().name() != "Portable Computing Language") continue;
        const compute::context context(device);
        compute::command_queue queue(context, device);
        for (const std::size_t n :
             given ? std::vector{given} : std::vector{std::size_t{1} << 20, std::size_t{1} << 24}) {
            const std::string size = n == 10000000               ? " 10^7"
                                     : n == std::size_t{1} << 20 ? " 2^20"
                                     : n == std::size_t{1} << 24 ? " 2^24"
                                                                 : " " + std::to_string(n);
            std::vector<float> host(n);
            unsigned seed = 1;
            for (float& value : host)
                value = static_cast<float>((seed = seed * 1664525u + 1013904223u) >> 8) * 0x1p-24f;
            compute::vector<float> x(host.begin(), host.end(), queue), y(host.begin(), host.end(), queue),
                z(n, context), one(1, context);
            compute::vector<int> i(n, context), j(n, context);
            compute::fill(i.begin(), i.end(), 3, queue);
            const auto time = [&](const std::string& name, auto&& call) {
                std::vector<double> times;
                for (int round = -3; round < 15; ++round) {
                    const auto start = std::chrono::steady_clock::now();
                    call();
                    queue.finish();
                    const std::chrono::duration<double, std::micro> passed = std::chrono::steady_clock::now() - start;
                    if (round >= 0) times.push_back(passed.count());
                }
                std::nth_element(times.begin(), times.begin() + 7, times.end());
                const nlohmann::ordered_json line = {
                    {"peer", "Boost.Compute"}, {"name", name + size}, {"us", std::round(10 * times[7]) / 10}};
                std::cout << line.dump() << std::endl;
            };
            time("axpy f32",
                 [&] { compute::transform(x.begin(), x.end(), y.begin(), z.begin(), 2.0f * _1 + _2, queue); });
            time("5*x + 6*y by operators",
                 [&] { compute::transform(x.begin(), x.end(), y.begin(), z.begin(), 5.0f * _1 + 6.0f * _2, queue); });
            if (n <= 10000) continue;
            time("sum f32", [&] {
                compute::transform_reduce(x.begin(), x.end(), one.begin(), _1 * 1.0f, compute::plus<float>(), queue);
            });
            time("dot f32", [&] {
                compute::transform_reduce(x.begin(), x.end(), y.begin(), one.begin(), compute::multiplies<float>(),
                                          compute::plus<float>(), queue);
            });
            time("argmax f32", [&] { compute::max_element(x.begin(), x.end(), queue); });
            time("inclusive scan f32", [&] { compute::inclusive_scan(x.begin(), x.end(), z.begin(), queue); });
            time("inclusive scan i32", [&] { compute::inclusive_scan(i.begin(), i.end(), j.begin(), queue); });
        }
        return 0;
    }
    std::fprintf(stderr, "Boost.Compute sees no PoCL device\n");
    return 77;
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
