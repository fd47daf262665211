/// The trials of one kernel with arguments of one kind: read when a search begins, added to after each trial.
#pragma once

#include "tune/record_file.hpp"

#include <gemel/arrays/tune.hpp>
#include <gemel/codegen/tuning_space.hpp>

#include <optional>
#include <string>
#include <vector>

namespace gemel::tune {

/// "block=64 kind=fast" as a point. Numbers become integers or floating-point numbers.
Point parse_point(std::string_view text);

/// A search that ran to its end.
struct Finished {
    std::string space;  ///< its digest
    std::string point;
    double milliseconds = 0, start_milliseconds = 0, seconds = 0;
    std::size_t trials = 0;
};

Trial trial_of(const Record& record);
std::optional<Finished> finished_of(const Record& record);

class TrialStore {
   public:
    /// @param family  of the kernel, with a digest of its text
    /// @param size    of its arguments: types and size classes
    TrialStore(const Context& context, std::string family, std::string size);

    /// The last record of each point that was tried.
    std::vector<Trial> trials() const;
    std::optional<Finished> finished() const { return finished_; }
    /// The best points of the same kernel with other sizes, and on other devices: this device's first.
    std::vector<Point> neighbours() const;

    /// That a point is about to run. One that ends the process twice counts as failed: on some devices a kernel that
    /// faults does, and the search would never come past it.
    void begin(const Point& point) const;
    void add(const Trial& trial) const;
    void finish(const Finished& finished) const;
    const std::string& key() const { return key_; }

   private:
    RecordFile file_;
    std::string family_, key_;
    std::vector<Record> records_;  ///< of this key
    std::optional<Finished> finished_;
    std::vector<Point> neighbours_;
};

}  // namespace gemel::tune
