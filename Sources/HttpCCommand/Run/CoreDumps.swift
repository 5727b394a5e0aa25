#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether memory may be written to a file when the process ends by a signal: never, because passwords, tokens and keys are
/// in it (security rule S29). Child processes inherit it.
enum CoreDumps {
    static func switchOff() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
        _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_CORE.rawValue)), &limit)
        #else
        _ = setrlimit(RLIMIT_CORE, &limit)
        #endif
    }
}
