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

    static func == (one: RelayAnswer, other: RelayAnswer) -> Bool {
        one.status == other.status && one.message == other.message
    }
}
