/// Automated tuning: finds the fastest configuration of a kernel by measurement and stores it on disk for later calls.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/call_argument.hpp>
#include <gemel/codegen/tuning_search.hpp>
#include <gemel/codegen/tuning_space.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/export.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/launch.hpp>
#include <gemel/core/source.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

namespace gemel::tune {

/// One measured point.
struct Trial {
    Point point;
    std::optional<double> milliseconds = {};  ///< the median time of one launch; empty if the point failed
    std::string failure = {};                 ///< why: "does not compile: ...", "is refused: ...", "wrong result"
    bool was_dropped = false;  ///< its first run took more than twice the best time, so it was not measured further
    bool is_stored = false;    ///< measured by an earlier search
};

/// Options of a search.
struct Options {
    std::size_t trials = 0;  ///< maximum number of points, including stored ones of earlier searches
    double seconds = 0;      ///< maximum duration; with neither limit: 30 points (exhaustive searches: all)
    Strategy strategy = Strategy::neighbours;
    std::uint64_t seed = 0;
    bool progress = false;  ///< prints a line on standard error, if that is a terminal
    /// Whether the results are correct; called after a run of each configuration. Arrays that the kernel writes are
    /// restored before each such run and at the end. Times that were stored without a check are then not used.
    std::function<bool()> check = {};
    std::function<void()> prepare = {};                 ///< called before each such run, after arrays were restored
    std::function<void(const Trial&)> trial_done = {};  ///< called after each trial
    bool again = false;                                 ///< repeats stored trials, as GEMEL_TUNE=off does
    /// For a library call: the family of kernels to tune, "elementwise", "reduction", "scan", "sort", ... Default: the
    /// first family of the call that does more than copy or fill.
    std::string family = {};
    /// For a library call: distinguishes its stored trials from those of other calls. Default: its type and text.
    std::string name = {};
};

/// The result of a search.
struct GEMEL_API Result {
    std::string name;
    std::string device;
    std::string work;               ///< the store's key: kernel, argument types and size classes
    Point point;                    ///< the fastest point
    double milliseconds = 0;        ///< of one launch with it; at the end both points are measured alternately
    double start_milliseconds = 0;  ///< with the point that the search began with
    std::size_t trials = 0;         ///< points measured now; 0 if everything was stored
    std::string stopped;            ///< why it ended: "12 trials", "20 s", "all points", "stored", "interrupted"
    double seconds = 0;             ///< duration of the search
    std::vector<Trial> history;     ///< stored ones first, then in the order of trials
    std::vector<Parameter> parameters;
    std::size_t points = 0;    ///< points of the space that satisfy its constraints
    Kernel kernel{nullptr};    ///< of the fastest point; none for a library call
    LaunchConfig config = {};  ///< to launch it with

    /// All trials in the T4 format of auto-tuning results, version 1.0.0.
    std::string json() const;
    /// A page that needs no other file: trials over time, a heat map for a pair of parameters, all trials.
    std::string page() const;
    /// @throws Error if the file cannot be written
    void save_json(const std::filesystem::path& file) const;
    void save_page(const std::filesystem::path& file) const;
};

/// The text of a kernel: a template that sees the parameters, or a function of the point.
class KernelText {
   public:
    KernelText() = default;
    KernelText(const char* text) : text_(text) {}
    KernelText(std::string text) : text_(std::move(text)) {}
    template <class F>
        requires std::is_invocable_r_v<std::string, const F&, const Point&>
    KernelText(F function) : function_(std::move(function)) {}

    const std::string& text() const { return text_; }
    const std::function<std::string(const Point&)>& function() const { return function_; }

   private:
    std::string text_;
    std::function<std::string(const Point&)> function_;
};

/// A kernel and its search space.
struct TunerSpec {
    std::string name = {};
    std::vector<Parameter> parameters = {};
    /// Expressions over parameters and facts: "block * items <= 2048", "block <= device.max_threads_per_block".
    std::vector<std::string> constraints = {};
    KernelText source = {};
    std::string kernel = {};  ///< its name in the text; default: `name`
    std::function<LaunchConfig(const Point&)> launch = {};
    Point start = {};             ///< the first point, e.g. by a rule of thumb; need not be in the space
    codegen::Values values = {};  ///< further values for the template
    CompileOptions compile = {};
};

/// An argument of a tuned kernel: the launch argument and the memory that the kernel may write.
struct TunedArgument {
    template <class T>
        requires(std::derived_from<T, AnyArray> || KernelArgument<T>)
    TunedArgument(const T& given) : argument(as_argument(given)) {
        if constexpr (std::derived_from<T, AnyArray>)
            array = given;
        else if constexpr (std::is_same_v<T, Buffer>)
            buffer = given;
    }
    Argument argument;
    AnyArray array = {};
    Buffer buffer = {};
};

struct TunerState;

/// Searches the space of a kernel. Results are stored per device, driver, text, and the arguments' types and size
/// classes; an interrupted or killed search resumes where it stopped.
///
///     const tune::Tuner tuner({.name = "scale", .parameters = {{"block", {64, 128, 256}}, {"items", {1, 2, 4}}},
///                              .constraints = {"block * items <= 512"}, .source = text, .kernel = "scale",
///                              .launch = [=](const tune::Point& p) { return LaunchConfig{...}; }});
///     const tune::Result best = tuner.run({.trials = 20}, to, from, 3.0f, n);
///     best.kernel(best.config, to, from, 3.0f, n);
class GEMEL_API Tuner {
   public:
    /// @throws ArgumentError for an invalid specification
    explicit Tuner(TunerSpec spec);

    /// Runs the search. Ctrl-C ends it after the current trial and keeps the results; a second one ends the process.
    /// @throws ArgumentError for a constraint that cannot be evaluated; Error, with the reasons, if no point ran
    template <class... A>
    Result run(const Options& options, const A&... arguments) const {
        const std::array<TunedArgument, sizeof...(A)> packed{TunedArgument(arguments)...};
        return run_packed(options, packed);
    }
    Result run_packed(const Options& options, std::span<const TunedArgument> arguments) const;
    /// The points that satisfy the constraints on a device.
    Space space(const Device& device) const;

   private:
    std::shared_ptr<const TunerState> state_;
};

namespace detail {

struct TunedCall {
    std::vector<AnyArray> arrays;                       ///< among the arguments
    std::function<std::vector<AnyArray>()> run;         ///< makes the call once; returns the new arrays
    std::string type;                                   ///< of the callable
    std::function<std::string(const Dialect&)> source;  ///< its text, if it has one
};
GEMEL_API Result tune_call(const Options& options, const TunedCall& call);

template <class T>
void collect(std::vector<AnyArray>& into, const T& value) {
    if constexpr (std::derived_from<T, AnyArray>)
        into.push_back(value);
    else if constexpr (requires { std::tuple_size<T>::value; })
        std::apply([&](const auto&... each) { (collect(into, each), ...); }, value);
}

}  // namespace detail

/// Tunes a call of the library: `call(arguments...)`, where `call` is an ElementwiseKernel, a ReductionKernel, a scan,
/// or a function that calls generators, such as a sort. One family of its kernels is tuned. The result is stored, and
/// later calls on similar work use it, also in other processes.
///
///     tune::tune(axpy, {.trials = 8}, 2.0f, x, y);
///     tune::tune([](const auto& keys) { return sort(keys); }, {.trials = 20}, keys);
///
/// Each configuration's results are compared with those before tuning (or by options.check); arrays are restored.
/// @throws ArgumentError if the call runs no kernel that has a tuning
template <class F, class... A>
    requires std::invocable<const F&, const A&...>
Result tune(const F& call, const Options& options, const A&... arguments) {
    detail::TunedCall tuned;
    (detail::collect(tuned.arrays, arguments), ...);
    tuned.run = [&] {
        std::vector<AnyArray> results;
        if constexpr (std::is_void_v<std::invoke_result_t<const F&, const A&...>>)
            call(arguments...);
        else
            detail::collect(results, call(arguments...));
        return results;
    };
    tuned.type = typeid(F).name();
    if constexpr (requires(const Dialect& dialect) { std::string(call.source(dialect)); })
        tuned.source = [&](const Dialect& dialect) { return std::string(call.source(dialect)); };
    return detail::tune_call(options, tuned);
}

/// A stored record in readable form.
struct Stored {
    std::string device = {};  ///< identifies device, driver and compiler
    std::string work = {};    ///< kernel, argument types and size classes; for library calls, the family and its work
    std::size_t trials = 0, failed = 0;
    Point point = {};  ///< the fastest point, or the one that the library uses
    std::optional<double> milliseconds = {};
    std::vector<Trial> history = {};
};
/// All records stored on this machine.
GEMEL_API std::vector<Stored> stored();
/// The trials of one record in the T4 format.
GEMEL_API std::string to_json(const Stored& record);
/// Removes all records whose work or device contains `part`; all records if it is empty. @returns the number of lines
/// removed
GEMEL_API std::size_t clear_stored(const std::string& part = {});
/// The folder of the store; empty if there is none.
GEMEL_API std::optional<std::filesystem::path> store_folder();

}  // namespace gemel::tune
