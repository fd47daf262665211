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

/// A completed search.
struct Finished {
    std::string space;  ///< the digest of the space
    std::string point;
    double milliseconds = 0, start_milliseconds = 0, seconds = 0;
    std::size_t trials = 0;
};

Trial trial_of(const Record& record);
std::optional<Finished> finished_of(const Record& record);

class TrialStore {
   public:
    /// @param family  of the kernel, with a digest of its source
    /// @param size    the arguments' types and size classes
    TrialStore(const Context& context, std::string family, std::string size);

    /// The last record of each point.
    std::vector<Trial> trials() const;
    std::optional<Finished> finished() const { return finished_; }
    /// The best points of the same kernel with other sizes, and on other devices; this device's first.
    std::vector<Point> neighbours() const;

    /// Records that a point is about to run. A point that ends the process twice counts as failed: on some devices, a
    /// faulting kernel does, and the search would never get past it.
    void begin(const Point& point) const;
    /// Records that the point that began is left without a result.
    void leave(const Point& point) const;
    void add(const Trial& trial) const;
    void finish(const Finished& finished) const;
    const std::string& key() const { return key_; }

   private:
    RecordFile file_;
    std::string family_, key_;
    std::vector<Record> records_;  ///< with this key
    std::optional<Finished> finished_;
    std::vector<Point> neighbours_;
};

}  // namespace gemel::tune
