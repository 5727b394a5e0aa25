import Foundation
import Testing

/// The limit on the sizes of the process's files, which stands for a full disk in an exit test.
enum FileSizeLimit {
    static func set(_ bytes: UInt) throws {
        signal(SIGXFSZ, SIG_IGN)
        #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
        let resource = RLIMIT_FSIZE
        #endif
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
        try #require(setrlimit(resource, &limit) == 0)
    }
}
