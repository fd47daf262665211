/// The trials of a kernel with arguments of one kind: read when a search begins, appended to after each trial.
#pragma once

#include "tune/record_file.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/tuning_space.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gemel::tune {

/// Parses "block=64 kind=fast" as a point. Numbers become integers or floating-point numbers.
Point parse_point(std::string_view text);

/// A trial as it is stored.
struct Recorded {
    Trial trial;
    bool is_checked = false;  ///< the search had a check of results
    std::string text = {};    ///< a digest of the kernel's text, if the key does not contain the text
};

/// A completed search.
struct Finished {
    std::string space;  ///< the digest of the space
    std::string point;
    double milliseconds = 0, start_milliseconds = 0, seconds = 0;
    std::size_t trials = 0;
    bool is_checked = false;
};

/// The records of trials. A point that ended the process twice left only records of its beginning; it gets one of a
/// failed trial.
std::vector<Record> trials_among(const std::vector<Record>& records);
Trial trial_of(const Record& record);
std::optional<Finished> finished_of(const Record& record);

class TrialStore {
   public:
    /// @param family  of the kernel, with a digest of its source
    /// @param size    the arguments' types and size classes
    TrialStore(const Context& context, std::string family, std::string size);

    /// All trials, in the order of writing. None, as below, with GEMEL_TUNE=off.
    std::vector<Recorded> trials() const;
    /// The last completed search, or the last one that had a check of results.
    std::optional<Finished> finished(bool with_check) const { return with_check ? finished_checked_ : finished_; }
    /// The best points of the same kernel with other sizes, and on other devices; this device's first, and among these
    /// those of the nearest sizes.
    std::vector<Point> neighbours() const { return neighbours_; }

    /// Records that a point is about to run. A point that ends the process twice counts as failed: on some devices, a
    /// faulting kernel does, and the search would never get past it.
    /// @param text  as in Recorded
    void begin(const Point& point, const std::string& text) const;
    /// Records that the point that began is left without a result.
    void leave(const Point& point, const std::string& text) const;
    void add(const Recorded& trial) const;
    void finish(const Finished& finished) const;
    const std::string& key() const { return key_; }

   private:
    RecordFile file_;
    std::string family_, key_;
    std::vector<Record> trials_;  ///< with this key
    std::optional<Finished> finished_, finished_checked_;
    std::vector<Point> neighbours_;
};

}  // namespace gemel::tune
