/// An action of a person on a screen. ``LogonScreen/actions`` lists a screen's own.
public enum LogonAction: String, Sendable, Hashable, CaseIterable {
    /// Go on with what was entered.
    case proceed
    /// Try once more after an error.
    case retry
    /// Find the server by an e-mail address.
    case discover
    /// Go without a passcode.
    case useDefaultPasscode
    /// Unlock by fingerprint or face instead of the passcode.
    case useBiometry
    /// Add an account, and register it.
    case addAccount
    /// Remove an account from this device.
    case removeAccount
    /// Delete everything that the application keeps, and begin anew: the passcode is forgotten.
    case deleteUser
    /// Stop here.
    case cancel

    /// The text for the person.
    public var label: String {
        switch self {
        case .proceed: "Go on"
        case .retry: "Try again"
        case .discover: "Find the server by an e-mail address"
        case .useDefaultPasscode: "Go on without a passcode"
        case .useBiometry: "Use fingerprint or face"
        case .addAccount: "Add an account"
        case .removeAccount: "Remove an account"
        case .deleteUser: "Delete everything here and begin anew"
        case .cancel: "Stop"
        }
    }
}
