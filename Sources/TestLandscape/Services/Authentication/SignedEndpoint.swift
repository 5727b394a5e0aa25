import Crypto
import Foundation
import HTTPTypes
import HummingbirdCore

/// `/signed/…`: a scheme that no client knows beforehand, and Basic, which is always refused here.
struct SignedEndpoint: Service {
    private static let key = SymmetricKey(data: Data("wonderland".utf8))

    func register(in table: inout EndpointTable) {
        table.add("signed") { exchange in
            guard Self.isSigned(exchange) else {
                if exchange.field("Authorization") != nil { exchange.shared.counters.count(\.failedLogins) }
                return Response.text("Signed, please.\n", status: .unauthorized)
                    .adding(.wwwAuthenticate, "Basic realm=\"signed\"")
                    .adding(.wwwAuthenticate, "X-HMAC realm=\"signed\"")
            }
            exchange.shared.counters.count(\.authenticated)
            return try .json(
                AuthenticatedAnswer(
                    user: "alice", realm: "signed", scheme: "X-HMAC", method: exchange.method, path: exchange.path))
        }
    }

    /// Checks `X-HMAC`: the HMAC of SHA-256 over method, a space and path with query, in hexadecimal.
    private static func isSigned(_ exchange: ServerExchange) -> Bool {
        guard let value = exchange.field("Authorization"), value.lowercased().hasPrefix("x-hmac ") else { return false }
        let text = "\(exchange.method) \(exchange.incoming.target)"
        let code = HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)
        return value.dropFirst(7) == Hex.string(code)
    }

    let contents = [
        ContentsEntry("/signed/…", "Basic, which fails, or X-HMAC: HMAC-SHA256 of \"METHOD target\" with wonderland")
    ]
}
