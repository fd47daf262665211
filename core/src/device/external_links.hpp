/// Device memory that contexts of different backends both see: who makes it, who imports it, who has it for a copy.
#pragma once

#include <gemel/core/plugin.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace gemel {

struct DriverContext;

/// For the log at `debug`, subsystem "copy".
void log_copy(const std::string& message);

/// All of one size: one is written while another is read.
using ExternalPieces = std::vector<std::unique_ptr<plugin::ExternalMemory>>;

/// What for: copies on one GPU, where each change of the GPU between contexts costs time and pieces are few and large,
/// or copies from one GPU to another, whose legs run side by side.
enum class Staging : std::uint8_t { within_device, between_devices };

/// Of each piece that the context makes. Between devices GEMEL_COPY_PIECE may say so.
std::size_t piece_bytes_for(const DriverContext& maker, Staging staging);

/// Memory that one context has made for all that import it, and who has it: one copy at a time.
class ExternalStage {
   public:
    explicit ExternalStage(ExternalPieces made) : memory(std::move(made)) {}

    const ExternalPieces memory;

    /// For the length of one copy.
    class Turn {
       public:
        explicit Turn(ExternalStage& stage);
        ~Turn();
        Turn(const Turn&) = delete;
        Turn& operator=(const Turn&) = delete;
        /// False if another copy has had the memory for so long that it may be waiting for this one.
        explicit operator bool() const { return has_it_; }

       private:
        ExternalStage& stage_;
        bool has_it_;
    };

   private:
    std::mutex mutex_;
    std::condition_variable given_back_;
    bool is_taken_ = false;
};

/// What one context made and another imported.
struct ExternalLink {
    std::shared_ptr<ExternalStage> made;
    ExternalPieces imported;  ///< dies first
};

/// The links of a context in which it is the one that makes the memory. Thread-safe.
class ExternalLinks : public std::enable_shared_from_this<ExternalLinks> {
   public:
    /// Made by the first call for a pair; null, also from then on, where that cannot be.
    std::shared_ptr<const ExternalLink> find(DriverContext& maker, DriverContext& importer, Staging staging);
    /// The context dies: releases its links, and those in which it imports. Before the plug-in's context goes.
    void end(std::uint64_t context);

   private:
    std::shared_ptr<const ExternalLink> make(DriverContext& maker, DriverContext& importer, Staging staging);
    void forget(std::uint64_t importer);

    std::mutex making_mutex_;                                                         ///< held while drivers are called
    std::map<std::pair<std::string, Staging>, std::weak_ptr<ExternalStage>> stages_;  ///< by identity of the device
    std::mutex mutex_;  ///< no driver is called through core while it is held: that may end contexts
    std::map<std::pair<std::uint64_t, Staging>, std::shared_ptr<const ExternalLink>> links_;  ///< by the importer's id
    std::vector<std::weak_ptr<ExternalLinks>> makers_;  ///< that have links to this context
};

}  // namespace gemel
