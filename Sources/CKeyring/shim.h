// The kernel's calls for keys (keyrings(7)), which the C library does not have, and one for the memory that they are in, which
// Swift cannot call. Each answers as the kernel does: a number, or the negative number of an error. Linux only.
#ifdef __linux__
#include <errno.h>
#include <linux/keyctl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline long keyring_answer(long result) { return result < 0 ? -(long)errno : result; }

/// Keeps the memory of the process from other processes of its user, and from core dumps, until it runs another program.
static inline long memory_close(void) { return keyring_answer(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)); }

/// A new key of the type `user` in the thread's own keyring, where nobody else sees it.
static inline long keyring_add_privately(const char *_Nonnull name, const void *_Nonnull payload, size_t size) {
    return keyring_answer(syscall(SYS_add_key, "user", name, payload, size, KEY_SPEC_THREAD_KEYRING));
}

/// Lets the thread possess what is in its user's keyring, whatever its session has.
static inline long keyring_possess_user_keyring(void) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_THREAD_KEYRING));
}

/// Takes everything out of the thread's own keyring.
static inline long keyring_clear_private(void) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_CLEAR, KEY_SPEC_THREAD_KEYRING));
}

/// The number of a key in the user's keyring.
static inline long keyring_find(const char *_Nonnull name) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0));
}

/// Puts a key into the user's keyring, in the place of one of the same name.
static inline long keyring_publish(int32_t key) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_LINK, key, KEY_SPEC_USER_KEYRING));
}

static inline long keyring_withdraw(int32_t key) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_UNLINK, key, KEY_SPEC_USER_KEYRING));
}

/// `type;uid;gid;permissions;name`, with a NUL; answers with the size that it has.
static inline long keyring_describe(int32_t key, char *_Nonnull buffer, size_t size) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, buffer, size));
}

/// Answers with the size that the payload has.
static inline long keyring_read(int32_t key, void *_Nonnull buffer, size_t size) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_READ, key, buffer, size));
}

static inline long keyring_set_permissions(int32_t key, uint32_t permissions) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_SETPERM, key, permissions));
}

/// In seconds from now.
static inline long keyring_set_timeout(int32_t key, uint32_t seconds) {
    return keyring_answer(syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, seconds));
}

/// From now on nobody can use it, by whatever link.
static inline long keyring_revoke(int32_t key) { return keyring_answer(syscall(SYS_keyctl, KEYCTL_REVOKE, key)); }
#endif
