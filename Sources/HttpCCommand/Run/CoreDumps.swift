#if os(Linux)
import CKeyring
#endif
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

<<<<<<< HEAD
/// Prevents core dumps, because memory has passwords, tokens and keys (security rule S29). Child processes inherit the
/// setting.
=======
/// Whether memory may be written to a file when the process ends by a signal: never, because passwords, tokens and keys are
/// in it (security rule S29). Child processes inherit it.
///
/// On Linux other processes of the same user cannot read the memory either, and no program gets it that the kernel starts
/// for dumps, which the limit does not concern. That ends where a child process runs its program.
>>>>>>> f0155a38 (Close the memory of httpc to other processes of its user)
enum CoreDumps {
    static func switchOff() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &limit)
        #else
        _ = setrlimit(RLIMIT_CORE, &limit)
        #endif
        #if os(Linux)
        _ = memory_close()
        #endif
    }
}
