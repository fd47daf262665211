/// The raw driver calls that gemel is measured against, behind one interface so that each benchmark is written once.
#pragma once

#include <gemel/gemel.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace bench {

/// A driver used by hand, in the device and context of a gemel context, on a stream of its own.
class Raw {
   public:
    virtual ~Raw() = default;

    /// Prepares a kernel of a gemel module for launches by hand: `set_arguments` binds a fixed list once.
    virtual void use(const gemel::Kernel& kernel) = 0;
    /// One launch with arguments set as a program by hand would at each launch: two buffers, a float, an int; or none.
    virtual void launch(unsigned grid, unsigned block, const gemel::Buffer* to, const gemel::Buffer* from, float factor,
                        int count) = 0;
    /// The enqueue alone, with the arguments of the last launch().
    virtual void launch_again(unsigned grid, unsigned block) = 0;
    virtual void synchronize() = 0;
    /// Records what `launches` launches on this stream into a graph of the driver's; false where it has none.
    virtual bool make_graph(const std::function<void()>& launches) = 0;
    virtual void launch_graph() = 0;

    virtual void upload(const gemel::Buffer& to, const void* host, std::size_t bytes, bool page_locked) = 0;
    virtual void download(void* host, const gemel::Buffer& from, std::size_t bytes, bool page_locked) = 0;
    virtual void copy(const gemel::Buffer& to, const gemel::Buffer& from, std::size_t bytes) = 0;
    /// From this device to another one of the backend, with access to peers on; false where the driver has no such
    /// call.
    virtual bool copy_to_peer(const gemel::Buffer& to, const gemel::Buffer& from, std::size_t bytes) = 0;

    /// Allocates and frees.
    virtual void allocate_and_free(std::size_t bytes) = 0;
    /// The same from the driver's own stream-ordered pool; false where it has none.
    virtual bool allocate_and_free_pooled(std::size_t bytes) = 0;

    /// Compiles text and fetches a kernel, without any cache. The binary is kept for load().
    virtual void compile(const std::string& text, const std::string& kernel) = 0;
    virtual void load(const std::string& kernel) = 0;
    virtual void set_binary(const std::vector<std::byte>& binary) = 0;
    virtual std::vector<std::byte> binary() const = 0;
};

/// For the context's backend. @throws gemel::Error if this build cannot speak to it
std::unique_ptr<Raw> make_raw(const gemel::Context& context);
std::unique_ptr<Raw> make_raw_cuda(const gemel::Context& context);
std::unique_ptr<Raw> make_raw_opencl(const gemel::Context& context);

}  // namespace bench
