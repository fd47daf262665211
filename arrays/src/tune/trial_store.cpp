#include "tune/trial_store.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <sstream>

namespace gemel::tune {
namespace {

std::optional<double> number(const std::string& word) {
    double value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

/// A value that is written as `word`. A text such as "007" stays a text.
codegen::Value value_of(const std::string& word) {
    if (word == "true") return true;
    if (word == "false") return false;
    std::int64_t integer = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), integer);
    const bool is_integer = failure == std::errc() && end == word.data() + word.size();
    const auto floating = number(word);
    const codegen::Value value = is_integer ? codegen::Value(integer)
                                 : floating ? codegen::Value(*floating)
                                            : codegen::Value(word);
    return value.text() == word ? value : codegen::Value(word);
}

/// The fastest trial for each key of a family, except one key.
std::vector<Point> best_of_others(const std::vector<Record>& records, const std::string& family,
                                  const std::string& own) {
    std::map<std::string, std::pair<double, std::string>> best;
    for (const Record& record : records) {
        if (record.size() < 5 || record[0] != "trial" || record[1] == own) continue;
        if (!record[1].starts_with(family + " ")) continue;
        const auto milliseconds = number(record[3]);
        if (!milliseconds) continue;
        const auto [found, is_new] = best.try_emplace(record[1], *milliseconds, record[2]);
        if (!is_new && *milliseconds < found->second.first) found->second = {*milliseconds, record[2]};
    }
    std::vector<Point> points;
    for (const auto& [key, one] : best) points.push_back(parse_point(one.second));
    return points;
}

std::string exact(double value) {
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out.precision(9);
    out << value;
    return out.str();
}

}  // namespace

Point parse_point(std::string_view text) {
    std::istringstream words{std::string(text)};
    Point::Values values;
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        if (equals == std::string::npos) continue;
        values.emplace_back(word.substr(0, equals), value_of(word.substr(equals + 1)));
    }
    return Point(std::move(values));
}

Trial trial_of(const Record& record) {
    Trial trial{.point = parse_point(record.at(2)), .milliseconds = number(record.at(3)), .is_stored = true};
    if (!trial.milliseconds) trial.failure = record.at(4).empty() ? "failed" : record.at(4);
    trial.was_dropped = trial.milliseconds && record.at(4) == "dropped";
    return trial;
}

std::optional<Finished> finished_of(const Record& record) {
    if (record.size() < 8 || record[0] != "done") return std::nullopt;
    const auto milliseconds = number(record[4]), start = number(record[5]), trials = number(record[6]),
               seconds = number(record[7]);
    if (!milliseconds || !start || !trials || !seconds) return std::nullopt;
    return Finished{.space = record[2],
                    .point = record[3],
                    .milliseconds = *milliseconds,
                    .start_milliseconds = *start,
                    .seconds = *seconds,
                    .trials = static_cast<std::size_t>(*trials)};
}

TrialStore::TrialStore(const Context& context, std::string family, std::string size)
    : file_(context.fingerprint()), family_(std::move(family)), key_(family_ + " " + size) {
    const std::vector<Record> all = file_.read();
    std::map<std::string, int> begun;
    for (const Record& record : all) {
        if (record.size() == 3 && record[0] == "left" && record[1] == key_) --begun[record[2]];
        if (record.size() == 3 && record[0] == "begin" && record[1] == key_ && ++begun[record[2]] == 2)
            records_.push_back({"trial", key_, record[2], "-", "the process ended while it ran, twice"});
        if (record.size() < 5 || record[1] != key_) continue;
        if (record[0] == "trial") begun[record[2]] = 0;
        if (record[0] == "trial") records_.push_back(record);
        if (const auto finished = finished_of(record)) finished_ = finished;
    }
    neighbours_ = best_of_others(all, family_, key_);
    for (const RecordFile& other : RecordFile::all()) {
        if (other.path() == file_.path()) continue;
        for (Point& point : best_of_others(other.read(), family_, {})) neighbours_.push_back(std::move(point));
    }
}

std::vector<Trial> TrialStore::trials() const {
    std::vector<Trial> trials;
    std::map<std::string, std::size_t> indices;
    for (const Record& record : records_) {
        const auto [known, is_new] = indices.try_emplace(record[2], trials.size());
        if (is_new)
            trials.push_back(trial_of(record));
        else
            trials[known->second] = trial_of(record);
    }
    return trials;
}

std::vector<Point> TrialStore::neighbours() const { return neighbours_; }

void TrialStore::begin(const Point& point) const { file_.append({"begin", key_, to_string(point)}); }

void TrialStore::leave(const Point& point) const { file_.append({"left", key_, to_string(point)}); }

void TrialStore::add(const Trial& trial) const {
    file_.append({"trial", key_, to_string(trial.point), trial.milliseconds ? exact(*trial.milliseconds) : "-",
                  trial.was_dropped ? "dropped" : trial.failure});
}

void TrialStore::finish(const Finished& finished) const {
    file_.append({"done", key_, finished.space, finished.point, exact(finished.milliseconds),
                  exact(finished.start_milliseconds), text(finished.trials), exact(finished.seconds)});
}

}  // namespace gemel::tune
