/// What a person may do on a screen; which of them a screen has, it says itself.
public enum LogonAction: String, Sendable, Hashable, CaseIterable {
    /// Go on with what was entered.
    case proceed
    /// Try once more after an error.
    case retry
    /// Find the server by an e-mail address.
    case discover
    /// Go without a passcode of one's own.
    case useDefaultPasscode
    /// The passcode is forgotten: delete everything that the application keeps, and begin anew.
    case deleteUser
    /// Stop here.
    case cancel

    /// What a person reads.
    public var label: String {
        switch self {
        case .proceed: "Go on"
        case .retry: "Try again"
        case .discover: "Find the server by an e-mail address"
        case .useDefaultPasscode: "Go on without a passcode"
        case .deleteUser: "Delete everything here and begin anew"
        case .cancel: "Stop"
        }
    }
}
