import HttpC
import HttpCTerminal

/// `[profiles.NAME.logon]`.
extension ProfileParser {
    func logon(_ table: ConfigurationTable) throws(CommandFailure) -> LogonTable {
        try table.allow(
            [
                "application", "server", "options", "farm", "gateway-client", "account",
            ] + Self.keys(of: "passcode").dropFirst())
        guard let application = try table.string("application"), !application.isEmpty else {
            throw failure(" \(table.shownName) has no application: add its id at the mobile server.")
        }
        var logon = LogonTable(application: application)
        if let server = try value(table, "server", { text throws(ConversationError) in try TargetURL(text) }) {
            if server.userinfo != nil || server.query != nil || server.fragment != nil {
                try refuse(" server in \(table.shownName) is scheme, host, port and path, nothing else.")
            }
            logon.server = server
        }
        logon.optionsFile = try table.string("options").map { absolute($0) }
        logon.farm = try table.string("farm")
        logon.gatewayClient = try table.string("gateway-client")
        logon.account = try table.string("account")
        logon.passcode = try secret(table, "passcode")
        return logon
    }
}
