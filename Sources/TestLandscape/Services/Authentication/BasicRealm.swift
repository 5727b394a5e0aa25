import Foundation
import HTTPTypes
import HummingbirdCore

/// A protection space with Basic authentication (RFC 7617).
struct BasicRealm: Sendable {
    let realm: String
    /// Whether the challenge says `charset="UTF-8"`; without it ISO-8859-1 is tried first, then UTF-8.
    var announcesUTF8 = false

    /// The value of `WWW-Authenticate`.
    var challenge: String {
        "Basic realm=\(QuotedString.make(realm))" + (announcesUTF8 ? ", charset=\"UTF-8\"" : "")
    }

    /// The user whose credentials the request carries; nil if there are none or wrong ones.
    func authenticate(_ exchange: ServerExchange) -> LandscapeUser? {
        guard let value = exchange.field("Authorization"), value.prefix(6).lowercased() == "basic " else { return nil }
        let encodings: [String.Encoding] = announcesUTF8 ? [.utf8] : [.isoLatin1, .utf8]
        let encoded = value.dropFirst(6).trimmingCharacters(in: .whitespaces)
        let user = Data(base64Encoded: encoded).flatMap {
            exchange.shared.users.user(withCredential: Array($0), in: realm, encodings: encodings)
        }
        exchange.shared.counters.count(user == nil ? \.failedLogins : \.authenticated)
        return user
    }

    /// The 401 answer of this realm.
    func refusal(to exchange: ServerExchange) -> Response {
        let body = "Name and password, please.\n"
        guard Response.canCarry(challenge) else {
            return exchange.answer(
                WireScript(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: \(challenge)\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n" + (exchange.method == "HEAD" ? "" : body)))
        }
        return Response.text(body, status: .unauthorized).adding(.wwwAuthenticate, challenge)
    }
}

extension Response {
    /// Whether the typed field layer passes the value on unchanged.
    static func canCarry(_ value: String) -> Bool {
        value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}
