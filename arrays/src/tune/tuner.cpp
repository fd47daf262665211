#include "tune/saved_memory.hpp"
#include "tune/session.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/template.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/text.hpp>

#include <bit>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>

namespace gemel::tune {

struct TunerState {
    TunerSpec spec;
    std::optional<codegen::Template> text;  ///< if the source is a template
};

Tuner::Tuner(TunerSpec spec) {
    if (spec.kernel.empty()) spec.kernel = spec.name;
    if (spec.name.empty()) spec.name = spec.kernel;
    const auto refuse = [&](const char* what) {
        throw ArgumentError(text("Tuner '", spec.name, "': the specification has no ", what));
    };
    if (spec.name.empty()) refuse("name");
    if (spec.parameters.empty()) refuse("parameters");
    if (spec.source.text().empty() && !spec.source.function()) refuse("source");
    if (!spec.launch) refuse("launch, the function that gives a point's grid and block");
    auto state = std::make_shared<TunerState>();
    if (!spec.source.text().empty()) state->text.emplace(spec.source.text(), spec.name);
    state->spec = std::move(spec);
    state_ = std::move(state);
}

Space Tuner::space(const Device& device) const {
    return Space(state_->spec.parameters, state_->spec.constraints, device_facts(device.info()));
}

namespace {

/// Finished source.
struct PlainText {
    std::string text;
    const std::string& source(const Dialect&) const { return text; }
};

/// The types of the arguments, and their sizes rounded to powers of two.
std::string size_class(std::span<const TunedArgument> arguments) {
    std::string out;
    for (const TunedArgument& one : arguments) {
        const Argument& argument = one.argument;
        out += out.empty() ? "" : ",";
        out += argument.dtype.empty() ? "bytes" : argument.dtype.name();
        if (argument.kind != Argument::Kind::scalar) {
            out += text("*2^", std::bit_width(argument.bytes));
        } else if (!argument.dtype.empty() && argument.bytes <= 8) {
            const std::string name = argument.dtype.name();
            std::uint64_t bits = 0;
            std::memcpy(&bits, argument.value, argument.bytes);
            // An integer is usually a size; other values do not affect the time.
            if (name.find("int") != std::string::npos) out += text("=2^", std::bit_width(bits));
        }
    }
    return out;
}

Context context_of(std::span<const TunedArgument> arguments) {
    for (const TunedArgument& one : arguments) {
        if (!one.array.empty()) return one.array.context();
        if (!one.buffer.empty()) return one.buffer.context();
    }
    return current_context();
}

/// Compiles, launches and restores memory for a search.
class KernelRun {
   public:
    KernelRun(const TunerState& state, std::span<const TunedArgument> arguments)
        : state_(state),
          context_(context_of(arguments)),
          device_(context_.device()),
          stream_(chosen_stream()),
          saved_(stream_) {
        for (const TunedArgument& one : arguments) {
            arguments_.push_back(one.argument);
            memory_.push_back({one.array, one.buffer});
        }
    }

    const Context& context() const { return context_; }
    const Device& device() const { return device_; }
    const Stream& stream() const { return stream_; }

    std::pair<Kernel, LaunchConfig> make(const Point& point) {
        const TunerSpec& spec = state_.spec;
        codegen::Values values = spec.values;
        for (const auto& [name, value] : device_facts(device_.info())) values.try_emplace(name, value);
        for (const auto& [name, value] : point.values()) values[name] = value;
        CompileOptions options = spec.compile;
        if (options.name.empty()) options.name = spec.name;
        const Module module = state_.text ? context_.compile(state_.text->with(std::move(values)), options)
                                          : context_.compile(PlainText{spec.source.function()(point)}, options);
        Kernel kernel = module.kernel(spec.kernel);
        LaunchConfig config = spec.launch(point);
        const std::lock_guard lock(mutex_);
        if (!signature_) signature_ = kernel.signature();
        return {std::move(kernel), std::move(config)};
    }
    Runner runner(const Point& point) {
        auto made = std::make_shared<std::pair<Kernel, LaunchConfig>>(make(point));
        made->second.stream = stream_;  // the stream whose events measure the time
        return {.run = [this, made] { made->first.launch(made->second, arguments_); }};
    }
    /// Saves the memory that the kernel may write, on the first call; its parameters are known by then.
    void put_back() {
        if (!is_saved_) {
            is_saved_ = true;
            const std::lock_guard lock(mutex_);
            std::vector<bool> is_const;  // of the parameters that have an argument: a texture has hidden ones, too
            if (signature_)
                for (const gemel::Parameter& parameter : signature_->parameters)
                    if (parameter.is_supplied()) is_const.push_back(parameter.is_const);
            for (std::size_t k = 0; k < memory_.size(); ++k) {
                if (k < is_const.size() && is_const[k]) continue;
                saved_.add(memory_[k].first);
                saved_.add(memory_[k].second);
            }
        }
        saved_.put_back();
    }

   private:
    Stream chosen_stream() const {
        const Stream here = current_stream();
        return !here.empty() && here.context() == context_ ? here : context_.default_stream();
    }

    const TunerState& state_;
    Context context_;
    Device device_;
    Stream stream_;
    std::vector<Argument> arguments_;
    std::vector<std::pair<AnyArray, Buffer>> memory_;
    std::mutex mutex_;
    std::optional<KernelSignature> signature_;
    bool is_saved_ = false;
    SavedMemory saved_;
};

/// What decides what a program does and how fast it is, besides its text.
std::string options_text(const CompileOptions& options) {
    const JitOptions& jit = options.jit;
    std::string all =
        text("\nfp_contract=", options.fp_contract, " fast_math=", options.fast_math, " debug=", options.debug,
             jit.debug, " max_registers=", jit.max_registers, " optimization_level=", jit.optimization_level,
             " load_caching=", static_cast<int>(jit.load_caching));
    for (const auto& [name, value] : options.defines) all += "\n-D" + name + "=" + value;
    for (const auto& folder : options.include_directories) all += "\n-I" + folder.string();
    for (const std::string& word : options.extra) all += "\n" + word;
    return all;
}

/// Identifies the kernel in the store. The values' kinds belong to it, because a record's text is the same for true and
/// "true", with which a template may differ.
std::string family_of(const TunerState& state) {
    const TunerSpec& spec = state.spec;
    std::string all = state.text ? spec.source.text() : "a function of the point";
    for (const Parameter& parameter : spec.parameters) {
        std::set<std::string> kinds;
        for (const codegen::Value& value : parameter.values) kinds.insert(value.kind());
        all += "\n" + parameter.name;
        for (const std::string& kind : kinds) all += ": " + kind;
    }
    for (const auto& [name, value] : spec.values) all += "\n" + name + "=" + value.text();
    all += "\nkernel=" + spec.kernel + options_text(spec.compile);
    std::string name = spec.name;
    for (char& c : name)
        if (c == ' ') c = '_';
    return text(name, " ", digest(all).substr(0, 12));
}

/// The digests of the texts that a function makes.
std::function<std::string(const Point&)> text_digests(const std::function<std::string(const Point&)>& function) {
    return [&function](const Point& point) -> std::string {
        try {
            return digest(function(point)).substr(0, 12);
        } catch (...) {  // it throws again when the point is compiled, and there the point fails
            return "none";
        }
    };
}

}  // namespace

Result Tuner::run_packed(const Options& options, std::span<const TunedArgument> arguments) const {
    const TunerSpec& spec = state_->spec;
    KernelRun run(*state_, arguments);
    const Space space = this->space(run.device());
    const TrialStore store(run.context(), family_of(*state_), text("(", size_class(arguments), ")"));
    std::vector<Point> starts;
    if (!spec.start.empty()) starts.push_back(spec.start);
    for (const Point& point : store.neighbours())
        if (starts.size() < 4) starts.push_back(point);

    const Subject subject{
        .name = spec.name,
        .stream = run.stream(),
        .make = [&](const Point& point) { return run.runner(point); },
        // On a CPU, compilers would use the cores on which the kernel is timed.
        .can_make_ahead = run.device().info().type != DeviceInfo::Type::cpu,
        .put_back = [&] { run.put_back(); },
        .complaint = {},
        .text_of = state_->text ? std::function<std::string(const Point&)>() : text_digests(spec.source.function()),
    };
    Result result = Session(subject, space, options, store, starts).run();
    result.device = run.device().name();
    auto [kernel, config] = run.make(result.point);
    result.kernel = std::move(kernel);
    result.config = std::move(config);
    return result;
}

}  // namespace gemel::tune
