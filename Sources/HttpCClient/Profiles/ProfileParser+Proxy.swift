import HttpC
import HttpCTerminal

/// The keys of a profile about proxies.
extension ProfileParser {
    static let proxyKeys = ["proxy", "proxy-user", "proxy-cacert", "no-proxy"] + keys(of: "proxy-password")

    func proxy(_ table: ConfigurationTable, into profile: inout Profile) throws(CommandFailure) {
        profile.proxyAuthority = try table.string("proxy-cacert").map { absolute($0) }
        profile.proxyBypass = try table.strings("no-proxy").map { ProxyBypassList($0.joined(separator: ",")) }
        let username = try table.string("proxy-user")
        let password = try secret(table, "proxy-password")
        guard let text = try table.string("proxy") else {
            // A password is for one named proxy, not for any proxy of the environment (security rule S7).
            guard username == nil, password == nil else {
                throw failure(
                    " \(table.shownName) has a login for a proxy, and does not say for which: proxy is missing.")
            }
            return
        }
        guard username != nil || password == nil else {
            throw failure(" \(table.shownName) has a proxy-password without a proxy-user.")
        }
        let server =
            text.isEmpty
            ? nil
            : try checked(table, "proxy", text) { text throws(ConversationError) in
                try ProxyServer(text)
            }
        if let login = server?.login, !login.password.value.isEmpty, !isPrivate {
            throw failure(
                " its proxy holds a password and others can read it. Run: chmod 600 \(shownPath) – or use proxy-user with proxy-password-env."
            )
        }
        profile.proxy = ProfileProxy(server: server, username: username, password: password ?? .prompt)
    }
}
