public import HttpConversation

/// An organisation's proposal for its server. Show it to the person, together with its source.
public struct DiscoveredServer: Hashable, Sendable {
    /// The origin that made the proposal.
    public let source: Origin
    /// Values for the registration screen.
    public let registration: RegistrationDefaults
    /// Whether the server is in the domain that was asked about. If not, a person should look twice.
    public let isWithinDomain: Bool

    /// A proposal; implementations of ``ServerDiscovery`` use this.
    ///
    /// - Parameters:
    ///   - registration: values for the registration screen
    ///   - source: the origin that made the proposal
    ///   - domain: the domain of the address, normalised
    public init(_ registration: RegistrationDefaults, from source: Origin, for domain: String) {
        self.registration = registration
        self.source = source
        let host = registration.serverHost
        isWithinDomain = host == domain || host.hasSuffix("." + domain)
    }

    /// Copies the proposal into options, once the person has agreed to it.
    public func accept(into options: inout LogonOptions) { options.registration = registration }
}

extension DiscoveredServer: CustomStringConvertible {
    /// The server and the origin that named it, sanitised.
    public var description: String {
        "\(TerminalText.sanitise(registration.serverHost)):\(registration.port), named by \(source)"
    }
}
