/// A search: makes points, runs, checks and times them against the best so far, until the budget is spent.
#pragma once

#include "tune/interrupt.hpp"
#include "tune/trial_store.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/tuning_search.hpp>
#include <gemel/core/stream.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace gemel::tune {

/// A configuration that is ready; launches it once.
struct Runner {
    std::function<void()> run;
    std::function<void()> get_ready = {};  ///< called before timing if another configuration ran meanwhile
};

/// The subject of a search.
struct Subject {
    std::string name;
    Stream stream;
    std::function<Runner(const Point&)> make;  ///< compiles; throws if that fails
    bool can_make_ahead = false;               ///< may be called on other threads while a configuration is timed
    std::function<void()> put_back;            ///< restores the memory that configurations write
    std::function<std::string()> complaint;    ///< describes wrong results of the last run; empty if they are right
    /// A digest of the kernel's text at a point; null if the store's key contains the text.
    std::function<std::string(const Point&)> text_of = {};
};

/// The median time of several launches, and the best configuration's time just before and after.
class Session {
   public:
    Session(const Subject& subject, const Space& space, const Options& options, const TrialStore& store,
            const std::vector<Point>& starts);
    /// Fills all members except kernel and configuration.
    Result run();

   private:
    using Clock = std::chrono::steady_clock;

    bool is_answered_by_store();
    void take_stored_trials();
    std::vector<std::pair<std::size_t, Trial>> stored_trials() const;
    std::string text_of(const Point& point) const { return subject_.text_of ? subject_.text_of(point) : std::string(); }
    bool has_check() const { return static_cast<bool>(options_.check); }
    std::string why_stop() const;
    double seconds() const { return std::chrono::duration<double>(Clock::now() - began_).count(); }

    void try_point(std::size_t point);
    Trial measure(std::size_t point);
    void record(std::size_t point, Trial trial);
    Runner& runner(std::size_t point);
    void make_ahead(std::size_t besides);
    void verify(std::size_t point);
    double batch(std::size_t point, int launches);
    double beside_best(std::size_t point, double first);
    Runner* best_runner();
    void final_round();
    void finish(const std::string& why);
    void show_progress() const;
    void end_progress() const;

    const Subject& subject_;
    const Space& space_;
    const Options& options_;
    const TrialStore& store_;
    const std::size_t budget_, made_at_once_;
    const std::string digest_;
    Search search_;
    InterruptWatch interrupt_;
    const Clock::time_point began_ = Clock::now();
    std::map<std::size_t, std::shared_future<std::shared_ptr<Runner>>> made_;
    std::optional<std::size_t> start_, last_run_;
    std::size_t failed_ = 0;
    bool shows_progress_ = false;
    Result result_;
};

}  // namespace gemel::tune
