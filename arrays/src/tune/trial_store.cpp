#include "tune/trial_store.hpp"

#include <gemel/codegen/tuning_value.hpp>
#include <gemel/core/text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace gemel::tune {
namespace {

const char* const checked = "checked";
const char* const unchecked = "unchecked";

std::optional<double> number(const std::string& word) {
    double value = 0;
    const auto [end, failure] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failure != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

/// A value that is written as `word`. A text such as "007" stays a text.
codegen::Value value_of(const std::string& word) {
    const codegen::Value value = value_of_word(word);
    return value.text() == word ? value : codegen::Value(word);
}

/// The text of a trial's, begin's or left's kernel.
std::string text_in(const Record& record) {
    const std::size_t place = record[0] == "trial" ? 6 : 3;
    return record.size() > place ? record[place] : std::string();
}

/// A part of a key such as "float*2^20" or "item_bytes=4": what is before the number, and the number's logarithm.
struct KeyPart {
    std::string what;
    double log2;
};

std::vector<KeyPart> parts_of(const std::string& size) {
    constexpr const char* separators = " ,()";
    std::vector<KeyPart> parts;
    for (std::size_t from = 0; (from = size.find_first_not_of(separators, from)) != std::string::npos;) {
        const std::size_t to = std::min(size.find_first_of(separators, from), size.size());
        const std::string word = size.substr(from, to - from);
        const std::size_t digits = word.find_last_not_of("0123456789") + 1;
        const double value = number(word.substr(digits)).value_or(0);
        const bool is_logarithm = word.find("2^") != std::string::npos || word.starts_with("log2_");
        parts.push_back({word.substr(0, digits), is_logarithm ? value : std::log2(std::max(value, 1.0))});
        from = to;
    }
    return parts;
}

/// How far two sizes are apart: the differences of their logarithms.
double size_distance(const std::vector<KeyPart>& a, const std::vector<KeyPart>& b) {
    constexpr double other_type = 64;  // farther than any size
    const std::size_t common = std::min(a.size(), b.size());
    double sum = other_type * static_cast<double>(a.size() + b.size() - 2 * common);
    for (std::size_t k = 0; k < common; ++k)
        sum += a[k].what == b[k].what ? std::abs(a[k].log2 - b[k].log2) : other_type;
    return sum;
}

/// The best point of another search for the same kernel.
struct Neighbour {
    bool is_other_device;
    double distance;
    std::string point;
};

void add_neighbours(std::vector<Neighbour>& neighbours, const std::vector<Record>& records, const std::string& family,
                    const std::string& own, bool is_other_device) {
    std::map<std::string, std::map<std::string, std::optional<double>>> searches;
    for (const Record& record : trials_among(records))
        if (record[1].starts_with(family + " ") && (is_other_device || record[1] != own))
            searches[record[1]][record[2]] = number(record[3]);
    const auto sizes = [&](const std::string& key) { return parts_of(key.substr(family.size())); };
    const auto time = [](const auto& trial) { return trial.second.value_or(HUGE_VAL); };
    for (const auto& [key, trials] : searches) {
        const auto best = std::min_element(trials.begin(), trials.end(),
                                           [&](const auto& a, const auto& b) { return time(a) < time(b); });
        if (best->second) neighbours.push_back({is_other_device, size_distance(sizes(own), sizes(key)), best->first});
    }
}

/// Their points, the nearest first.
std::vector<Point> ranked(std::vector<Neighbour> neighbours) {
    const auto rank = [](const Neighbour& one) { return std::pair(one.is_other_device, one.distance); };
    std::stable_sort(neighbours.begin(), neighbours.end(),
                     [&](const Neighbour& a, const Neighbour& b) { return rank(a) < rank(b); });
    std::set<std::string> seen;
    std::vector<Point> points;
    for (const Neighbour& one : neighbours)
        if (seen.insert(one.point).second) points.push_back(parse_point(one.point));
    return points;
}

Record with_text(Record record, const std::string& text) {
    if (!text.empty()) record.push_back(text);
    return record;
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

std::vector<Record> trials_among(const std::vector<Record>& records) {
    std::vector<Record> trials;
    std::map<std::vector<std::string>, int> begun;
    for (const Record& record : records) {
        if (record.size() < 3) continue;
        const std::vector<std::string> which{record[1], record[2], text_in(record)};
        if (record[0] == "left") --begun[which];
        if (record[0] == "begin" && ++begun[which] == 2)
            trials.push_back({"trial", record[1], record[2], "-", "the process ended while it ran, twice", unchecked,
                              text_in(record)});
        if (record[0] != "trial" || record.size() < 5) continue;
        begun[which] = 0;
        trials.push_back(record);
    }
    return trials;
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
                    .trials = static_cast<std::size_t>(*trials),
                    .is_checked = record.size() > 8 && record[8] == checked};
}

TrialStore::TrialStore(const Context& context, std::string family, std::string size)
    : file_(context.fingerprint()), family_(std::move(family)), key_(family_ + " " + size) {
    if (!uses_stored_tunings()) return;
    const std::vector<Record> all = file_.read();
    for (const Record& record : trials_among(all))
        if (record[1] == key_) trials_.push_back(record);
    for (const Record& record : all) {
        const auto finished = finished_of(record);
        if (!finished || record[1] != key_) continue;
        finished_ = finished;
        if (finished->is_checked) finished_checked_ = finished;
    }
    std::vector<Neighbour> neighbours;
    add_neighbours(neighbours, all, family_, key_, false);
    for (const RecordFile& other : RecordFile::all())
        if (other.path() != file_.path()) add_neighbours(neighbours, other.read(), family_, key_, true);
    neighbours_ = ranked(std::move(neighbours));
}

std::vector<Recorded> TrialStore::trials() const {
    std::vector<Recorded> trials;
    for (const Record& record : trials_)
        trials.push_back({trial_of(record), record.size() > 5 && record[5] == checked, text_in(record)});
    return trials;
}

void TrialStore::begin(const Point& point, const std::string& text) const {
    file_.append(with_text({"begin", key_, to_string(point)}, text));
}

void TrialStore::leave(const Point& point, const std::string& text) const {
    file_.append(with_text({"left", key_, to_string(point)}, text));
}

void TrialStore::add(const Recorded& one) const {
    const Trial& trial = one.trial;
    file_.append(
        with_text({"trial", key_, to_string(trial.point), trial.milliseconds ? exact(*trial.milliseconds) : "-",
                   trial.was_dropped ? "dropped" : trial.failure, one.is_checked ? checked : unchecked},
                  one.text));
}

void TrialStore::finish(const Finished& finished) const {
    file_.append({"done", key_, finished.space, finished.point, exact(finished.milliseconds),
                  exact(finished.start_milliseconds), text(finished.trials), exact(finished.seconds),
                  finished.is_checked ? checked : unchecked});
}

}  // namespace gemel::tune
