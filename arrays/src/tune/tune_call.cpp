#include "tune/saved_memory.hpp"
#include "tune/session.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/tuning_fields.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <bit>

namespace gemel::tune {
namespace {

/// Notes which tunings a call chooses, and puts others in place in one family of them.
class CallHook : public TuningHook {
   public:
    struct Seen {
        std::string family;
        codegen::Workload work;
        std::vector<codegen::TuningField> fields;
    };
    std::string replace(std::string_view family, const codegen::Workload& work,
                        std::span<const codegen::TuningField> chosen, bool is_open) override {
        if (!is_open) return {};
        if (seen.empty() || seen.front().family == family)
            seen.push_back({std::string(family), work, {chosen.begin(), chosen.end()}});
        return seen.front().family == family ? tuning : std::string();
    }
    bool may_remember() const override { return true; }

    std::vector<Seen> seen;  ///< of the first family that was met
    std::string tuning;      ///< to use instead, as text
};

/// The runs of one call, with tunings put in place.
class CallRun {
   public:
    CallRun(const detail::TunedCall& call, const Context& context)
        : call_(call), table_(TuningTable::of(context)), stream_(chosen_stream(context)), saved_(stream_) {
        for (const AnyArray& array : call.arrays) saved_.add(array);
    }
    ~CallRun() { table_->touch(); }

    /// As calls are done now: which tuning they choose, and what comes out.
    void run_first() {
        results_ = run_with("");
        saved_.expect();
        expected_ = results_;
    }
    /// What the tuning is chosen for: the last of the family, since those before decide its strategy at most.
    const CallHook::Seen* seen() const { return hook_.seen.empty() ? nullptr : &hook_.seen.back(); }

    Runner runner(const Point& point) {
        const std::string tuning = to_string(point);
        return {
            .run = [this, tuning] { results_ = run_with(tuning); },
            // Two calls after which the third is launched as it was: what remembers calls then does for this tuning.
            .get_ready =
                [this, tuning] {
                    table_->touch();
                    run_with(tuning);
                    run_with(tuning);
                }};
    }
    void put_back() const { saved_.put_back(); }
    std::string complaint() const {
        if (std::string what = saved_.difference(); !what.empty()) return what;
        if (results_.size() != expected_.size()) return "another number of results";
        for (std::size_t k = 0; k < results_.size(); ++k)
            if (!hold_the_same(results_[k], expected_[k])) return text("result ", k, " differs");
        return {};
    }
    TuningTable& table() { return *table_; }
    const Stream& stream() const { return stream_; }

   private:
    static Stream chosen_stream(const Context& context) {
        const Stream here = current_stream();
        return !here.empty() && here.context() == context ? here : context.default_stream();
    }
    std::vector<AnyArray> run_with(const std::string& tuning) {
        if (hook_.seen.size() > 64) hook_.seen.resize(1);
        hook_.tuning = tuning;
        const TuningHookScope scope(&hook_);
        return call_.run();
    }

    const detail::TunedCall& call_;
    std::shared_ptr<TuningTable> table_;
    Stream stream_;
    CallHook hook_;
    SavedMemory saved_;
    std::vector<AnyArray> results_, expected_;
};

Context context_of(const detail::TunedCall& call) {
    for (const AnyArray& array : call.arrays)
        if (!array.empty()) return array.context();
    return current_context();
}

/// What tells this call's trials from those of others of its family.
std::string label_of(const Options& options, const detail::TunedCall& call, const Context& context) {
    if (!options.name.empty()) return digest(options.name).substr(0, 12);
    std::string all = call.type;
    try {
        if (call.source) all += call.source(context.dialect());
    } catch (const ArgumentError&) {  // types that only a call brings
    }
    for (const AnyArray& array : call.arrays) all += " " + array.dtype().name();
    return digest(all).substr(0, 12);
}

/// The space's numbers on top of the tuning that it began with, as the store keeps them.
std::string stored_text(const CallHook::Seen& seen, const Point& point) {
    std::vector<codegen::TuningField> fields = seen.fields;
    for (codegen::TuningField& field : fields)
        for (const auto& [name, value] : point.values())
            if (name == field.name) field.value = static_cast<std::uint32_t>(point[name]);
    return codegen::format_tuning(fields);
}

}  // namespace

Result detail::tune_call(const Options& options, const TunedCall& call) {
    const Context context = context_of(call);
    const Device device = context.device();
    CallRun run(call, context);
    run.table().touch();  // calls that are remembered choose nothing
    run.run_first();
    if (!run.seen())
        throw ArgumentError(
            "tune: the call chose no tuning of its own; what can be tuned are calls of generated kernels on elements, "
            "without a tuning in their options");
    const CallHook::Seen start = *run.seen();
    const Space space = tuning_space(start.fields, device.info());
    const std::string work = TuningTable::entry_name(start.family, start.work);
    const TrialStore store(context, text(start.family, " ", label_of(options, call, context)),
                           work.substr(work.find(' ') + 1));
    std::vector<Point> starts{tuning_point(start.fields, space)};
    for (const Point& point : store.neighbours())
        if (starts.size() < 4) starts.push_back(point);
    const Subject subject{
        .name = options.name.empty() ? start.family : options.name,
        .stream = run.stream(),
        .make = [&](const Point& point) { return run.runner(point); },
        .can_make_ahead = false,
        .put_back = [&] { run.put_back(); },
        .complaint = [&] { return options.check ? std::string() : run.complaint(); },
    };
    Result result = Session(subject, space, options, store, starts).run();
    run.put_back();
    result.device = device.name();
    const std::string tuning = stored_text(start, result.point);
    if (run.table().find(start.family, start.work) != tuning) run.table().store(start.family, start.work, tuning);
    return result;
}

}  // namespace gemel::tune
