import HttpConversation

/// A key of a configuration file with its value, checked when it is read.
struct OptionEntry: Sendable {
    /// The key as the file has it.
    let key: String
    /// The key without its prefix.
    let name: String
    private let node: OptionNode

    /// The longest first: each is a part of the ones before it.
    private static let prefixes = [
        "keyMAFLogonOperationContext", "keyMAFLogonRegistrationContext", "idMAFLogonOperationContextType",
        "keyMAFLogon", "keyMAF",
    ]

    init(_ key: String, _ node: OptionNode) {
        self.key = key
        self.node = node
        let prefix = Self.prefixes.first { key.hasPrefix($0) && key != $0 } ?? ""
        name = String(key.dropFirst(prefix.count))
    }

    /// The members of a group, in order of their keys.
    func members() throws(LogonError) -> [OptionEntry] {
        guard case .group(let members) = node else { throw wrong("a dictionary") }
        return members.sorted { $0.key < $1.key }.map { OptionEntry($0.key, $0.value) }
    }

    func text() throws(LogonError) -> String {
        guard let text = node.text else { throw wrong("a text") }
        return text
    }

    func flag() throws(LogonError) -> Bool {
        guard let flag = node.flag else { throw wrong("YES or NO") }
        return flag
    }

    /// Whether the communicator is the gateway, and no other.
    func communicator() throws(LogonError) -> Bool {
        guard let flag = node.flag else {
            throw LogonError(
                .invalidCommunicatorID,
                "The option \(shownKey) must be YES (gateway only) or NO (the server that is found).")
        }
        return flag
    }

    func number() throws(LogonError) -> Int {
        guard let number = node.number else { throw wrong("a number") }
        return number
    }

    func port() throws(LogonError) -> Int {
        guard let port = node.number, (1...65_535).contains(port) else { throw wrong("a port") }
        return port
    }

    /// The port; nil for an empty text.
    func optionalPort() throws(LogonError) -> Int? {
        if case .text("") = node { return nil }
        return try port()
    }

    /// A list; a single value counts as one.
    func elements() -> [OptionEntry] {
        if case .list(let elements) = node { return elements.map { OptionEntry(key, $0) } }
        return [self]
    }

    func wrong(_ expected: String) -> LogonError {
        LogonError(.invalidParameter, "The option \(shownKey) is not \(expected).")
    }

    var unknown: LogonError {
        LogonError(.invalidParameter, "There is no option \(shownKey): check its spelling.")
    }

    /// The error of default values for another operation than the registration.
    var withoutDefaults: LogonError {
        let isOperation = LogonOperation.allCases.contains { $0.rawValue.lowercased() == name.lowercased() }
        return isOperation
            ? LogonError(
                .invalidOperationContext,
                "The operation \(shownKey) has no default values: only Register has. Leave it out of DefaultValues.")
            : LogonError(
                .invalidOperationCode,
                "There is no operation \(shownKey): DefaultValues may have Register, nothing else.")
    }

    /// The key, shortened, and sanitised for a terminal.
    private var shownKey: String { "\"\(TerminalText.sanitise(key, limit: 80))\"" }
}
