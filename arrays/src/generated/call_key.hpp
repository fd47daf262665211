/// The key of an expression's text, compared on every call: words on the stack, without allocation.
#pragma once

#include "generated/declared_arguments.hpp"

#include <boost/container/static_vector.hpp>
#include <boost/container_hash/hash.hpp>

#include <cstddef>
#include <cstdint>

namespace gemel {

class CallKey {
   public:
    /// @throws ArgumentError if there are more words than an expression of one kernel can have
    void add(std::uint64_t word) {
        if (words_.size() == words_.capacity())
            throw ArgumentError("expression: too many parts for one kernel; evaluate some of them with .eval()");
        words_.push_back(word);
    }
    std::size_t hash() const { return boost::hash_range(words_.begin(), words_.end()); }
    friend bool operator==(const CallKey&, const CallKey&) = default;

   private:
    boost::container::static_vector<std::uint64_t, 2 * max_call_arguments + 16> words_;
};
struct CallKeyHash {
    std::size_t operator()(const CallKey& key) const { return key.hash(); }
};

}  // namespace gemel
