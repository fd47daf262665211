/// The texts of convolutions in every form, for tests that compile them and for golden files.
#pragma once

#include <gemel/codegen/convolution.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/dtype.hpp>

#include <string>
#include <utility>
#include <vector>

namespace dense_programs {

using gemel::Dialect;
using gemel::codegen::ConvolutionBorder;
using gemel::codegen::ConvolutionLayout;

/// Names and layouts: every type and border, blocks and serial threads, whole filters and pieces.
inline std::vector<std::pair<std::string, ConvolutionLayout>> layouts() {
    using namespace gemel;
    std::vector<std::pair<std::string, ConvolutionLayout>> all;
    ConvolutionLayout bank{.dtype = dtype_of<float>(), .filter_rows = 5, .filter_columns = 5};
    bank.piece_rows = bank.piece_columns = 5;
    bank.filters = 8;
    all.emplace_back("convolution_bank", bank);
    ConvolutionLayout serial = bank;
    serial.serial = serial.side_by_side = true;
    serial.filters = 3;
    serial.own = 8;
    serial.across = 64;
    serial.down = 1;
    serial.border = ConvolutionBorder::symmetric;
    all.emplace_back("convolution_bank_serial", serial);
    ConvolutionLayout row{.dtype = dtype_of<half>(), .border = ConvolutionBorder::constant, .filter_columns = 37};
    row.piece_columns = 16;
    row.own = 5;
    row.along_rows = true;
    row.across = 256;
    row.down = 1;
    all.emplace_back("convolution_row_in_pieces", row);
    std::size_t turn = 0;
    for (const DType& dtype :
         {dtype_of<bool>(), dtype_of<std::int8_t>(), dtype_of<std::uint16_t>(), dtype_of<std::int32_t>(),
          dtype_of<std::uint64_t>(), dtype_of<bfloat16>(), dtype_of<double>(), dtype_of<cfloat>(), dtype_of<cdouble>()})
        for (const bool is_serial : {false, true}) {
            ConvolutionLayout one{.dtype = dtype, .serial = is_serial, .filter_rows = 10, .filter_columns = 6};
            one.border = static_cast<ConvolutionBorder>(turn++ % 6);
            one.conjugate = dtype.kind() == DType::Kind::complex;
            one.step_rows = 2;
            one.step_columns = turn % 2 + 1;
            one.piece_rows = 8;
            one.piece_columns = turn % 3 == 0 ? 4 : 6;
            one.along_rows = !is_serial && turn % 4 == 0;
            one.filters = 2;
            one.across = 16;
            one.down = is_serial ? 1 : 4;
            all.emplace_back("convolution_" + dtype.name() + (is_serial ? "_serial" : ""), one);
        }
    return all;
}

}  // namespace dense_programs
