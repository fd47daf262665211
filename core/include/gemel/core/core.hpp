/// All of core.
#pragma once

#include <gemel/core/argument.hpp>
#include <gemel/core/buffer.hpp>
#include <gemel/core/context.hpp>
#include <gemel/core/device.hpp>
#include <gemel/core/dialect.hpp>
#include <gemel/core/disk_cache.hpp>
#include <gemel/core/dtype.hpp>
#include <gemel/core/environment.hpp>
#include <gemel/core/error.hpp>
#include <gemel/core/graph.hpp>
#include <gemel/core/host_buffer.hpp>
#include <gemel/core/image.hpp>
#include <gemel/core/kernel.hpp>
#include <gemel/core/launch.hpp>
#include <gemel/core/log.hpp>
#include <gemel/core/module.hpp>
#include <gemel/core/profile.hpp>
#include <gemel/core/registry.hpp>
#include <gemel/core/signature.hpp>
#include <gemel/core/source.hpp>
#include <gemel/core/statistics.hpp>
#include <gemel/core/stream.hpp>
#include <gemel/core/text.hpp>
#include <gemel/core/vector_types.hpp>
#include <gemel/core/version.hpp>
