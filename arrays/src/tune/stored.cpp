/// Lists the contents of the store in readable form.
#include "tune/report.hpp"
#include "tune/trial_store.hpp"

#include <gemel/core/text.hpp>

#include <map>

namespace gemel::tune {

std::vector<Stored> stored() {
    std::vector<Stored> out;
    for (const RecordFile& file : RecordFile::all()) {
        std::map<std::string, std::map<std::string, Trial>> searches;
        std::map<std::string, Finished> finished;
        std::map<std::string, std::string> used;
        const std::vector<Record> records = file.read();
        for (const Record& record : trials_among(records)) searches[record[1]][record[2]] = trial_of(record);
        for (const Record& record : records) {
            if (record[0] == "use" && record.size() == 3) used[record[1]] = record[2];
            if (const auto done = finished_of(record)) finished[record[1]] = *done;
        }
        for (const auto& [work, trials] : searches) {
            Stored one{.device = file.fingerprint(), .work = work};
            for (const auto& [point, trial] : trials) {
                one.history.push_back(trial);
                ++(trial.milliseconds ? one.trials : one.failed);
                if (trial.milliseconds && (!one.milliseconds || *trial.milliseconds < *one.milliseconds)) {
                    one.milliseconds = trial.milliseconds;
                    one.point = trial.point;
                }
            }
            const auto done = finished.find(work);
            const auto best = done != finished.end() ? trials.find(done->second.point) : trials.end();
            const bool has_failed = best != trials.end() && !best->second.milliseconds;  // since
            if (done != finished.end() && !has_failed) {
                one.point = parse_point(done->second.point);
                one.milliseconds = done->second.milliseconds;
            }
            one.trials += one.failed;
            out.push_back(std::move(one));
        }
        for (const auto& [work, tuning] : used)
            if (!tuning.empty())
                out.push_back({.device = file.fingerprint(), .work = work, .point = parse_point(tuning)});
    }
    return out;
}

std::string to_json(const Stored& record) { return t4_json(record.history); }

std::size_t clear_stored(const std::string& part) {
    std::size_t removed = 0;
    for (const RecordFile& file : RecordFile::all())
        removed += file.keep_if([&](const Record& record) {
            const bool is_named = file.fingerprint().find(part) != std::string::npos ||
                                  (record.size() > 1 && record[1].find(part) != std::string::npos);
            return !is_named;
        });
    return removed;
}

std::optional<std::filesystem::path> store_folder() { return RecordFile::folder(); }

}  // namespace gemel::tune
