package import HttpC
import HttpCTerminal
import HttpConvFormats

/// `[profiles.NAME.kerberos]`, checked, without secrets that are fetched later.
struct KerberosTable: Sendable {
    /// The source of tickets; nil: the user's default cache.
    enum Source: Sendable {
        /// A cache by its name in MIT's form.
        case cache(String)
        /// A file of keys, absolute.
        case keytab(String)
        case password(SecretSource)
    }

    var source: Source?
    var principal: String?
    var service: String?
    var naming: KerberosLogin.Naming?
    var delegation: KerberosLogin.Delegation?
    /// Whether the profile's proxy gets tickets, too.
    var isForProxy = false
    /// Whether servers on other machines get tickets over plain http.
    var allowsPlainHTTP = false
}

/// The options about Kerberos, which go before the profile's table.
package struct KerberosSettings: Sendable {
    /// --negotiate: the servers of the URLs get tickets.
    package var isForServers = false
    /// --proxy-negotiate: the proxies get tickets.
    package var isForProxies = false
    package var delegation: KerberosLogin.Delegation?
    package var service: String?

    package init() {}
}

extension KerberosTable {
    var password: SecretSource? { if case .password(let source)? = source { source } else { nil } }

    var keytab: String? { if case .keytab(let path)? = source { path } else { nil } }

    /// The source of tickets, for people.
    var words: String {
        switch source {
        case nil: "tickets of the default cache"
        case .cache(let name): "tickets of \(TerminalText.sanitise(name, limit: 80))"
        case .keytab(let path): "keytab \(TerminalText.sanitise(path, limit: 80))"
        case .password(let source): source.words()?.text ?? "a password"
        }
    }

    /// The login of a profile, whose password is fetched.
    func login(_ settings: KerberosSettings, of profile: Profile) async throws -> KerberosLogin {
        var password: Redacted<String>?
        if case .password(let source) = source {
            password = try await SecretReader.read(source, "password of [profiles.\(profile.name).kerberos]")
        }
        return try login(settings, password: password)
    }

    /// - Parameter password: the fetched password
    func login(_ settings: KerberosSettings, password: Redacted<String>?) throws(KerberosError) -> KerberosLogin {
        let source: KerberosLogin.Source =
            switch self.source {
            case .cache(let name): .cache(name)
            case .keytab(let path): .keytab(path)
            case .password: .password(password ?? Redacted(""))
            case nil: .cache()
            }
        return try KerberosLogin(
            source, principal: principal, service: settings.service ?? service ?? "HTTP",
            naming: naming ?? .principal, delegation: settings.delegation ?? delegation ?? .never)
    }
}
