package import HttpConvPlatform

/// The users who may decide for the person who runs this process, such as where passwords go.
package enum TrustedUsers {
    /// The process's user, root and, for root, the user who has become it by `sudo`.
    ///
    /// - Parameters:
    ///   - user: the process's user
    ///   - environment: that of the process, where `sudo` has written its caller as `SUDO_UID`
    package static func all(
        of user: uid_t = geteuid(), _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> Set<uid_t> {
        let caller = user == 0 ? environment["SUDO_UID"].flatMap { uid_t($0) } : nil
        return Set([user, 0] + [caller].compactMap { $0 })
    }
}
