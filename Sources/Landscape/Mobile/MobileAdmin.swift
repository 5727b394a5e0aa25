import HTTPTypes
import HummingbirdCore

/// `/admin/mobile/…`: the mobile server's part of the admin API.
enum MobileAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) -> Response {
        let server = exchange.world.mobile
        switch command {
        case "connections/delete": server.connections.removeAll()
        case "sessions/expire": server.sessions.endAll()
        case "fault":
            let name = exchange.parameter("kind") ?? ""
            guard name.isEmpty || MobileFault(rawValue: name) != nil else {
                let kinds = MobileFault.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("kinds, or none: \(kinds)\n", status: .badRequest)
            }
            server.rule.fault = MobileFault(rawValue: name)
        case "front":
            guard let front = MobileFront(rawValue: exchange.parameter("where") ?? "") else {
                let fronts = MobileFront.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("where: \(fronts)\n", status: .badRequest)
            }
            let name = exchange.parameter("kind") ?? ""
            guard name.isEmpty || MobileFrontFault(rawValue: name) != nil else {
                let kinds = MobileFrontFault.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("kinds, or none: \(kinds)\n", status: .badRequest)
            }
            server.rule.fronts[front] = MobileFrontFault(rawValue: name)
        case "discovery":
            let name = exchange.parameter("kind") ?? ""
            guard name.isEmpty || MobileDiscoveryFault(rawValue: name) != nil else {
                let kinds = MobileDiscoveryFault.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("kinds, or none: \(kinds)\n", status: .badRequest)
            }
            server.rule.discoveryFault = MobileDiscoveryFault(rawValue: name)
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    static let entries = [
        ContentsEntry("/admin/mobile/counters", "GET: what was counted"),
        ContentsEntry(
            "/admin/mobile/connections/delete, /admin/mobile/sessions/expire",
            "POST; /admin/hold?path=mobile:connections"),
        ContentsEntry("/admin/mobile/fault?kind=", "POST: what goes wrong with answers about connections"),
        ContentsEntry(
            "/admin/mobile/front?where=&kind=", "POST: what goes wrong at relay, proxy, server or gateway"),
        ContentsEntry("/admin/mobile/discovery?kind=", "POST: what goes wrong with /.well-known/mobile-logon"),
    ]
}
