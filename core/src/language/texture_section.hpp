/// Textures and images for kernels: sampling has one source for all dialects; each dialect reads elements itself.
#pragma once

#include <gemel/core/dialect.hpp>

#include <string>
#include <vector>

namespace gemel {

/// A dialect's parts of textures and images.
struct ImageTexts {
    std::string textures;            ///< types, and gemel_image_float, _int, _uint and gemel_image_linear for each
    std::vector<std::string> needs;  ///< sections that these need
    std::string images;              ///< IMAGE_2D_READ, IMAGE_2D_WRITE and their siblings, image_read, image_write
    std::string doubles;             ///< texture_double
    std::string (*type)(const std::string& rank, bool is_written);  ///< of an image; "2D" and "2D_LAYERED" are ranks
};

/// Replaces every `what` by `by`.
std::string replaced(std::string text, const std::string& what, const std::string& by);

/// image_read or image_write of one rank, the same for all dialects, based on the dialect's gemel_read_kind,
/// gemel_read_channels, gemel_read_within, gemel_read_float, gemel_read_int; gemel_written_kind, gemel_written_within,
/// gemel_write_float, gemel_write_int, gemel_write_uint.
std::string image_words(const ImageTexts& texts, const std::string& rank, bool is_written);

/// The sections with TEXTURE_2D, texture_read, IMAGE_2D_WRITE, image_write and related words.
std::vector<Dialect::Section> image_sections(const ImageTexts& texts);

/// The parts of each dialect.
ImageTexts cuda_image_texts();
ImageTexts opencl_image_texts();

}  // namespace gemel
