#include "tune/saved_memory.hpp"
#include "tune/session.hpp"
#include "tune/tuning_table.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/tuning_fields.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::tune {
namespace {

/// Records the tunings that a call chooses, and replaces those of one family.
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
        if (watches_) seen_.push_back({std::string(family), work, {chosen.begin(), chosen.end()}});
        return family == family_ ? tuning : std::string();
    }
    bool may_remember() const override { return true; }

    /// Stops recording. @param wanted  the family to tune; empty: the first other than elementwise, which copies and
    /// fills, if there is one. @returns the last work of that family for which the call chose a tuning; earlier choices
    /// only decide a strategy
    const Seen* choose_family(const std::string& wanted) {
        watches_ = false;
        for (const Seen& one : seen_)
            if (wanted.empty() ? family_.empty() || family_ == "elementwise" : one.family == wanted)
                family_ = one.family;
        const auto last =
            std::find_if(seen_.rbegin(), seen_.rend(), [&](const Seen& one) { return one.family == family_; });
        return last == seen_.rend() ? nullptr : &*last;
    }

    std::string tuning;  ///< the replacement, as text

   private:
    bool watches_ = true;
    std::vector<Seen> seen_;
    std::string family_;
};

/// Runs a call with replaced tunings.
class CallRun {
   public:
    CallRun(const detail::TunedCall& call, const Context& context)
        : call_(call), table_(TuningTable::of(context)), stream_(chosen_stream(context)), saved_(stream_) {
        for (const AnyArray& array : call.arrays) saved_.add(array);
    }
    ~CallRun() { table_->touch(); }

    /// Runs the call unchanged: records the tunings that it chooses, and its results.
    void run_first() {
        results_ = run_with("");
        saved_.expect();
        expected_ = results_;
    }
    const CallHook::Seen* choose_family(const std::string& wanted) { return hook_.choose_family(wanted); }

    Runner runner(const Point& point) {
        const std::string tuning = to_string(point);
        return {.run = [this, tuning] { results_ = run_with(tuning); },
                // The third call repeats the launch that the second stores, so two calls with a new tuning prepare it.
                .get_ready =
                    [this, tuning] {
                        table_->touch();
                        run_with(tuning);
                        run_with(tuning);
                    }};
    }
    /// Overwrites free memory, so that new arrays of the next run do not begin with the correct results of an earlier
    /// one.
    void put_back() {
        saved_.put_back();
        results_.clear();
        std::vector<Buffer> blocks;  // more than the calls have allocated since
        for (const AnyArray& expected : expected_)
            for (int k = 0; k < 3 && expected.size_bytes() > 0; ++k) {
                blocks.push_back(expected.context().allocate(expected.size_bytes()));
                stream_.fill(blocks.back(), std::uint8_t{0x7f});  // large numbers, and NaN for 16-bit floats
            }
    }
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

/// Identifies this call among the calls of its family.
std::string label_of(const Options& options, const detail::TunedCall& call, const Context& context) {
    if (!options.name.empty()) return digest(options.name).substr(0, 12);
    std::string all = call.type;
    try {
        if (call.source) all += call.source(context.dialect());
    } catch (const ArgumentError&) {  // some types are known only in a call
    }
    for (const AnyArray& array : call.arrays) all += " " + array.dtype().name();
    return digest(all).substr(0, 12);
}

/// The point's numbers, and stored numbers for fields that the space lacks.
std::string stored_text(const std::string& before, const Point& point) {
    Point::Values values = point.values();
    const Point stored = parse_point(before);
    for (const auto& one : stored.values())
        if (std::none_of(values.begin(), values.end(), [&](const auto& own) { return own.first == one.first; }))
            values.push_back(one);
    return to_string(Point(std::move(values)));
}

}  // namespace

Result detail::tune_call(const Options& options, const TunedCall& call) {
    const Context context = context_of(call);
    const Device device = context.device();
    CallRun run(call, context);
    run.table().touch();  // remembered calls would choose no tuning
    run.run_first();
    const CallHook::Seen* const seen = run.choose_family(options.family);
    if (!seen)
        throw ArgumentError(text("tune: the call chose no tuning", options.family.empty() ? "" : " of the family ",
                                 options.family,
                                 "; expected a generated kernel that runs on at least one element and has no tuning in "
                                 "its options (a lazy expression runs when it is assigned)"));
    const CallHook::Seen& start = *seen;
    const Space space = tuning_space(start.family, start.fields, device.info(), start.work);
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
    const std::string before = run.table().find(start.family, start.work);
    const std::string tuning = stored_text(before, result.point);
    if (before != tuning) run.table().store(start.family, start.work, tuning);
    return result;
}

}  // namespace gemel::tune
