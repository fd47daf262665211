/// Ctrl-C during tuning: the first ends the search, the next one the process.
#pragma once

namespace gemel::tune {

/// Handles SIGINT from construction to destruction, then restores the previous handler. There may be several at once. A
/// process that ignores the signal continues to ignore it.
class InterruptWatch {
   public:
    InterruptWatch();
    ~InterruptWatch();
    InterruptWatch(const InterruptWatch&) = delete;
    InterruptWatch& operator=(const InterruptWatch&) = delete;
    /// Whether the signal arrived after construction.
    bool seen() const;

   private:
    unsigned before_;
};

}  // namespace gemel::tune
