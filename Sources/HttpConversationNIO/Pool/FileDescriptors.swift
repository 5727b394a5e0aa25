import HttpConvPlatform

/// The file descriptors of the process, of which each connection needs one.
enum FileDescriptors {
    /// The most connections of a transport: a quarter of the descriptors is left to files, name look-ups and the
    /// application, so that idle connections are closed before an attempt fails.
    ///
    /// - Parameter allowed: the number of descriptors that the process may have; nil: it is not known
    static func limit(ofConnections wanted: Int, allowed: Int? = allowed) -> Int {
        min(wanted, max(1, (allowed ?? .max) / 4 * 3))
    }

    /// The soft limit of the process (getrlimit(2)).
    private static var allowed: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
        let isKnown = getrlimit(__rlimit_resource_t(UInt32(RLIMIT_NOFILE.rawValue)), &limit) == 0
        #else
        let isKnown = getrlimit(RLIMIT_NOFILE, &limit) == 0
        #endif
        return isKnown ? Int(clamping: limit.rlim_cur) : nil
    }
}
