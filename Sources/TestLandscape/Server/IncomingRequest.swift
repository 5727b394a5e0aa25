/// A request head from the HTTP decoder, with its record.
struct IncomingRequest: Sendable {
    let method: String
    let target: String
    let fields: [HeaderField]
    let recordID: Int?
}
