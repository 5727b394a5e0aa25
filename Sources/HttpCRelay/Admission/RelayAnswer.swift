import NIOHTTP1

/// An answer of the relay itself in place of the target's: a status and a sentence for the person.
struct RelayAnswer: Equatable, Sendable {
    let status: HTTPResponseStatus
    let message: String
    /// Further fields.
    var fields: [(name: String, value: String)] = []

    init(_ status: HTTPResponseStatus, _ message: String, _ fields: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.fields = fields
    }

    /// The body: the message as a line, or nothing.
    var text: String { message.isEmpty ? "" : message + "\n" }

    /// The head, which says that the connection ends.
    var head: HTTPResponseHead {
        var headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(text.utf8.count)",
            "Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
            "Connection": "close",
        ]
        for field in fields { headers.add(name: field.name, value: field.value) }
        return HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    }

    static func == (one: RelayAnswer, other: RelayAnswer) -> Bool {
        one.status == other.status && one.message == other.message
    }
}
