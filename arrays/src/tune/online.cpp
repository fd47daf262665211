#include "tune/online.hpp"

#include "tune/tuning_table.hpp"

#include <gemel/codegen/tuning_fields.hpp>
#include <gemel/codegen/tuning_search.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

namespace gemel {

/// The trials of one family with work of one size on one kind of device: chooses the configuration of the next call.
class OnlineKind {
   public:
    OnlineKind(std::shared_ptr<TuningTable> table, std::string_view family, const codegen::Workload& work,
               std::span<const codegen::TuningField> chosen, const DeviceInfo& device)
        : table_(std::move(table)),
          family_(family),
          work_(work),
          space_(tune::tuning_space(family, chosen, device, work)),
          start_(space_.nearest(tune::tuning_point(chosen, space_))),
          search_(space_, tune::Strategy::neighbours, 0, {start_}) {
        // Results are not compared here, so only families whose kernels are correct for every point of their spaces are
        // tuned.
        const bool is_safe = family == "elementwise" || family == "reduction" || family == "scan" ||
                             family == "matmul" || family == "sparse_product";
        is_over_ = !is_safe || space_.size() < 2 || !table_->find(family, work).empty();
        if (!is_over_) next_candidate();
    }

    struct Step {
        std::size_t number;
        std::string tuning;
    };
    /// The configuration of the next call; empty if tuning is complete.
    std::optional<Step> step() {
        const std::lock_guard lock(mutex_);
        if (is_over_) return std::nullopt;
        return Step{number_, to_string(space_.point(is_turn_of_best() ? *search_.best() : candidate_))};
    }
    void tell(std::size_t number, double milliseconds) {
        const std::lock_guard lock(mutex_);
        if (is_over_ || number != number_) return;
        if (turn_ > 0) (is_turn_of_best() ? best_times_ : times_).push_back(milliseconds);
        ++number_;
        ++turn_;
        if (times_.size() < repetitions) return;
        double time = median(times_);
        // Compared with the best configuration in the same period, since clock rates change.
        if (!best_times_.empty()) time = search_.best_milliseconds() * time / median(best_times_);
        settle(time);
    }
    /// @returns false for the initial configuration, with which calls run anyway
    bool fail(std::size_t number, const std::string& why) {
        const std::lock_guard lock(mutex_);
        if (is_over_ || number != number_) return true;
        const bool is_start = (is_turn_of_best() ? *search_.best() : candidate_) == start_;
        logging::write(logging::Level::info, "tune",
                       text(family_, ": ", to_string(space_.point(candidate_)), " failed: ", why));
        ++number_;
        if (is_start) is_over_ = true;
        if (!is_over_) settle(std::nullopt);
        return !is_start;
    }

   private:
    static constexpr std::size_t repetitions = 3, trials = 12;

    /// The first call of a candidate compiles it and is not timed; then the best one and the candidate alternate.
    bool is_turn_of_best() const { return search_.best() && turn_ > 0 && turn_ % 2 == 1; }

    static double median(std::vector<double> times) {
        std::sort(times.begin(), times.end());
        return std::max(times[times.size() / 2], 1e-9);
    }
    void settle(std::optional<double> milliseconds) {
        search_.tell(candidate_, milliseconds);
        next_candidate();
    }
    void next_candidate() {
        times_.clear();
        best_times_.clear();
        turn_ = 0;
        const auto& next = search_.next();
        if (search_.told() < trials && !next.empty()) {
            candidate_ = next.front();
            return;
        }
        is_over_ = true;
        if (!search_.best()) return;
        const std::string tuning = to_string(space_.point(*search_.best()));
        logging::write(
            logging::Level::info, "tune",
            text(TuningTable::entry_name(family_, work_), ": ", tuning, " after ", counted(search_.told(), "trial")));
        table_->store(family_, work_, tuning);
    }

    const std::shared_ptr<TuningTable> table_;
    const std::string family_;
    const codegen::Workload work_;
    const tune::Space space_;
    const std::size_t start_;
    std::mutex mutex_;
    tune::Search search_;
    bool is_over_ = false;
    std::size_t number_ = 0, turn_ = 0, candidate_ = 0;
    std::vector<double> times_, best_times_;
};

namespace {

std::shared_ptr<OnlineKind> kind_of(const Context& context, std::string_view family, const codegen::Workload& work,
                                    std::span<const codegen::TuningField> chosen) {
    static std::mutex& mutex = *new std::mutex;
    static auto& kinds = *new std::map<std::pair<TuningTable*, std::string>, std::shared_ptr<OnlineKind>>;
    const auto table = TuningTable::of(context);
    const Device device = context.device();
    const std::lock_guard lock(mutex);
    auto& kind = kinds[{table.get(), TuningTable::entry_name(family, work)}];
    if (!kind) kind = std::make_shared<OnlineKind>(table, family, work, chosen, device.info());
    return kind;
}

}  // namespace

std::string OnlineTrial::replace(std::string_view family, const codegen::Workload& work,
                                 std::span<const codegen::TuningField> chosen, bool is_open) {
    if (has_chosen_ || !is_open) return {};
    has_chosen_ = true;
    const auto kind = kind_of(context_, family, work, chosen);
    const auto step = kind->step();
    if (!step) return {};
    kind_ = kind;
    step_ = step->number;
    return step->tuning;
}

void OnlineTrial::begin(const Stream& named) {
    if (!kind_) return;
    const Stream here = current_stream();
    const bool use_current = !here.empty() && here.context() == context_;
    stream_ = !named.empty() ? named : use_current ? here : context_.default_stream();
    start_ = stream_.record();
}

void OnlineTrial::end() {
    if (!kind_) return;
    const Event stop = stream_.record();
    kind_->tell(step_, elapsed_milliseconds(start_, stop));
}

bool OnlineTrial::has_failed(const Error& error) {
    if (!kind_ || dynamic_cast<const DeviceLost*>(&error)) return false;
    return kind_->fail(step_, error.what());
}

}  // namespace gemel
