/// Objects of OpenGL, which kernels and OpenGL use in turn.
#include <gemel/core/opengl.hpp>

#include <gemel/core/error.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/text.hpp>

#include "device/image_region.hpp"
#include "device/recorder.hpp"
#include "device/state.hpp"

#include <atomic>

namespace gemel::gl {

struct SharedState {
    std::shared_ptr<ContextState> owner;
    std::shared_ptr<DriverContext> driver;
    std::unique_ptr<plugin::GlObject> object;  ///< destroyed before its context
    unsigned name = 0;
    const char* kind = "buffer";
    std::atomic<bool> is_acquired{false};
};

namespace {

using plugin::GlAccess;

/// An object while it is acquired for kernels.
class Turn final : public Lender {
   public:
    Turn(std::shared_ptr<SharedState> state, std::shared_ptr<StreamCore> stream)
        : state_(std::move(state)), stream_(std::move(stream)) {}
    void take_back(StreamUses& uses) noexcept override {
        try {
            if (state_->driver->can_wait()) {
                uses.touch(stream_, true);  // waits for other streams' uses
                state_->object->release(*stream_->stream);
            }
        } catch (const std::exception& error) {
            logging::write(logging::Level::error, "gl",
                           text("giving ", state_->kind, " ", state_->name, " back to OpenGL: ", error.what()));
        }
        state_->is_acquired = false;
    }

   private:
    std::shared_ptr<SharedState> state_;
    std::shared_ptr<StreamCore> stream_;
};

std::shared_ptr<SharedState> make(const Context& context, const plugin::GlName& name) {
    const CallScope scope;
    not_recorded("gl: sharing an object");
    const char* const kind = name.target ? "texture" : "buffer";
    if (name.name == 0)
        throw ArgumentError(text("gl: expected the name of a ", kind, " of OpenGL's, got 0; ",
                                 name.target ? "glGenTextures" : "glGenBuffers", "() makes names"));
    auto driver = context.state()->driver();
    auto state = share(new SharedState);
    state->name = name.name;
    state->kind = kind;
    state->object = driver->call([&](plugin::Context& plugin) { return plugin.share_gl(name); });
    state->owner = context.state();
    state->driver = std::move(driver);
    return state;
}

/// Registers the object and hands out its storage.
/// @param fill  sets the memory or image of the allocation
template <class Fill>
std::shared_ptr<Block> acquire(const std::shared_ptr<SharedState>& state, const Stream& named, const char* what,
                               Fill&& fill) {
    const CallScope scope;
    if (!state) throw ArgumentError(text(what, ": the handle is empty; make it of a context and a name"));
    not_recorded(what);
    const auto& driver = state->driver;
    const std::shared_ptr<StreamCore> stream = choose_stream(named, driver);
    if (state->is_acquired.exchange(true))
        throw ArgumentError(text(what, ": ", state->kind, " ", state->name,
                                 " is acquired already; release what acquire() gave before"));
    auto block = share(new Block);
    auto allocation = std::make_unique<Allocation>();
    try {
        driver->call([&](plugin::Context& plugin) {
            state->object->acquire(*stream->stream);
            try {
                fill(plugin, *allocation);
            } catch (...) {
                state->object->release(*stream->stream);
                throw;
            }
        });
    } catch (...) {
        state->is_acquired = false;
        throw;
    }
    allocation->lender = std::make_shared<Turn>(state, stream);
    allocation->uses.touch(stream, true);
    block->owner = state->owner;
    block->driver = driver;
    block->size_bytes = allocation->memory.bytes;
    block->allocation = std::move(allocation);
    return block;
}

}  // namespace

bool shares(const Device& device) {
    const CallScope scope;
    require_process_for_drivers();
    return device.state().device->shares_gl();
}

Context create_context(const Device& device) {
    if (!shares(device))
        throw Error(text("gl::create_context: ", device.info().name, " (", device.id(),
                         ") drives no OpenGL context that is current on this thread; make one current first, on that "
                         "device"));
    return Context(make_gl_state(device));
}

SharedBuffer::SharedBuffer(const Context& context, unsigned name, Access access)
    : state_(make(context, {.name = name, .target = 0, .access = static_cast<GlAccess>(access)})) {}

std::size_t SharedBuffer::size_bytes() const { return state_ ? state_->object->size_bytes() : 0; }

Buffer SharedBuffer::acquire(const Stream& stream) const {
    auto block = gl::acquire(state_, stream, "gl::SharedBuffer::acquire", [&](plugin::Context& plugin, Allocation& to) {
        to.memory = state_->object->memory();
        to.argument = plugin.argument({&to.memory, 0}, to.memory.bytes);
    });
    const std::size_t bytes = block->size_bytes;
    return Buffer(std::move(block), 0, bytes);
}

SharedImage::SharedImage(const Context& context, unsigned name, unsigned target, const ImageFormat& format,
                         Access access)
    : format_(format) {
    if (target == 0)
        throw ArgumentError(
            "gl::SharedImage: expected a target such as GL_TEXTURE_2D, got 0; a buffer is a "
            "SharedBuffer");
    state_ = make(context, {.name = name, .target = target, .access = static_cast<GlAccess>(access)});
    (void)acquire();  // checks the format immediately
}

AnyImage SharedImage::acquire(const Stream& stream) const {
    plugin::ImageShape shape;
    auto block = gl::acquire(state_, stream, "gl::SharedImage::acquire", [&](plugin::Context&, Allocation& to) {
        shape = state_->object->shape();
        const plugin::ImageShape expected = image_element("gl::SharedImage", format_);
        if (shape.kind != expected.kind || shape.channels != expected.channels)
            throw ArgumentError(text("gl::SharedImage: texture ", state_->name, " has elements of ",
                                     shape.element_bytes(), " bytes in ", int{shape.channels},
                                     shape.channels == 1 ? " channel" : " channels", ", not ", format_.name(),
                                     "; give the format with which OpenGL made it"));
        shape.is_normalised = format_.normalised;
        to.image = state_->object->image(shape);
        to.memory = {.bytes = std::size_t{shape.extent[0]} * shape.extent[1] * shape.extent[2] * shape.element_bytes(),
                     .kind = plugin::MemoryKind::image};
    });
    return AnyImage(std::move(block), format_, shape);
}

}  // namespace gemel::gl
