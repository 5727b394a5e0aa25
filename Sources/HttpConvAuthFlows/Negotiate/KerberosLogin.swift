import HttpConvFormats
public import HttpConversation

/// A login to Kerberos: the source of its tickets, and how servers get them.
///
/// ```swift
/// let own = KerberosLogin()                                            // the tickets of kinit
/// let job = try KerberosLogin(.keytab("/etc/job.keytab"), principal: "job@EXAMPLE.COM")
/// ```
/// The realms and their servers are those of the system's configuration (`krb5.conf`).
public struct KerberosLogin: Sendable, Hashable {
    /// The source of tickets.
    public enum Source: Sendable, Hashable {
        /// A cache of tickets that another program fills, such as `kinit`, by its name in MIT's form:
        /// `FILE:/tmp/krb5cc_1000`. Nil: the user's default cache.
        case cache(String? = nil)
        /// The keys of a file. The tickets are kept in memory.
        case keytab(String)
        /// A password. The tickets are kept in memory.
        case password(Redacted<String>)
    }

    /// Whether a server may act as the person: it gets a ticket that it can use elsewhere.
    public enum Delegation: String, Sendable, Hashable, CaseIterable {
        /// The server gets no such ticket.
        case never = "none"
        /// The server gets one if the realm's policy trusts it (`ok-as-delegate`).
        case policy
        /// The server gets one whenever the ticket can be forwarded.
        case always
    }

    /// The way from a URL to the name of a service.
    public enum Naming: String, Sendable, Hashable, CaseIterable {
        /// The URL's host, as it is written there.
        case principal
        /// The host's name according to the system's configuration, which may ask DNS for another one
        /// (`dns_canonicalize_hostname`).
        case hostbased
    }

    /// The source of tickets.
    public let source: Source
    /// The person or program, such as `alice@EXAMPLE.COM`; nil: that of the cache or keytab.
    public let principal: String?
    /// The first part of the service's name.
    public let service: String
    /// The way from a URL to the name of a service.
    public let naming: Naming
    /// Whether a server may act as the person.
    public let delegation: Delegation

    /// The user's default cache, without delegation.
    public init() {
        source = .cache()
        principal = nil
        service = Self.defaultService
        naming = .principal
        delegation = .never
    }

    /// Creates a login.
    ///
    /// - Parameters:
    ///   - source: the source of tickets
    ///   - principal: the person or program; required for a password
    ///   - service: the first part of the service's name, as the server was registered
    ///   - naming: the way from a URL to the name of a service
    ///   - delegation: whether a server may act as the person
    /// - Throws: ``KerberosError/Code/invalidSetting``
    public init(
        _ source: Source, principal: String? = nil, service: String = "HTTP", naming: Naming = .principal,
        delegation: Delegation = .never
    ) throws(KerberosError) {
        switch source {
        case .cache(let name?): try Self.check(name, "The name of the cache")
        case .cache(nil): break
        case .keytab(let path): try Self.check(path, "The path of the keytab")
        case .password(let password):
            try Self.check(password.value, "The password")
            guard principal != nil else {
                throw KerberosError(.invalidSetting, "A password needs the principal that it belongs to.")
            }
        }
        if let principal { try Self.check(principal, "The principal") }
        try Self.check(service, "The service's name")
        guard !service.utf8.contains(where: { "/@\\:".utf8.contains($0) }) else {
            throw KerberosError(
                .invalidSetting, "The service's name contains a separator: only its first part is given.")
        }
        self.source = source
        self.principal = principal
        self.service = service
        self.naming = naming
        self.delegation = delegation
    }

    private static let defaultService = "HTTP"

    private static func check(_ text: String, _ what: String) throws(KerberosError) {
        guard !text.isEmpty else { throw KerberosError(.invalidSetting, "\(what) is empty.") }
        guard !text.hasControls else {
            throw KerberosError(.invalidSetting, "\(what) contains a control character.")
        }
    }

    /// The name of the service of a host.
    func serviceName(of host: String) -> String {
        switch naming {
        // An empty realm: the library finds it by its configuration and by referrals.
        case .principal: "\(service)/\(host)@"
        case .hostbased: "\(service)@\(host)"
        }
    }
}

extension KerberosLogin: CustomStringConvertible, CustomReflectable {
    /// The source and the principal, without a password.
    public var description: String {
        let name = principal.map { " of \(TerminalText.sanitise($0, limit: 80))" } ?? ""
        return switch source {
        case .cache: "Kerberos tickets\(name)"
        case .keytab: "Kerberos keytab\(name)"
        case .password: "Kerberos password\(name)"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["login": description]) }
}
