#include "tune/session.hpp"

#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <set>
#include <thread>

namespace gemel::tune {
namespace {

/// A configuration with wrong results.
struct WrongResult {
    std::string what;
};

/// Restores memory when a search ends, in whatever way.
class AtEnd {
   public:
    explicit AtEnd(const std::function<void()>& put_back) : put_back_(put_back) {}
    ~AtEnd() {
        try {
            if (put_back_) put_back_();
        } catch (const std::exception& error) {
            logging::write(logging::Level::warn, "tune", text("arrays were not put back: ", error.what()));
        }
    }
    AtEnd(const AtEnd&) = delete;
    AtEnd& operator=(const AtEnd&) = delete;

   private:
    const std::function<void()>& put_back_;
};

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::string shortened(std::string what) {
    for (char& c : what)
        if (c == '\n' || c == '\t') c = ' ';
    return what.size() <= 300 ? what : what.substr(0, 297) + "...";
}

/// The points that are made at once. Points in an order that is known need one thread per core; the points after the
/// next three of other searches depend on times that are still to come.
std::size_t made_at_once(const Subject& subject, Strategy strategy) {
    if (!subject.can_make_ahead) return 1;
    if (strategy == Strategy::neighbours) return 3;
    return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 3, 16);
}

std::size_t budget_of(const Options& options, const Space& space) {
    std::size_t budget = options.trials;
    if (budget == 0) budget = options.seconds > 0 || options.strategy == Strategy::exhaustive ? space.size() : 30;
    return std::min(budget, space.size());
}

/// The parameters, their values, and the number of points that the constraints leave.
std::string digest_of(const Space& space) {
    std::string all = text(space.size());
    for (const Parameter& parameter : space.parameters()) {
        all += "\n" + parameter.name;
        for (const codegen::Value& value : parameter.values) all += " " + value.text();
    }
    return digest(all).substr(0, 12);
}

std::vector<std::size_t> numbers_of(const Space& space, const std::vector<Point>& points) {
    std::vector<std::size_t> numbers;
    for (const Point& point : points)
        if (const std::size_t number = space.nearest(point);
            std::find(numbers.begin(), numbers.end(), number) == numbers.end())
            numbers.push_back(number);
    return numbers;
}

}  // namespace

Session::Session(const Subject& subject, const Space& space, const Options& options, const TrialStore& store,
                 const std::vector<Point>& starts)
    : subject_(subject),
      space_(space),
      options_(options),
      store_(store),
      budget_(budget_of(options, space)),
      made_at_once_(made_at_once(subject, options.strategy)),
      digest_(digest_of(space)),
      search_(space, options.strategy, options.seed, numbers_of(space, starts)),
      shows_progress_(options.progress && isatty(STDERR_FILENO) == 1) {
    result_.name = subject.name;
    result_.work = store.key();
    result_.parameters = space.parameters();
    result_.points = space.size();
}

Result Session::run() {
    if (is_answered_by_store()) return std::move(result_);
    const AtEnd put_back(subject_.put_back);
    take_stored_trials();
    // At least one point is tried, however little time there is.
    std::string why = options_.seconds > 0 && !search_.best() && search_.told() == 0 ? std::string() : why_stop();
    while (why.empty()) {
        const auto& next = search_.next(made_at_once_);
        if (next.empty()) break;
        const std::size_t point = next.front();
        make_ahead(point);
        try_point(point);
        show_progress();
        why = why_stop();
    }
    if (!search_.best()) {
        end_progress();
        std::set<std::string> reasons;
        for (const Trial& trial : result_.history) reasons.insert(trial.failure);
        throw Error(text("tune '", subject_.name, "': none of ", counted(result_.history.size(), "point"),
                         " ran: ", reasons.empty() ? why : *reasons.begin(),
                         reasons.size() > 1 ? text("; and ", counted(reasons.size() - 1, "other reason")) : "",
                         !reasons.empty() && why == "interrupted" ? "; the search was interrupted" : ""));
    }
    finish(why);
    return std::move(result_);
}

std::string Session::why_stop() const {
    if (interrupt_.seen()) return "interrupted";
    if (search_.told() >= space_.size()) return "all points";
    if (search_.told() >= budget_) return counted(search_.told(), "trial");
    if (options_.seconds > 0 && seconds() >= options_.seconds) return text(options_.seconds, " s");
    return {};
}

Runner& Session::runner(std::size_t point) {
    auto& made = made_[point];
    if (!made.valid()) {
        std::promise<std::shared_ptr<Runner>> promise;
        made = promise.get_future().share();
        try {
            promise.set_value(std::make_shared<Runner>(subject_.make(space_.point(point))));
        } catch (...) {
            promise.set_exception(std::current_exception());
        }
    }
    return *made.get();
}

void Session::make_ahead(std::size_t besides) {
    if (!subject_.can_make_ahead) return;
    std::size_t left = budget_ - std::min(budget_, search_.told());  // no more are needed
    for (const std::size_t point : search_.next(made_at_once_)) {
        if (left-- == 0) return;
        if (point == besides || made_.contains(point)) continue;
        made_[point] = std::async(std::launch::async, [this, point] {
                           return std::make_shared<Runner>(subject_.make(space_.point(point)));
                       }).share();
    }
}

void Session::try_point(std::size_t point) {
    Trial trial{.point = space_.point(point)};
    const std::string kernel_text = text_of(trial.point);
    store_.begin(trial.point, kernel_text);
    try {
        trial = measure(point);
    } catch (const CompileError& error) {
        trial.failure = text("does not compile: ", shortened(error.what()));
    } catch (const WrongResult& wrong) {
        trial.failure = text("wrong result", wrong.what.empty() ? "" : ": ", wrong.what);
    } catch (const DeviceLost& error) {
        // Nothing can run any more. The results are stored, and that this point must not be tried again.
        trial.failure = text("faults: ", shortened(error.what()));
        store_.add({trial, has_check(), kernel_text});
        end_progress();
        throw;
    } catch (const OutOfMemory& error) {
        trial.failure = text("out of memory: ", shortened(error.what()));
    } catch (const Error& error) {
        trial.failure = text("is refused: ", shortened(error.what()));
    } catch (...) {  // of the caller's functions
        store_.leave(trial.point, kernel_text);
        throw;
    }
    store_.add({trial, has_check(), kernel_text});
    record(point, std::move(trial));
}

void Session::record(std::size_t point, Trial trial) {
    search_.tell(point, trial.milliseconds);
    if (trial.milliseconds && !start_) start_ = point;
    if (!trial.milliseconds) ++failed_;
    ++result_.trials;
    // The program of a point that is not the best need not stay loaded.
    for (auto one = made_.begin(); one != made_.end();)
        one = one->first == point && search_.best() != point && start_ != point ? made_.erase(one) : std::next(one);
    result_.history.push_back(std::move(trial));
    if (options_.trial_done) options_.trial_done(result_.history.back());
}

void Session::verify(std::size_t point) {
    Runner& made = runner(point);
    if (made.get_ready) made.get_ready();
    last_run_ = point;
    if (subject_.put_back) subject_.put_back();
    if (options_.prepare) options_.prepare();
    made.run();
    subject_.stream.synchronize();
    if (subject_.complaint)
        if (std::string what = subject_.complaint(); !what.empty()) throw WrongResult{std::move(what)};
    if (options_.check && !options_.check()) throw WrongResult{};
}

double Session::batch(std::size_t point, int launches) {
    Runner& made = runner(point);
    if (made.get_ready && last_run_ != point) made.get_ready();
    last_run_ = point;
    const Event start = subject_.stream.record();
    for (int i = 0; i < launches; ++i) made.run();
    const Event stop = subject_.stream.record();
    return std::max(elapsed_milliseconds(start, stop) / launches, 1e-9);
}

namespace {

/// The number of launches that take about half a millisecond together.
int launches_for(double milliseconds) { return static_cast<int>(std::clamp(0.5 / milliseconds, 1.0, 50.0)); }
int rounds_for(double milliseconds) { return milliseconds > 300 ? 1 : milliseconds > 50 ? 3 : 5; }

}  // namespace

Trial Session::measure(std::size_t point) {
    Trial trial{.point = space_.point(point)};
    verify(point);  // warms up, too
    const double first = batch(point, 1);
    if (!best_runner()) {
        std::vector<double> times;
        for (int round = 0; round < rounds_for(first); ++round) times.push_back(batch(point, launches_for(first)));
        trial.milliseconds = median(times);
        return trial;
    }
    trial.milliseconds = beside_best(point, first);
    trial.was_dropped = *trial.milliseconds < 0;
    trial.milliseconds = std::abs(*trial.milliseconds);
    return trial;
}

/// The runner of the best point. A stored point that can no longer be compiled has failed.
Runner* Session::best_runner() {
    while (search_.best()) {
        const std::size_t best = *search_.best();
        try {
            return &runner(best);
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error&) {
            search_.tell(best, std::nullopt);
        }
    }
    return nullptr;
}

/// Times a point in alternation with the best point, so that changes of clock rate cancel. @returns the time, on the
/// scale of the best point's; negative if the point was given up as hopeless
double Session::beside_best(std::size_t point, double first) {
    const std::size_t best = *search_.best();
    const double best_time = search_.best_milliseconds();
    double best_first = batch(best, 1);
    if (first > 2 * best_first) {
        // Repeated once, in case another process used the device.
        first = std::min(first, batch(point, 1));
        best_first = std::min(best_first, batch(best, 1));
        if (first > 2 * best_first) return -first * best_time / best_first;
    }
    std::vector<double> ratios;
    const int rounds = rounds_for(first);
    for (int round = 0; round < rounds; ++round) {
        const double reference = batch(best, launches_for(best_first));
        ratios.push_back(batch(point, launches_for(first)) / reference);
        // For a point that is far behind, three rounds are enough.
        if (round == 2 && median(ratios) > 1.3) break;
    }
    return best_time * median(ratios);
}

/// Times the best few points and the initial one again, in alternation: single measurements vary, and the luckiest
/// would win.
void Session::final_round() {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const Trial& trial : result_.history)
        if (const auto point = trial.milliseconds ? space_.find(trial.point) : std::nullopt)
            ranked.emplace_back(*trial.milliseconds, *point);
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> finalists;
    for (const auto& [milliseconds, point] : ranked)
        if (finalists.size() < 3 && milliseconds <= 1.1 * ranked.front().first) finalists.push_back(point);
    if (start_ && std::find(finalists.begin(), finalists.end(), *start_) == finalists.end())
        finalists.push_back(*start_);
    std::map<std::size_t, std::vector<double>> times;
    std::erase_if(finalists, [&](std::size_t point) {
        try {
            verify(point);
            return false;
        } catch (const DeviceLost&) {
            throw;
        } catch (const Error&) {
            return true;
        } catch (const WrongResult&) {
            return true;
        }
    });
    const double scale = search_.best_milliseconds();
    for (int round = 0; round < std::max(3, rounds_for(scale)); ++round)
        for (const std::size_t point : finalists) times[point].push_back(batch(point, launches_for(scale)));
    if (times.empty())
        throw Error(
            text("tune '", subject_.name,
                 "': no point that ran before runs again; clear stored ones with `gemel tune clear` and tune again"));
    const auto time = [&](std::size_t point) { return median(times.at(point)); };
    const std::size_t winner = *std::min_element(finalists.begin(), finalists.end(),
                                                 [&](std::size_t a, std::size_t b) { return time(a) < time(b); });
    result_.point = space_.point(winner);
    result_.milliseconds = time(winner);
    result_.start_milliseconds = start_ && times.contains(*start_) ? time(*start_) : result_.milliseconds;
}

void Session::finish(const std::string& why) {
    final_round();
    end_progress();
    result_.stopped = why.empty() ? "all points" : why;
    result_.seconds = seconds();
    if (why == "interrupted") return;
    const auto earlier = store_.finished(has_check());
    store_.finish({.space = digest_,
                   .point = to_string(result_.point),
                   .milliseconds = result_.milliseconds,
                   .start_milliseconds = result_.start_milliseconds,
                   .seconds = (earlier ? earlier->seconds : 0) + result_.seconds,
                   .trials = search_.told(),
                   .is_checked = has_check()});
}

void Session::show_progress() const {
    if (!shows_progress_) return;
    const double spent = seconds();
    double left = result_.trials > 0 ? spent / static_cast<double>(result_.trials) *
                                           static_cast<double>(budget_ - std::min(budget_, search_.told()))
                                     : 0;
    if (options_.seconds > 0) left = std::min(left, std::max(options_.seconds - spent, 0.0));
    const std::string best = search_.best() ? text(", best ", search_.best_milliseconds(), " ms (",
                                                   to_string(space_.point(*search_.best())), ")")
                                            : std::string();
    const std::string failures = failed_ > 0 ? text(", ", failed_, " failed") : std::string();
    std::fprintf(stderr, "\rtune %s: %zu of %zu trials%s%s, %.0f s left \033[K", subject_.name.c_str(), search_.told(),
                 budget_, best.c_str(), failures.c_str(), left);
}

void Session::end_progress() const {
    if (shows_progress_) std::fputc('\n', stderr);
}

}  // namespace gemel::tune
