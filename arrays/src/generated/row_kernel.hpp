/// Row programs on the device: values per row, and elements computed from them, in one launch.
#pragma once

#include <gemel/arrays/any_array.hpp>
#include <gemel/arrays/call_argument.hpp>
#include <gemel/codegen/rows.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/stream.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace gemel {

struct RowState;

/// The options of one call.
struct RowOptions {
    std::vector<bool> along = {};  ///< the axes of the arrays along which a row extends
    Stream stream = {};
    codegen::RowTuning tuning = {};
};

/// A row program, compiled for each layout on first use.
class RowKernel {
   public:
    /// @throws ArgumentError
    explicit RowKernel(codegen::RowRequest request);
    /// @param arguments  arrays of one shape, already broadcast, including those that the body writes
    /// @param results    one per result, with an element per row: contiguous, of the shape of the other axes
    void run(const RowOptions& options, std::span<const CallArgument> arguments,
             std::span<const AnyArray> results) const;
    /// The source for the arrays, and the distribution of their rows, for showing it.
    struct Description {
        std::string text, cut;
        bool reads_again = false;  ///< each loop reads the row again
    };
    Description describe(const RowOptions& options, std::span<const CallArgument> arguments,
                         const Dialect& dialect) const;
    const codegen::RowRequest& request() const;

   private:
    std::shared_ptr<const RowState> state_;
};

}  // namespace gemel
