/// Runs grids of kernels that the host's compiler has compiled: see emulation.hpp.
#define GEMEL_EMULATION_HOST
#include "emulation_runner.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

// Saves what a call preserves, and the stack pointer; goes on with another stack. For x86-64, as the stand-ins are
// built.
asm(R"(
.text
.type gemel_switch_stack, @function
gemel_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
extern "C" void gemel_switch_stack(void** save, void* load);

namespace emulation {
namespace {

constexpr std::size_t stack_bytes = std::size_t{64} << 10;
constexpr unsigned warp = 32;

enum class State : std::uint8_t { ready, at_warp, at_block, paused, ended };

constexpr int max_pauses = 1 << 20;

struct Fiber {
    void* stack = nullptr;
    void* stack_pointer = nullptr;
    Place place;
    State state = State::ready;
    unsigned word = 0;
};

/// One block on one thread of the host.
class Block {
   public:
    ~Block() {
        for (Fiber& fiber : fibers_) ::munmap(fiber.stack, stack_bytes);
    }

    void run(Kernel kernel, void** arguments, const Place& first) {
        kernel_ = kernel, arguments_ = arguments;
        count_ = first.block_size.x * first.block_size.y * first.block_size.z;
        while (fibers_.size() < count_) {
            void* const stack = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (stack == MAP_FAILED) throw std::runtime_error("no memory for the stack of a thread");
            fibers_.emplace_back().stack = stack;
        }
        words_.assign((count_ + warp - 1) / warp * warp, 0);
        for (unsigned t = 0; t < count_; ++t) begin(fibers_[t], first, t);
        while (turn()) {}
    }

    const Place& place() const { return running_->place; }
    void wait(State state) {
        running_->state = state;
        gemel_switch_stack(&running_->stack_pointer, scheduler_);
    }
    const unsigned* warp_words(unsigned word) {
        const std::size_t thread = static_cast<std::size_t>(running_ - fibers_.data());
        words_[thread] = word;
        wait(State::at_warp);
        return &words_[thread / warp * warp];
    }

   private:
    static void enter();

    void begin(Fiber& fiber, const Place& first, unsigned t) {
        const Triple& size = first.block_size;
        fiber.place = first;
        fiber.place.thread = {t % size.x, t / size.x % size.y, t / (size.x * size.y)};
        fiber.place.lane = t % warp;
        fiber.state = State::ready;
        auto** top = reinterpret_cast<void**>(static_cast<char*>(fiber.stack) + stack_bytes);
        *--top = nullptr;  // where a caller would be: the stack is as a call leaves it
        *--top = reinterpret_cast<void*>(&Block::enter);
        for (int k = 0; k < 6; ++k) *--top = nullptr;
        fiber.stack_pointer = top;
    }

    /// Every thread up to where it waits. @returns false when all have ended
    bool turn() {
        bool any = false;
        for (unsigned first = 0; first < count_; first += warp) {
            const unsigned stop = std::min(first + warp, count_);
            for (bool again = true; again;) {
                unsigned at_warp = 0, live = 0;
                for (unsigned t = first; t < stop; ++t) {
                    Fiber& fiber = fibers_[t];
                    if (fiber.state == State::ready) {
                        running_ = &fiber;
                        gemel_switch_stack(&scheduler_, fiber.stack_pointer);
                    }
                    at_warp += fiber.state == State::at_warp;
                    live += fiber.state != State::ended;
                }
                again = at_warp > 0 && at_warp == live;
                for (unsigned t = first; again && t < stop; ++t)
                    if (fibers_[t].state == State::at_warp) fibers_[t].state = State::ready;
                any |= live > 0;
            }
        }
        for (unsigned t = 0; t < count_; ++t)
            if (fibers_[t].state == State::at_warp)
                throw std::runtime_error("lanes of a warp wait for others that do not");
        resume();
        return any;
    }

    /// Lets threads go on that wait at a barrier, once all are there or have ended, or that have paused.
    void resume() {
        const auto first = fibers_.begin(), stop = first + count_;
        const bool any_paused =
            std::any_of(first, stop, [](const Fiber& fiber) { return fiber.state == State::paused; });
        pauses_ = any_paused ? pauses_ + 1 : 0;
        if (pauses_ > max_pauses) throw std::runtime_error("threads wait for copies or arrivals that never come");
        const State waiting = any_paused ? State::paused : State::at_block;
        for (auto fiber = first; fiber != stop; ++fiber)
            if (fiber->state == waiting) fiber->state = State::ready;
    }

    Kernel kernel_ = nullptr;
    void** arguments_ = nullptr;
    int pauses_ = 0;
    unsigned count_ = 0;
    std::vector<Fiber> fibers_;
    std::vector<unsigned> words_;
    Fiber* running_ = nullptr;
    void* scheduler_ = nullptr;
};

thread_local Block* block = nullptr;

/// Consecutive blocks that wait for each other.
struct Cluster {
    std::atomic<unsigned> arrived{0};
    std::array<std::atomic<char*>, 16> shared{};
};
/// Those of one launch, by number.
struct Clusters {
    std::mutex mutex;
    std::map<unsigned, Cluster> all;
    std::atomic<bool>& failed;  ///< a block has, and the launch will
};
thread_local Clusters* clusters = nullptr;
thread_local Cluster* cluster = nullptr;
thread_local unsigned waits = 0;  ///< of this block for its cluster

void cluster_wait(unsigned blocks, char* shared) {
    const unsigned number = block->place().block.x;
    {
        std::lock_guard lock(clusters->mutex);
        cluster = &clusters->all[number / blocks];
    }
    cluster->shared[number % blocks] = shared;
    const unsigned all = ++waits * blocks;
    for (++cluster->arrived; cluster->arrived < all && !clusters->failed;) std::this_thread::yield();
}
char* cluster_shared(unsigned of) { return cluster->shared[of]; }

void Block::enter() {
    block->kernel_(block->arguments_);
    block->wait(State::ended);
}

const Place& place() { return block->place(); }
void block_barrier() { block->wait(State::at_block); }
const unsigned* warp_words(unsigned word) { return block->warp_words(word); }
void pause() { block->wait(State::paused); }
bool yield() { return std::this_thread::yield(), true; }
void warp_done() { block->wait(State::at_warp); }

}  // namespace

const Runtime& runtime() {
    static const Runtime functions{place, block_barrier, warp_words,     warp_done,
                                   yield, cluster_wait,  cluster_shared, pause};
    return functions;
}

void run(Kernel kernel, void** arguments, Triple grid, Triple size, bool all_at_once) {
    // Blocks begin in their order, some at a time: kernels may wait for blocks that have begun before, or begin with
    // them.
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    std::atomic<std::uint64_t> next{0};
    std::exception_ptr failure;
    std::atomic<bool> failed{false};
    Clusters all_clusters{{}, {}, failed};
    const auto work = [&] {
        Block own;
        block = &own;
        clusters = &all_clusters;
        try {
            for (std::uint64_t b; !failed && (b = next.fetch_add(1)) < blocks;) {
                Place first;
                first.block = {static_cast<unsigned>(b % grid.x), static_cast<unsigned>(b / grid.x % grid.y),
                               static_cast<unsigned>(b / grid.x / grid.y)};
                first.block_size = size;
                first.grid_size = grid;
                waits = 0;
                own.run(kernel, arguments, first);
            }
        } catch (...) {
            if (!failed.exchange(true)) failure = std::current_exception();
        }
        block = nullptr;
    };
    const std::uint64_t at_once = all_at_once ? blocks : 64;
    std::vector<std::thread> threads;
    for (std::uint64_t k = 1; k < std::min(blocks, at_once); ++k) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace emulation
