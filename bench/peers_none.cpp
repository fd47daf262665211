/// Where CUB was not built: nobody calls these.
#include "peers.hpp"

namespace bench::peers {

void axpy(Type, double, const void*, const void*, void*, std::size_t, void*) {}
void axpby(double, const void*, double, const void*, void*, std::size_t, void*) {}
void five(const void*, const void*, const void*, const void*, const void*, void*, std::size_t, void*) {}
void sum(Type, const void*, void*, std::size_t, void*) {}
void dot(const void*, const void*, void*, std::size_t, void*) {}
void argmax(const void*, void*, void*, std::size_t, void*) {}
void minmax(const void*, void*, std::size_t, void*) {}
void scan(Type, const void*, void*, std::size_t, void*) {}
void select_above(const void*, float, void*, void*, std::size_t, void*) {}
void partition_below(const void*, float, void*, void*, std::size_t, void*) {}
void unique(const void*, void*, void*, std::size_t, void*) {}
void run_lengths(const void*, void*, void*, void*, std::size_t, void*) {}
void reduce_by_key(const void*, const void*, void*, void*, void*, std::size_t, void*) {}
void histogram(const void*, void*, int, std::size_t, void*) {}

void sort_keys(Key, const void*, void*, std::size_t, void*) {}
void sort_pairs(Pair, const void*, void*, const void*, void*, std::size_t, void*) {}
void sort_rows(const void*, void*, std::size_t, std::size_t, void*) {}

}  // namespace bench::peers
