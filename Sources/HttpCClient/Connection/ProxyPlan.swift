import HttpC
import HttpCTerminal
import HttpConvPlatform

/// The proxy of requests: the command line's, else the profile's, else the environment's. The servers without a proxy
/// are found in the same order, independently.
enum ProxyPlan {
    /// - Parameter targets: the password is asked for if a request to one of them goes through a proxy
    static func settings(
        _ connection: ConnectionSettings, _ profile: Profile?, for targets: [TargetURL],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(CommandFailure) -> ProxySettings {
        let bypass = connection.proxyBypass.map { ProxyBypassList($0) } ?? profile?.proxyBypass
        let surroundings = bypass ?? ProxyBypassList(environment: environment)
        var login = connection.proxyUser
        let settings: ProxySettings
        if let text = connection.proxy {
            let server = text.isEmpty ? nil : try server(text)
            settings = ProxySettings(http: server, https: server, bypass: surroundings)
        } else if let profile, let proxy = profile.proxy {
            settings = ProxySettings(http: proxy.server, https: proxy.server, bypass: surroundings)
            if login == nil, let name = proxy.username {
                login = UserArgument(name: name, password: try await read(proxy.password))
            }
        } else {
            settings = .environment(environment, bypass: bypass)
        }
        guard let login else { return settings }
        var result = settings
        for server in try named(settings, for: targets, isAsked: login.password == nil) {
            let password: Redacted<String>
            if let known = login.password { password = known } else { password = try await ask(login.name, server) }
            result = result.with(login: ProxyLogin(username: login.name, password: password.value), for: server)
        }
        return result
    }

    /// The proxies that get a login: those of the typed URLs, or without any the only configured one (security rule
    /// S31). A redirect may lead through another proxy, which gets no login.
    ///
    /// - Parameters:
    ///   - targets: the typed URLs; empty if the server is still unknown
    ///   - isAsked: whether the password must still be asked for, and thus be needed
    private static func named(
        _ settings: ProxySettings, for targets: [TargetURL], isAsked: Bool
    ) throws(CommandFailure) -> [ProxyServer] {
        var found: [ProxyServer] = []
        for target in targets {
            guard let server = try proxy(of: settings, for: target) else { continue }
            if !found.contains(where: { $0.isSame(as: server) }) { found.append(server) }
        }
        let all = settings.servers
        return found.isEmpty && all.count == 1 && (!isAsked || targets.isEmpty) ? all : found
    }

    /// The prompt for the password of `--proxy-user`, for proxies that no typed URL goes through.
    static func prompt(_ connection: ConnectionSettings, _ settings: ProxySettings) -> ProxyPrompt? {
        guard let login = connection.proxyUser, login.password == nil else { return nil }
        let open = settings.servers.filter { $0.login == nil && $0.kind != .socks5 }
        return open.isEmpty ? nil : ProxyPrompt(name: login.name, proxies: open)
    }

    private static func server(_ text: String) throws(CommandFailure) -> ProxyServer {
        do throws(ConversationError) { return try ProxyServer(text) } catch {
            throw CommandFailure(.usage, "--proxy: \(error.message)")
        }
    }

    private static func proxy(
        of settings: ProxySettings, for target: TargetURL
    ) throws(CommandFailure) -> ProxyServer? {
        do throws(ConversationError) { return try settings.proxy(for: target) } catch { throw CommandFailure(error) }
    }

    private static func read(_ source: SecretSource) async throws(CommandFailure) -> Redacted<String>? {
        try await SecretReader.read(source, "proxy's password")
    }

    static func ask(_ name: String, _ proxy: ProxyServer) async throws(CommandFailure) -> Redacted<String> {
        let shown = TerminalText.sanitise(name, limit: 60)
        do {
            let password = try await ControllingTerminal.askPassword(
                "httpc: password of \(shown) for the proxy \(proxy): ")
            if let password { return password }
        } catch {
            throw CommandFailure(.loginFailed, "The question for the password of the proxy was cancelled.")
        }
        throw CommandFailure(
            .loginFailed,
            "There is no terminal to ask for the password of \(shown) at the proxy \(proxy): use --proxy-user \(shown):PASSWORD, or a profile with proxy-password-env, proxy-password-file, proxy-password-command or proxy-password-keyring."
        )
    }
}

/// Asks for the password of a named proxy when that proxy wants it (security rule S31).
struct ProxyPrompt: UsernamePasswordProvider {
    /// The user's name for all of them.
    let name: String
    /// The proxies without a known password.
    let proxies: [ProxyServer]

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxies.contains { $0.isSame(as: proxy) } }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard challenge.previousFailureCount == 0, let proxy = challenge.proxy else { return .none }
        let password = try await ProxyPlan.ask(name, proxy)
        return .credential(UsernamePassword(username: name, password: password.value), persistence: .session)
    }
}
