import HttpC

/// One URL of the command line: its request, its identity, and the destination of the answer.
struct Transfer: Sendable {
    /// The index among the URLs, from 0.
    let index: Int
    /// The URL as typed.
    let url: TargetURL
    let request: HTTPRequest
    let body: RequestBody?
    let destination: TransferDestination
    /// Whether the body is asked for without compression, and not unpacked.
    let keepsCoding: Bool
    let group: TransferGroup
}
