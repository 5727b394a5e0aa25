import HTTPTypes
import HummingbirdCore

/// `/admin/odata/…`: the OData services' part of the admin API.
enum ODataAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) -> Response {
        let server = exchange.world.odata
        switch command {
        case "fault":
            let name = exchange.parameter("kind") ?? ""
            guard name.isEmpty || ODataFault(rawValue: name) != nil else {
                let kinds = ODataFault.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("kinds, or none: \(kinds)\n", status: .badRequest)
            }
            server.rule.fault = ODataFault(rawValue: name)
        case "rule":
            var rule = server.rule
            rule.pageSize = exchange.number("page", default: rule.pageSize, in: 1...10_000)
            if let text = exchange.parameter("tags") { rule.needsTags = text != "false" }
            if let text = exchange.parameter("token") { rule.needsToken = text != "false" }
            if exchange.parameter("expire-after") != nil {
                let pages = exchange.number("expire-after", default: 0, in: 0...1_000_000)
                rule.expiresAfterPages = pages == 0 ? nil : pages
            }
            server.rule = rule
        case "tokens/expire": server.tokens.expireTokens()
        case "reset": server.reset()
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    static let entries = [
        ContentsEntry("/admin/odata/counters", "GET: what was counted"),
        ContentsEntry(
            "/admin/odata/rule?page=&tags=&token=&expire-after=", "POST: page size, needs of changes, sessions end"),
        ContentsEntry("/admin/odata/fault?kind=, …/tokens/expire, …/reset", "POST: what goes wrong; the data anew"),
    ]
}
