/// The keychain's numbers, and the decisions about them, in plain Swift.
enum KeychainRules {
    private static let success: Int32 = 0
    private static let notFound: Int32 = -25300
    private static let interactionNotAllowed: Int32 = -25308
    private static let missingEntitlement: Int32 = -34018
    /// The maximum number of calls that remove entries. A keychain might report a removal each time, without end.
    private static let maximumCalls = 10_000

    /// The service of one person's entries. The length keeps two pairs of service and person apart.
    static func service(_ service: String, of user: String) -> String { "\(service) \(user.utf8.count):\(user)" }

    /// Advice after a failure, with a space before it; empty if nothing is known.
    static func advice(_ status: Int32) -> String {
        switch status {
        case missingEntitlement: " Sign the application with the entitlement keychain-access-groups."
        case interactionNotAllowed: " The device was not unlocked since its start: try again after the first unlock."
        default: ""
        }
    }

    /// Calls until nothing is left.
    ///
    /// - Parameter remove: the status of one removal
    /// - Returns: 0, or the status of a failure
    static func removeAll(_ remove: () -> Int32) -> Int32 {
        for _ in 0..<maximumCalls {
            let status = remove()
            if status == notFound { return success }
            guard status == success else { return status }
        }
        return success
    }
}
