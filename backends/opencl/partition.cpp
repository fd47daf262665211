/// Parts of devices, and the clocks of device and host.
#include "objects.hpp"

#include <gemel/core/text.hpp>

#include <algorithm>

namespace gemel::plugin::opencl {
namespace {

constexpr std::pair<DevicePartition::Affinity, cl_device_affinity_domain> domains[] = {
    {DevicePartition::Affinity::next, CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE},
    {DevicePartition::Affinity::numa, CL_DEVICE_AFFINITY_DOMAIN_NUMA},
    {DevicePartition::Affinity::l4_cache, CL_DEVICE_AFFINITY_DOMAIN_L4_CACHE},
    {DevicePartition::Affinity::l3_cache, CL_DEVICE_AFFINITY_DOMAIN_L3_CACHE},
    {DevicePartition::Affinity::l2_cache, CL_DEVICE_AFFINITY_DOMAIN_L2_CACHE},
    {DevicePartition::Affinity::l1_cache, CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE},
};

cl_device_affinity_domain domain_of(DevicePartition::Affinity affinity) {
    for (const auto& [ours, theirs] : domains)
        if (ours == affinity) return theirs;
    return 0;
}

/// How the driver can divide the device.
std::vector<cl_device_partition_property> offered(cl_device_id device) {
    size_t bytes = 0;
    cl.GetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, 0, nullptr, &bytes);
    std::vector<cl_device_partition_property> all(bytes / sizeof(cl_device_partition_property));
    if (!all.empty()) cl.GetDeviceInfo(device, CL_DEVICE_PARTITION_PROPERTIES, bytes, all.data(), nullptr);
    std::erase(all, 0);
    return all;
}

const char* name_of(cl_device_partition_property property) {
    switch (property) {
        case CL_DEVICE_PARTITION_EQUALLY: return "equally";
        case CL_DEVICE_PARTITION_BY_COUNTS: return "by counts";
        case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN: return "by affinity";
        default: return "in a way of its vendor's";
    }
}

/// The driver's list for a partition, without its terminator.
std::vector<cl_device_partition_property> properties_of(const DevicePartition& how) {
    std::vector<cl_device_partition_property> all;
    switch (how.kind) {
        case DevicePartition::Kind::equally: return {CL_DEVICE_PARTITION_EQUALLY, how.counts.front()};
        case DevicePartition::Kind::by_counts:
            all.push_back(CL_DEVICE_PARTITION_BY_COUNTS);
            all.insert(all.end(), how.counts.begin(), how.counts.end());
            all.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
            return all;
        case DevicePartition::Kind::by_affinity: break;
    }
    return {CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, static_cast<cl_device_partition_property>(domain_of(how.affinity))};
}

}  // namespace

std::vector<std::shared_ptr<Device>> OpenClDevice::partition(const DevicePartition& how) {
    auto properties = properties_of(how);
    const auto known = offered(device_);
    const auto refuse = [&](const char* why) {
        std::vector<std::string> names;
        for (const auto property : known) names.push_back(name_of(property));
        throw Error(text("partition: the driver does not divide ", info_.name, " ", name_of(properties.front()), why,
                         names.empty() ? "; it divides this device in no way: make several streams on the whole one"
                                       : "; it divides this device ",
                         join(names, " or ")));
    };
    if (std::find(known.begin(), known.end(), properties.front()) == known.end()) refuse("");
    if (how.kind == DevicePartition::Kind::by_affinity &&
        (query<cl_device_affinity_domain>(cl.GetDeviceInfo, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, device_) &
         domain_of(how.affinity)) == 0)
        refuse(" of this kind");
    properties.push_back(0);
    cl_uint count = 0;
    const Status status = cl.CreateSubDevices.status(device_, properties.data(), 0, nullptr, &count);
    if (status == CL_DEVICE_PARTITION_FAILED || status == CL_INVALID_DEVICE_PARTITION_COUNT)
        refuse(" into parts of these sizes");
    if (status != success) fail(cl.CreateSubDevices.name(), status);
    std::vector<cl_device_id> parts(count);
    cl.CreateSubDevices(device_, properties.data(), count, parts.data(), nullptr);
    std::vector<std::shared_ptr<Device>> made;
    for (std::size_t i = 0; i < parts.size(); ++i)
        made.push_back(
            std::make_shared<OpenClDevice>(platform_, parts[i], number_, text(", part ", i + 1, " of ", parts.size())));
    return made;
}

std::optional<ClockReading> OpenClDevice::read_clocks() const {
    cl_ulong device = 0, host = 0;
    if (version_ < 21 || cl.GetDeviceAndHostTimer.status(device_, &device, &host) != success) return std::nullopt;
    return ClockReading{device, host};
}

}  // namespace gemel::plugin::opencl
