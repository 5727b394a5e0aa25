import HttpConvPlatform

#if os(Linux)
import CKeyring
#endif

/// Prevents core dumps, because memory has passwords, tokens and keys (security rule S29). Child processes inherit the
/// setting.
///
/// On Linux other processes of the same user cannot read the memory either, and the kernel starts no program with a
/// dump, which the limit alone does not prevent. That ends when a child process runs its program.
enum CoreDumps {
    static func switchOff() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        _ = setrlimit(ResourceLimit.coreDumps, &limit)
        #if os(Linux)
        _ = memory_close()
        #endif
    }
}
