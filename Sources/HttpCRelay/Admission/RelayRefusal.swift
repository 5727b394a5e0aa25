import NIOHTTP1

/// An answer of the relay itself in place of the target's: a status and a sentence for the person.
struct RelayRefusal: Equatable, Sendable {
    let status: HTTPResponseStatus
    let message: String
    /// Further fields.
    var fields: [(name: String, value: String)] = []

    init(_ status: HTTPResponseStatus, _ message: String, _ fields: [(name: String, value: String)] = []) {
        self.status = status
        self.message = message
        self.fields = fields
    }

    static func == (one: RelayRefusal, other: RelayRefusal) -> Bool {
        one.status == other.status && one.message == other.message
    }
}
