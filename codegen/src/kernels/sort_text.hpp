/// Fills the kernels of one sort.
#pragma once

#include <gemel/codegen/block.hpp>
#include <gemel/codegen/kernel_text.hpp>
#include <gemel/codegen/sort.hpp>

#include <string>
#include <vector>

namespace gemel::codegen {

class SortText {
   public:
    SortText(const SortRequest& request, const SortLayout& layout, const SortTuning& tuning, const Dialect& dialect);
    std::string text();
    /// The kernel that writes keys of expressions.
    std::string keys();

   private:
    struct Moved {
        std::string name, type;
        bool is_kept;
    };
    /// What moves with the keys by passes that look back.
    struct Carried {
        std::string type, value, store;  ///< of a thread's element k: the load; `moved` to its position
    };
    std::vector<Carried> carried() const;
    /// Whether a thread's registers hold its first value of each element beside the keys and indices, two in a
    /// register.
    bool has_room_for_values() const;
    std::string fill(const Template& kernel, const Values& more = {});
    Value moved_list() const;
    std::string declarations() const;
    std::string key_digit();
    std::string key_bits_of_expression();
    std::string functions();
    std::string sort_tile();
    std::string one_sweep();
    std::string scatter_key();
    std::string scatter_values();
    /// Loads a thread's elements of an array that moves with the keys.
    std::string fetch(const Carried& carried);
    std::string by_tiles();
    std::string block_sort();
    /// The digit of a pass, of a thread's element k or of one element.
    std::string digit(const std::string& key, const std::string& segment, const char* position = "position") const;
    /// What happens to a thread's element k when its position in the sorted tile is found.
    std::string stage_key();
    /// An index as it is written: within its row.
    std::string index_value(const std::string& moved) const;
    int arena_bytes(int bytes) const;

    const SortRequest& request_;
    const SortLayout& layout_;
    const SortTuning& tuning_;
    const SortPlaces positions_;
    const int block_, items_, parts_;
    const Dialect& dialect_;
    KernelText kernel_;
    const std::string key_, count_, index_;
    bool carries_more_ = false;   ///< something moves beside the keys
    bool keeps_indices_ = false;  ///< the indices of a thread's elements in the tile
    /// The first array that moves with the keys is loaded before they are moved: its registers are free.
    bool fetches_early_ = false;
    std::vector<Moved> moved_;
    pieces::Item number_, total_;
    Values values_;
};

/// The type in which elements of so many bytes are moved: an unsigned number, or a struct of these.
std::string moved_type(const std::string& name, std::uint32_t bytes);

}  // namespace gemel::codegen
