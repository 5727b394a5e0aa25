import Foundation
import HttpC

/// Which proxy requests go through: the command line's, else the profile's, else the environment's. What goes around it is
/// found in the same order, by itself.
enum ProxyPlan {
    /// - Parameter targets: a password is asked for where the request to one of them goes through a proxy
    static func settings(
        _ options: ServerOptions, _ profile: Profile?, for targets: [TargetURL],
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) async throws(CommandFailure) -> ProxySettings {
        let bypass = options.proxyBypass.map { ProxyBypassList($0) } ?? profile?.proxyBypass
        let surroundings = bypass ?? ProxyBypassList(environment: environment)
        var login = options.proxyUser.map { UserArgument($0) }
        let settings: ProxySettings
        if let text = options.proxy {
            let server = text.isEmpty ? nil : try server(text)
            settings = ProxySettings(http: server, https: server, bypass: surroundings)
        } else if let profile, let proxy = profile.proxy {
            settings = ProxySettings(http: proxy.server, https: proxy.server, bypass: surroundings)
            if login == nil, let name = proxy.username {
                login = UserArgument(name: name, password: try read(proxy.password))
            }
        } else {
            settings = .environment(environment, bypass: bypass)
        }
        guard let login else { return settings }
        var password = login.password
        for target in targets where password == nil {
            if let server = try proxy(of: settings, for: target) { password = try await ask(login.name, server) }
        }
        // Also where this request goes around the proxy: a redirect may not.
        return password.map { settings.with(login: ProxyLogin(username: login.name, password: $0.value)) } ?? settings
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

    private static func read(_ source: PasswordSource) throws(CommandFailure) -> Redacted<String>? {
        try PasswordReader.read(source, "proxy's password")
    }

    private static func ask(_ name: String, _ proxy: ProxyServer) async throws(CommandFailure) -> Redacted<String> {
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
            "There is no terminal to ask for the password of \(shown) at the proxy \(proxy): use --proxy-user \(shown):PASSWORD, or a profile with proxy-password-env or proxy-password-file."
        )
    }
}
