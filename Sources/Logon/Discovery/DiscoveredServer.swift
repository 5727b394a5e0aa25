public import HttpConversation

/// What an organisation says about its server: a proposal, not more. Show it to the person, with who said it.
public struct DiscoveredServer: Hashable, Sendable {
    /// Who said it.
    public let source: Origin
    /// What the registration screen may be filled with.
    public let registration: RegistrationDefaults
    /// Whether the server is in the domain that was asked about; a person should look twice at another one.
    public let isWithinDomain: Bool

    /// A proposal; implementations of ``ServerDiscovery`` use this.
    ///
    /// - Parameters:
    ///   - registration: what the registration screen may be filled with
    ///   - source: who said so
    ///   - domain: that of the address, normalised
    public init(_ registration: RegistrationDefaults, from source: Origin, for domain: String) {
        self.registration = registration
        self.source = source
        let host = registration.serverHost
        isWithinDomain = host == domain || host.hasSuffix("." + domain)
    }

    /// Takes the proposal over, once the person has agreed to it.
    public func accept(into options: inout LogonOptions) { options.registration = registration }
}

extension DiscoveredServer: CustomStringConvertible {
    /// The server and who named it, sanitised.
    public var description: String {
        "\(TerminalText.sanitise(registration.serverHost)):\(registration.port), named by \(source)"
    }
}
