/// Row programs on the device: values of each row, and elements computed from both, by one launch.
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

/// How one call differs from the others.
struct RowOptions {
    std::vector<bool> along = {};  ///< which axes of the arrays a row goes along
    Stream stream = {};
    codegen::RowTuning tuning = {};
};

/// One row program, compiled per layout when first met.
class RowKernel {
   public:
    /// @throws ArgumentError
    explicit RowKernel(codegen::RowRequest request);
    /// @param arguments  of one shape, broadcast before; what the body writes among them
    /// @param results    one per row each: contiguous, of the shape that the other axes leave
    void run(const RowOptions& options, std::span<const CallArgument> arguments,
             std::span<const AnyArray> results) const;
    /// The text for the arrays, and how it is cut: for looking at.
    struct Description {
        std::string text, cut;
        bool reads_again = false;  ///< each loop reads the row
    };
    Description describe(const RowOptions& options, std::span<const CallArgument> arguments,
                         const Dialect& dialect) const;
    const codegen::RowRequest& request() const;

   private:
    std::shared_ptr<const RowState> state_;
};

}  // namespace gemel
