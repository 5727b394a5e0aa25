import HTTPTypes
import HummingbirdCore
import NIOCore

/// `/upload…`: sinks for bodies.
struct UploadEndpoints: Service {
    func register(in table: inout EndpointTable) {
        table.add("upload") { exchange in
            switch exchange.segments.count > 1 ? exchange.segments[1] : "" {
            case "basic":
                let realm = BasicRealm(realm: "upload")
                guard realm.authenticate(exchange) != nil else { return realm.refusal(to: exchange) }
                return try await Self.accept(exchange)
            case "reject": return try await Self.reject(exchange)
            case "413": return try await Self.tooLarge(exchange)
            default: return try await Self.accept(exchange)
            }
        }
    }

    private static func accept(_ exchange: ServerExchange) async throws -> Response {
        try .json(try await BodyDigest.read(try await exchange.body()))
    }

    /// A 401 before or after the body is read. `then` decides about the body.
    private static func reject(_ exchange: ServerExchange) async throws -> Response {
        let body = "Name and password first.\n"
        switch exchange.parameter("then") ?? "drain" {
        case "read":
            _ = try await BodyDigest.read(try await exchange.body())
            guard exchange.parameter("scheme") == "digest" else { return refusal(body) }
            return Response.text(body, status: .unauthorized).adding(
                .wwwAuthenticate,
                DigestRealm(realm: "upload", algorithms: [.sha256]).challenges(shared: exchange.shared, stale: false)
                    .joined(separator: ", "))
        case "close":
            return refusal(body).adding(.connection, "close")
        case "abort":
            return exchange.answer(
                WireScript(
                    "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"upload\"\r\nConnection: close\r\n"
                        + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)",
                    thenClose: true))
        default:
            return refusal(body)
        }
    }

    private static func refusal(_ body: String) -> Response {
        Response.text(body, status: .unauthorized).adding(.wwwAuthenticate, BasicRealm(realm: "upload").challenge)
    }

    /// A 413 after `after` bytes, long before the end of the body.
    private static func tooLarge(_ exchange: ServerExchange) async throws -> Response {
        let limit = exchange.number("after", default: 0, in: 0...(1 << 40))
        if limit > 0 {
            var received = 0
            for try await buffer in try await exchange.body() {
                received += buffer.readableBytes
                if received >= limit { break }
            }
        }
        return Response.text("too much\n", status: .contentTooLarge).adding(.connection, "close")
    }

    let contents = [
        ContentsEntry("/upload", "PUT or POST: length and SHA-256 of the body as JSON"),
        ContentsEntry("/upload/basic", "the same behind Basic"),
        ContentsEntry("/upload/reject?then=drain|close|abort", "401 before the body is read"),
        ContentsEntry("/upload/reject?then=read&scheme=basic|digest", "401 once the body is read"),
        ContentsEntry("/upload/413?after=n", "413 after n bytes, then closes"),
    ]
}
