// Preloaded into what runs with the thread sanitizer on Linux: tells it who comes after whom where Swift's own libraries,
// which are not instrumented, do not. Each function here is one of theirs, and calls it.
//
// - `Synchronization.Mutex`: one that nobody holds is taken and given back by inlined atomics, which the sanitizer sees; one
//   that is waited for is handed over in libswiftSynchronization. Without this every access under a contended Mutex is a race.
// - Continuations: resuming one tells the sanitizer, and so does a task that was suspended and goes on. One that finds its
//   continuation resumed by then goes on without (swift_continuation_await of Swift 6.3). Without this what it is handed is a
//   race. Between the two moments a few instructions remain.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define AWAIT "swift_continuation_await"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

// Missing in programs that start the one with the sanitizer.
__attribute__((weak)) void __tsan_acquire(void *);
__attribute__((weak)) void __tsan_release(void *);

__attribute__((weak)) SWIFT void *swift_task_getCurrent(void);

typedef __attribute__((swiftasynccall)) void (*Await)(void *continuation);
typedef SWIFT void (*Lock)(uint32_t thread, SELF);
typedef SWIFT void (*Unlock)(SELF);

SWIFT void lockSlow(uint32_t thread, SELF) __asm__(LOCK_SLOW);
SWIFT void unlockSlow(SELF) __asm__(UNLOCK_SLOW);
__attribute__((swiftasynccall)) void await(void *continuation) __asm__(AWAIT);

static Lock realLock;
static Unlock realUnlock;
static Await realAwait;

__attribute__((constructor)) static void find(void) {
    realLock = (Lock)dlsym(RTLD_NEXT, LOCK_SLOW);
    realUnlock = (Unlock)dlsym(RTLD_NEXT, UNLOCK_SLOW);
    realAwait = (Await)dlsym(RTLD_NEXT, AWAIT);
}

SWIFT void lockSlow(uint32_t thread, SELF) {
    realLock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlockSlow(SELF) {
    if (__tsan_release) __tsan_release(self);
    realUnlock(self);
}

__attribute__((swiftasynccall)) void await(void *continuation) {
    if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return realAwait(continuation);
}
