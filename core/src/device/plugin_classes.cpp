/// Key functions of the plug-in interface, so that only libgemel.so holds their type information.
#include <gemel/core/plugin.hpp>

namespace gemel::plugin {

Event::~Event() = default;
Stream::~Stream() = default;
Image::~Image() = default;
BoundKernel::~BoundKernel() = default;
Kernel::~Kernel() = default;
Graph::~Graph() = default;
Module::~Module() = default;
BuildFailure::BuildFailure(std::string text) : log(std::move(text)) {}
BuildFailure::~BuildFailure() = default;
Context::~Context() = default;
Device::~Device() = default;
Plugin::~Plugin() = default;

}  // namespace gemel::plugin
