#include "tune/interrupt.hpp"

#include <atomic>
#include <csignal>
#include <mutex>

namespace gemel::tune {
namespace {

std::atomic<unsigned> count{0};
std::mutex mutex;
int watches = 0;
bool is_installed = false;
struct sigaction previous;

void note(int) {
    count.fetch_add(1);
    // The next Ctrl-C ends the process even if a search does not return.
    std::signal(SIGINT, SIG_DFL);
}

}  // namespace

InterruptWatch::InterruptWatch() : before_(count.load()) {
    const std::lock_guard lock(mutex);
    if (watches++ > 0) return;
    struct sigaction action {};
    action.sa_handler = note;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    is_installed = ::sigaction(SIGINT, nullptr, &previous) == 0 && previous.sa_handler != SIG_IGN &&
                   ::sigaction(SIGINT, &action, nullptr) == 0;
}

InterruptWatch::~InterruptWatch() {
    const std::lock_guard lock(mutex);
    if (--watches == 0 && is_installed) ::sigaction(SIGINT, &previous, nullptr);
}

bool InterruptWatch::seen() const { return count.load() != before_; }

}  // namespace gemel::tune
