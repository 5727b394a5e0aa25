#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Prevents core dumps, because memory has passwords, tokens and keys (security rule S29). Child processes inherit the
/// setting.
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
