import HTTPTypes
import HummingbirdCore

/// `/cookies/…`: sets the requested cookies and shows the received ones.
struct CookieEndpoints: Service {
    private struct Echo: Encodable {
        /// The `Cookie` fields as they arrived.
        let fields: [String]
        let cookies: [HeaderField]
    }

    func register(in table: inout EndpointTable) {
        table.add("cookies") { exchange in
            switch exchange.segments.count > 1 ? exchange.segments[1] : "" {
            case "set": return Self.set(exchange)
            case "delete": return Self.delete(exchange)
            default: return try Self.echo(exchange)
            }
        }
    }

    /// Sets cookies: every `line=` of the query is the value of a `Set-Cookie`, byte for byte.
    private static func set(_ exchange: ServerExchange) -> Response {
        var head = Array("HTTP/1.1 \(exchange.number("status", default: 200, in: 200...599)) OK\r\n".utf8)
        for item in exchange.query where item.name == "line" {
            head += Array("Set-Cookie: ".utf8) + item.value + [13, 10]
        }
        if let location = exchange.parameter("to") { head += Array("Location: \(location)\r\n".utf8) }
        head += Array("Content-Length: 0\r\n\r\n".utf8)
        return exchange.answer(WireScript([.bytes(head)]))
    }

    /// Deletes the cookies of `name=`, or all received ones without it.
    private static func delete(_ exchange: ServerExchange) -> Response {
        let asked = exchange.query.filter { $0.name == "name" }.map(\.text)
        let names = asked.isEmpty ? CookieHeader.pairs(in: exchange.incoming.fields).map(\.name) : asked
        let path = exchange.parameter("path") ?? "/"
        return names.reduce(Response.text("deleted\n")) {
            $0.adding(.setCookie, "\($1)=; Path=\(path); Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT")
        }
    }

    private static func echo(_ exchange: ServerExchange) throws -> Response {
        let fields = exchange.incoming.fields
        return try .json(
            Echo(
                fields: fields.filter { $0.name.lowercased() == "cookie" }.map(\.value),
                cookies: CookieHeader.pairs(in: fields)))
    }

    let contents = [
        ContentsEntry("/cookies/set?line=…&line=…", "a Set-Cookie for each line, raw; also &to= and &status="),
        ContentsEntry("/cookies/echo", "the received cookies as JSON"),
        ContentsEntry("/cookies/delete?name=…&path=/", "deletes cookies"),
    ]
}
