import HTTPTypes
import HummingbirdCore

/// `/admin/enrolment/…`: the enrolment service's part of the admin API.
enum EnrolmentAdmin {
    static func change(_ command: Substring, _ exchange: ServerExchange) throws -> Response {
        let server = exchange.world.enrolment
        switch command {
        case "challenge":
            return try .json(["challenge": server.makeChallenge(for: exchange.parameter("name") ?? "alice")])
        case "fault":
            let name = exchange.parameter("kind") ?? ""
            guard name.isEmpty || EnrolmentFault(rawValue: name) != nil else {
                let kinds = EnrolmentFault.allCases.map(\.rawValue).joined(separator: ", ")
                return .text("kinds, or none: \(kinds)\n", status: .badRequest)
            }
            server.fault = EnrolmentFault(rawValue: name)
        case "lifetime": server.lifetime = exchange.number("seconds", default: 604_800, in: 1...604_800)
        default: return .text("there is no such command\n", status: .notFound)
        }
        return .text("done\n")
    }

    static let entries = [
        ContentsEntry("/admin/enrolment/counters", "GET: what was counted"),
        ContentsEntry(
            "/admin/enrolment/challenge?name=", "POST: a password for one certificate; /admin/hold?path=enrolment"),
        ContentsEntry(
            "/admin/enrolment/fault?kind=, /admin/enrolment/lifetime?seconds=",
            "POST: what goes wrong with certificates; how long they are valid"),
    ]
}
