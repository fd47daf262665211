#include "tune/tuning_hook.hpp"

namespace gemel {
namespace {

thread_local TuningHook* hook_of_thread = nullptr;

}  // namespace

TuningHook* TuningHook::current() { return hook_of_thread; }

TuningHookScope::TuningHookScope(TuningHook* hook) : previous_(hook_of_thread) { hook_of_thread = hook; }
TuningHookScope::~TuningHookScope() { hook_of_thread = previous_; }

}  // namespace gemel
