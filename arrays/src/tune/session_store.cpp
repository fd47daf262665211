/// What a search takes from the store.
#include "tune/session.hpp"

#include <algorithm>
#include <map>

namespace gemel::tune {

/// The last trial of each point that this search may use, with the point's number.
std::vector<std::pair<std::size_t, Trial>> Session::stored_trials() const {
    std::vector<std::pair<std::size_t, Trial>> trials;
    std::map<std::size_t, std::size_t> indices;
    for (Recorded& one : store_.trials()) {
        const auto point = space_.find(one.trial.point);
        if (!point) continue;                    // a record of a different space
        one.trial.point = space_.point(*point);  // values of the parameters' own types; those of the store are parsed
        if (has_check() && one.trial.milliseconds && !one.is_checked) continue;
        if (one.text != text_of(one.trial.point)) continue;  // a record of a different kernel
        const auto [known, is_new] = indices.try_emplace(*point, trials.size());
        if (is_new)
            trials.emplace_back(*point, std::move(one.trial));
        else
            trials[known->second].second = std::move(one.trial);
    }
    return trials;
}

bool Session::is_answered_by_store() {
    const auto finished = store_.finished(has_check());
    if (options_.again || !finished || finished->space != digest_) return false;
    const bool has_time = options_.trials == 0 && options_.seconds > 0 && finished->seconds >= options_.seconds;
    if (finished->trials < budget_ && !has_time) return false;
    const auto point = space_.find(parse_point(finished->point));
    if (!point) return false;
    auto trials = stored_trials();
    const auto best = std::find_if(trials.begin(), trials.end(), [&](const auto& one) { return one.first == *point; });
    if (best != trials.end() && !best->second.milliseconds) return false;  // it has failed since
    // The search was for other texts.
    if (subject_.text_of && (best == trials.end() || trials.size() < finished->trials)) return false;
    result_.point = space_.point(*point);
    result_.milliseconds = finished->milliseconds;
    result_.start_milliseconds = finished->start_milliseconds;
    for (auto& [number, trial] : trials) result_.history.push_back(std::move(trial));
    result_.stopped = "stored";
    result_.seconds = seconds();
    return true;
}

void Session::take_stored_trials() {
    if (options_.again) return;
    for (auto& [point, trial] : stored_trials()) {
        search_.tell(point, trial.milliseconds);
        if (trial.milliseconds && !start_) start_ = point;
        if (!trial.milliseconds) ++failed_;
        result_.history.push_back(std::move(trial));
    }
}

}  // namespace gemel::tune
