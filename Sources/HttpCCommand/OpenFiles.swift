import HttpConvPlatform

/// The limit of the process for descriptors (getrlimit(2)). Child processes inherit it.
enum OpenFiles {
    /// The soft limit; nil: it is not known.
    static var limit: Int? { limits.map { Int(clamping: $0.rlim_cur) } }

    /// Raises the soft limit as far as the hard one permits.
    static func raiseLimit() {
        guard var limits else { return }
        // macOS permits no higher one (OPEN_MAX), though its hard limit may be infinite.
        let raised = min(limits.rlim_max, 10_240)
        guard limits.rlim_cur < raised else { return }
        limits.rlim_cur = raised
        #if canImport(Glibc)
        _ = setrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits)
        #else
        _ = setrlimit(RLIMIT_NOFILE, &limits)
        #endif
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        #if canImport(Glibc)
        let isKnown = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limits) == 0
        #else
        let isKnown = getrlimit(RLIMIT_NOFILE, &limits) == 0
        #endif
        return isKnown ? limits : nil
    }
}
