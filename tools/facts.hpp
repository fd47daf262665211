/// The properties of a device as a list, so that text and JSON contain the same.
#pragma once

#include <gemel/core/device.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace gemel::tools {

/// One member of DeviceInfo.
struct Fact {
    std::string key;               ///< the member's name
    nlohmann::ordered_json value;  ///< null if the driver does not report it
    std::string label;             ///< for people
    std::string text;              ///< for people; empty if the driver does not report it
};

/// Every property except the name, in the order of DeviceInfo; without capabilities.
std::vector<Fact> facts(const DeviceInfo& info);
/// The capability bits: value is true or false.
std::vector<Fact> capabilities(const DeviceInfo& info);

}  // namespace gemel::tools
