/// Ctrl-C while tuning: the first ends the search, the next one the process.
#pragma once

namespace gemel::tune {

/// Watches for SIGINT from construction to destruction, then what was there before is in force again. Several may watch
/// at once. A process that ignores the signal goes on ignoring it.
class InterruptWatch {
   public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    /// Whether it came since this watch began.
    bool seen() const;

   private:
    unsigned before_;
};

}  // namespace gemel::tune
