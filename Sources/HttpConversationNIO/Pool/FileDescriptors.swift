import HttpConvPlatform

/// The file descriptors of the process, of which each connection needs one.
enum FileDescriptors {
    /// The most connections of a transport: a quarter of the descriptors is left to files, name look-ups and the
    /// application, so that idle connections are closed before an attempt fails.
    ///
    /// - Parameter allowed: the number of descriptors that the process may have; nil: it is not known
    static func limit(ofConnections wanted: Int, allowed: Int? = ResourceLimit.descriptorCount) -> Int {
        min(wanted, max(1, (allowed ?? .max) / 4 * 3))
    }
}
