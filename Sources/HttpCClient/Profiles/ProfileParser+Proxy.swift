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
            if username != nil || password != nil {
                try refuse(
                    " \(table.shownName) has a login for a proxy, and does not say for which: proxy is missing.")
            }
            return
        }
        if username == nil, password != nil {
            try refuse(" \(table.shownName) has a proxy-password without a proxy-user.")
        }
        var server: ProxyServer?
        if !text.isEmpty {
            server = try value(table, "proxy") { text throws(ConversationError) in try ProxyServer(text) }
        }
        if let login = server?.login, !login.password.value.isEmpty, !isPrivate {
            try refuse(
                " its proxy holds a password and others can read it. Run: chmod 600 \(shownPath) – or use proxy-user with proxy-password-env."
            )
        }
        profile.proxy = ProfileProxy(server: server, username: username, password: password ?? .prompt)
    }
}
